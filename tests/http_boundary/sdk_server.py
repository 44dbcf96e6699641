"""A server on loopback that speaks the protocols of the openai and anthropic SDKs."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

FAULTS = ("408", "409", "429", "500", "503", "529")
"""What a prompt begins with that is refused at first; then it is answered."""
PAUSE = 0.02
"""Seconds between two events, so that a client receives them apart."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        refused: set[str] = self.server.refused  # type: ignore[attr-defined]
        prompt = str(body["messages"][-1]["content"])
        fault = prompt.partition(" ")[0]
        if fault == "dropped" and prompt not in refused:
            refused.add(prompt)
            self.close_connection = True
            return
        if fault in FAULTS and (prompt not in refused or "always" in prompt):
            refused.add(prompt)
            self._send(int(fault), {"type": "error", "error": {"type": "x", "message": "not now"}})
            return
        refused.discard(prompt)
        if self.path.endswith("/chat/completions"):
            self._stream(_chat_chunks(body)) if body.get("stream") else self._send(200, _chat(body))
        else:
            (
                self._stream(_message_events(body))
                if body.get("stream")
                else self._send(200, _message(body))
            )

    def _send(self, status: int, data: Any) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if status == 429:
            self.send_header("Retry-After", "0.05")
        elif status != 200:
            self.send_header("Retry-After-Ms", "10")
        self.send_header("X-Request-Id", f"req_{time.time_ns()}")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, events: Iterator[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events:
            data = event.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
            time.sleep(PAUSE)
        self.wfile.write(b"0\r\n\r\n")


TOOL_INPUT = ('{"ci', 'ty": "Bo', 'nn"}')


def _words(body: Any) -> list[str]:
    return f"You said: {body['messages'][-1]['content']} Grüße!".split(" ")


def _chat(body: Any) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": " ".join(_words(body))}
    if body.get("tools"):
        name = body["tools"][0]["function"]["name"]
        call = {"id": "call_1", "type": "function"}
        message = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{**call, "function": {"name": name, "arguments": '{"city": "Bonn"}'}}],
        }
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {**_CHAT, "object": "chat.completion", "choices": [choice]}


_CHAT = {"id": "chat-1", "created": 1_700_000_000, "model": "m"}


def _chat_chunks(body: Any) -> Iterator[str]:
    if body.get("tools"):
        name = body["tools"][0]["function"]["name"]
        call = {"index": 0, "id": "call_1", "type": "function"}
        begun = {**call, "function": {"name": name, "arguments": ""}}
        rests = ({"index": 0, "function": {"arguments": part}} for part in TOOL_INPUT)
        for tool_call in (begun, *rests):
            choice = {"index": 0, "delta": {"tool_calls": [tool_call]}, "finish_reason": None}
            chunk = {**_CHAT, "object": "chat.completion.chunk", "choices": [choice]}
            yield f"data: {json.dumps(chunk)}\n\n"
        yield "data: [DONE]\n\n"
        return
    for word in [*_words(body), None]:
        delta = {} if word is None else {"role": "assistant", "content": f"{word} "}
        choice = {"index": 0, "delta": delta, "finish_reason": "stop" if word is None else None}
        chunk = {**_CHAT, "object": "chat.completion.chunk", "choices": [choice]}
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


_MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "stop_reason": None,
    "stop_sequence": None,
    "usage": {"input_tokens": 5, "output_tokens": 1},
}


def _message(body: Any) -> Any:
    content: list[Any] = [{"type": "text", "text": " ".join(_words(body))}]
    if body.get("tools"):
        name = body["tools"][0]["name"]
        content = [{"type": "tool_use", "id": "t1", "name": name, "input": {"city": "Bonn"}}]
    return {**_MESSAGE, "stop_reason": "end_turn", "content": content}


def _message_events(body: Any) -> Iterator[str]:
    def event(kind: str, **data: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n"

    yield event("message_start", message={**_MESSAGE, "content": []})
    if body.get("tools"):
        block: Any = {"type": "tool_use", "id": "t1", "name": body["tools"][0]["name"], "input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in TOOL_INPUT]
    else:
        block = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": word} for word in _words(body)]
    yield event("content_block_start", index=0, content_block=block)
    for delta in deltas:
        yield event("content_block_delta", index=0, delta=delta)
    yield event("content_block_stop", index=0)
    yield event(
        "message_delta",
        delta={"stop_reason": "end_turn", "stop_sequence": None},
        usage={"output_tokens": 9},
    )
    yield event("message_stop")


@contextmanager
def serving_sdks() -> Iterator[str]:
    """The address of a running server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.refused = set()  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
