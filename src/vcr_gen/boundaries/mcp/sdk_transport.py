"""A transport for clients of the official SDK."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Any, TypeAlias, final

import anyio
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint, Frame

__all__ = ["Streams", "transport"]

Streams: TypeAlias = tuple[Any, Any]
"""What a transport of the SDK gives: a stream to read from and one to write to."""


@asynccontextmanager
async def transport(
    cassette: Cassette, server: Sequence[str] | str | AbstractAsyncContextManager[Streams]
) -> AsyncIterator[Streams]:
    """Connect a client to the real server while recording, and to the tape in a replay."""
    to_client, client_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    client_writes, from_client = anyio.create_memory_object_stream[SessionMessage](0)
    async with AsyncExitStack() as stack:
        server_wire = None
        if cassette.calls_real:
            server_wire = _Wire(*await stack.enter_async_context(_real(server)))
        tasks = await stack.enter_async_context(anyio.create_task_group())
        client_wire = _Wire(from_client, to_client)
        client = Endpoint(tasks, client_wire)
        server_end = None if server_wire is None else Endpoint(tasks, server_wire)
        seat = ClientSeat(cassette, client, server_end)
        tasks.start_soon(client_wire.pass_to, client)
        if server_wire is not None and server_end is not None:
            tasks.start_soon(_hear_server, server_wire, server_end, seat)
        else:
            tasks.start_soon(seat.play_server)
        try:
            yield client_reads, client_writes
        finally:
            tasks.cancel_scope.cancel()
            for stream in (to_client, client_reads, client_writes, from_client):
                stream.close()


def _real(
    server: Sequence[str] | str | AbstractAsyncContextManager[Streams],
) -> AbstractAsyncContextManager[Streams]:
    if isinstance(server, str):
        return streamable_http_client(server)
    if not isinstance(server, Sequence):
        return server
    command, *arguments = server
    parameters = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    return stdio_client(parameters)


async def _hear_server(wire: "_Wire", server: Endpoint, seat: ClientSeat) -> None:
    await wire.pass_to(server)
    await seat.server_has_ended()


@final
class _Wire:
    """Frames over the two streams of a transport."""

    def __init__(self, reads: Any, writes: Any) -> None:
        self._reads = reads
        self._writes = writes

    async def send(self, frame: Frame, metadata: Any = None) -> None:
        message = jsonrpc_message_adapter.validate_python(frame, by_name=False)
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):  # it has left
            await self._writes.send(SessionMessage(message, metadata))

    async def close(self) -> None:
        await self._writes.aclose()

    async def pass_to(self, end: Endpoint) -> None:
        """Pass on what that side says, until it leaves."""
        async for item in self._reads:
            if isinstance(item, SessionMessage):
                frame = item.message.model_dump(by_alias=True, exclude_unset=True)
                await end.receive(frame, item.metadata)
