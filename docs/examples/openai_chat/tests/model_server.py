"""A server on this machine in the place of the model: it speaks the protocol of chat completions.

It is needed only to record. A recording with the real service takes no server, but a key.
"""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any


class ModelServer(BaseHTTPRequestHandler):
    """Asks for the weather first, and then says it word by word."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for delta in reply(request["messages"]):
            self.send_event(json.dumps(chunk(delta), ensure_ascii=False))
        self.send_event(json.dumps(chunk({}, finish_reason="stop")))
        self.send_event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def send_event(self, data: str) -> None:
        event = f"data: {data}\n\n".encode()
        self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""


def reply(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """What the model says next, in pieces."""
    asked, last = messages[0]["content"], messages[-1]
    if last["role"] == "tool":
        for word in f"The weather: {last['content']}.".split(" "):
            yield {"content": f"{word} "}
    elif "weather" in asked:
        city = asked.rstrip("?").rpartition(" ")[2]
        call = {"index": 0, "id": "call_1", "type": "function"}
        yield {"tool_calls": [{**call, "function": {"name": "weather", "arguments": ""}}]}
        for part in ('{"city"', f':"{city}"}}'):
            yield {"tool_calls": [{"index": 0, "function": {"arguments": part}}]}
    else:
        yield {"content": "Ask me about the weather."}


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    start = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_760_000_000}
    return {**start, "model": "gpt-5-mini", "choices": [choice]}
