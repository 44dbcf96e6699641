"""Sessions as other tools store them: written here, in their formats."""

from typing import Any

TOOL = {"name": "search", "inputSchema": {"type": "object"}}
HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}, "logging": {}},
    "serverInfo": {"name": "search", "version": "1"},
}


def rpc(**frame: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **frame}


def found(*texts: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text} for text in texts], "isError": False}


def interaction(sequence: int, number: int, method: str, at: str, **more: Any) -> dict[str, Any]:
    """As agent-vcr stores a request: when it was answered, and how long that took."""
    request = rpc(id=number, method=method, params=more.pop("params", None))
    answer = {"result": None, "error": None} | more.pop("answer")
    return {
        "sequence": sequence,
        "timestamp": f"2026-11-18T10:00:{at}",
        "direction": "server_to_client",
        "request": request,
        "response": rpc(id=number, **answer),
        "notifications": more.pop("notifications", []),
        "latency_ms": more.pop("latency_ms", 250.0),
    }


def search(query: str, token: int | str | None = None) -> dict[str, Any]:
    meta = {} if token is None else {"_meta": {"progressToken": token}}
    return {"name": "search", "arguments": {"query": query}, **meta}


def agent_vcr_recording() -> dict[str, Any]:
    """Two searches overlap: the second is answered first. A third one fails."""
    capabilities = {"capabilities": {}, "clientInfo": {"name": "tutorial", "version": "1.0.0"}}
    progress = rpc(
        method="notifications/progress", params={"progressToken": 3, "progress": 1, "total": 2}
    )
    log = rpc(method="notifications/message", params={"level": "info", "data": "searching"})
    failure = {"code": -32602, "message": "no such index", "data": {"index": "Rome"}}
    return {
        "format_version": "1.0.0",
        "metadata": {
            "version": "1.0",
            "recorded_at": "2026-11-18T10:00:00",
            "transport": "stdio",
            "client_info": {},
            "server_info": {},
            "server_command": "python",
            "server_args": ["-m", "search"],
            "tags": {},
            "session_id": None,
        },
        "session": {
            "initialize_request": rpc(
                id=1, method="initialize", params={"protocolVersion": "2024-11-05", **capabilities}
            ),
            "initialize_response": rpc(id=1, result=HANDSHAKE, error=None),
            "capabilities": HANDSHAKE["capabilities"],
            "interactions": [
                interaction(0, 2, "tools/list", "01.500000", answer={"result": {"tools": [TOOL]}}),
                interaction(
                    1,
                    4,
                    "tools/call",
                    "03.000000",
                    params=search("cars", 4),
                    notifications=[progress, log],
                    answer={"result": found("cars in Bonn")},
                ),
                interaction(
                    2,
                    3,
                    "tools/call",
                    "03.250000",
                    params=search("bikes", 3),
                    answer={"result": found("bikes in Bonn")},
                ),
                interaction(
                    3,
                    5,
                    "tools/call",
                    "04.000000",
                    params=search("trams", 5),
                    answer={"error": failure},
                ),
            ],
        },
    }


def mcp_cassette_recording() -> dict[str, Any]:
    """A search that reports, asks the client's model and its user; tokens are redacted."""
    sent = [
        ("client", rpc(id=0, method="initialize", params=_offer())),
        ("server", rpc(id=0, result=HANDSHAKE)),
        ("client", rpc(method="notifications/initialized")),
        ("client", rpc(id=1, method="tools/list")),
        ("server", rpc(id=1, result={"tools": [TOOL]})),
        ("client", rpc(id=2, method="tools/call", params=search("bikes", "REDACTED"))),
        ("client", rpc(id=3, method="tools/call", params=search("cars", "REDACTED"))),
        ("server", "a line that is not JSON"),
        ("server", _progress(1, 2)),
        ("server", _progress(1, 5)),
        ("server", _progress(2, 2)),
        ("server", rpc(id=1, method="sampling/createMessage", params=_question())),
        ("client", rpc(id=1, result=_model("in Bonn?"))),
        ("server", rpc(id=2, method="elicitation/create", params=_choice())),
        ("client", rpc(id=2, result={"action": "accept", "content": {"city": "Bonn"}})),
        ("server", rpc(id=2, result=found("bikes in Bonn"))),
        ("server", rpc(id=3, error={"code": 7, "message": "no cars", "data": [1, None]})),
    ]
    return _mcp_cassette(sent)


def scripted_recording() -> dict[str, Any]:
    """A script that says everything at once; the server asks its model during the first search."""
    sent = [
        ("client", rpc(id=1, method="initialize", params=_offer())),
        ("client", rpc(method="notifications/initialized")),
        ("client", rpc(id=2, method="tools/call", params=search("bikes"))),
        ("client", rpc(id=3, method="tools/call", params=search("cars"))),
        ("server", rpc(id=1, result=HANDSHAKE)),
        ("server", rpc(id="s1", method="sampling/createMessage", params=_question())),
        ("client", rpc(id="s1", result=_model("in Bonn?"))),
        ("server", rpc(id=2, result=found("bikes in Bonn"))),
        ("server", rpc(id=3, result=found("cars in Bonn"))),
    ]
    return _mcp_cassette(sent)


def recording_with_samples() -> dict[str, Any]:
    """The server asks the client's model twice."""
    sent = [
        ("client", rpc(id=1, method="initialize", params=_offer())),
        ("server", rpc(id=1, result=HANDSHAKE)),
        ("client", rpc(id=2, method="ask", params={})),
        ("server", rpc(id="a", method="sampling/createMessage", params=_question())),
        ("client", rpc(id="a", result=_model("in Bonn?"))),
        ("server", rpc(id="b", method="sampling/createMessage", params=_question())),
        ("client", rpc(id="b", result=_model("in Rome?"))),
        ("server", rpc(id=2, result={})),
    ]
    return _mcp_cassette(sent)


def recording_without_handshake() -> dict[str, Any]:
    """As an example of mcp-cassette: it begins with the first tool."""
    whole = scripted_recording()
    said = {2: "bikes", 3: "cars"}
    kept = [each for each in whole["messages"] if each["payload"].get("id") in said]
    server = {"name": "search", "version": "1"}
    return {**whole, "protocol_version": "2024-11-05", "server_info": server, "messages": kept}


def _mcp_cassette(sent: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        "format_version": 3,
        "recorded_at": "2026-11-18T10:00:00Z",
        "transport": "stdio",
        "messages": [
            {
                "seq": number,
                "t_offset_ms": number * 100,
                "sender": sender,
                "kind": "raw" if isinstance(payload, str) else "request",
                "payload": payload,
                "redacted": False,
            }
            for number, (sender, payload) in enumerate(sent)
        ],
    }


def _offer() -> dict[str, Any]:
    return {
        "protocolVersion": "2025-06-18",
        "capabilities": {"sampling": {}, "elicitation": {}},
        "clientInfo": {"name": "agent", "version": "1"},
    }


def _progress(done: int, total: int) -> dict[str, Any]:
    params = {"progressToken": "REDACTED", "progress": done, "total": total}
    return rpc(method="notifications/progress", params=params)


def _question() -> dict[str, Any]:
    asked = {"role": "user", "content": {"type": "text", "text": "where?"}}
    return {"messages": [asked], "maxTokens": "REDACTED"}


def _model(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": {"type": "text", "text": text}, "model": "m"}


def _choice() -> dict[str, Any]:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    return {"message": "which city?", "requestedSchema": schema}
