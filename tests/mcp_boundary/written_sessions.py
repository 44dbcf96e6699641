"""Cassettes of sessions that only a test has: what was asked, and what was answered."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vcr_boundaries.mcp.ports import VcrMcpServer
from vcr_gen import TapeWriter
from vcr_gen.runtime.codec import Compiler

Exchange = tuple[str, dict[str, Any], Any]
"""Method, parameters, and the result; None for an error."""


def write_session(path: Path, *exchanges: Exchange, **named: Sequence[Exchange]) -> Path:
    """Write a session with a server, and others with servers that have names."""
    encode = Compiler().codec(dict[str, Any]).encode
    everything = [("", exchange) for exchange in exchanges]
    everything += [(f"server~{name}", each) for name, session in named.items() for each in session]
    with TapeWriter(path, VcrMcpServer) as tape:
        for on, (method, params, result) in everything:
            message = {"method": method, **({"params": encode(params)} if params else {})}
            arguments = {"message": message, "progress": None}
            if result is None:
                error = {
                    "$error": "vcr_gen.boundaries.mcp.rpc_messages:RpcError",
                    "args": [1, "no"],
                }
                tape.call("server.request", arguments, outcome="raised", value=error, on=on)
            else:
                tape.call("server.request", arguments, value=encode(result), on=on)
    return path


def greeting(**capabilities: Any) -> Exchange:
    result = {
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "serverInfo": {"name": "shop", "version": "1"},
    }
    return "initialize", {"protocolVersion": "2025-11-25"}, result


def listing(*tools: dict[str, Any], cursor: str | None = None, more: str | None = None) -> Exchange:
    params = {"cursor": cursor} if cursor else {}
    result = {"tools": list(tools), **({"nextCursor": more} if more else {})}
    return "tools/list", params, result


def tool(name: str, description: str = "", **fields: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {}}
    return {"name": name, "description": description, "inputSchema": schema, **fields}


def call(name: str, result: Any = None, /, **arguments: Any) -> Exchange:
    answer = {"content": [], **({"structuredContent": result} if result is not None else {})}
    return "tools/call", {"name": name, "arguments": arguments}, answer
