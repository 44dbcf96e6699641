"""MCP, ready to use: record a session with a server once, then replay it or serve it."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeAlias, final

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.request_matching import mcp_matching
from vcr_gen.boundaries.mcp.rpc_messages import RpcError
from vcr_gen.boundaries.required_packages import require

__all__ = ["McpOnCassette", "RpcError", "Transport", "mcp_matching", "mcp_transport"]

Transport: TypeAlias = AbstractAsyncContextManager[tuple[Any, Any]]
"""What the `Client` of the official SDK takes: it is entered for two streams of messages."""


def mcp_transport(
    cassette: Cassette,
    server: Sequence[str] | str | Transport,
    *,
    name: str = "",
    faults: Sequence[str] = (),
) -> Transport:
    """A transport for the `Client` of the official SDK.

    `server` is the real server: the command that starts it, its URL, or a transport to it. A
    replay neither starts it nor connects to it. `name` tells it from other servers on the cassette.
    `faults` are what `vcr-gen mcp serve` takes as `--fault`, such as `tools/call@2=timeout`.
    """
    require("mcp", extra="mcp", wanted_by="mcp_transport")
    from vcr_gen.boundaries.mcp.faults import parse_fault
    from vcr_gen.boundaries.mcp.sdk_transport import transport

    return transport(cassette, server, name, [*map(parse_fault, faults)])


@final
class McpOnCassette:
    """MCP on the cassette of a test."""

    def __init__(self, cassette: Cassette) -> None:
        self._cassette = cassette

    def transport(
        self,
        server: Sequence[str] | str | Transport,
        *,
        name: str = "",
        faults: Sequence[str] = (),
    ) -> Transport:
        """A transport for a client, as `mcp_transport`."""
        return mcp_transport(self._cassette, server, name=name, faults=faults)
