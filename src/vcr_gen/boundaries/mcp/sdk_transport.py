"""A transport for clients of the official SDK."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext

import anyio
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.faults import Fault
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint
from vcr_gen.boundaries.mcp.sdk_streams import Streams, StreamWire


@asynccontextmanager
async def transport(
    cassette: Cassette,
    server: Sequence[str] | str | AbstractAsyncContextManager[Streams],
    name: str,
    faults: Sequence[Fault] = (),
) -> AsyncIterator[Streams]:
    """Connect a client to the real server while recording, and to the tape in a replay."""
    to_client, client_reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    client_writes, from_client = anyio.create_memory_object_stream[SessionMessage](0)
    async with AsyncExitStack() as stack:
        server_wire = None
        if cassette.calls_real:
            server_wire = StreamWire(*await stack.enter_async_context(_real(server)))
        tasks = await stack.enter_async_context(anyio.create_task_group())
        client_wire = StreamWire(from_client, to_client)
        client = Endpoint(tasks, client_wire, is_recorded=cassette.calls_real)
        server_end = None if server_wire is None else Endpoint(tasks, server_wire, is_recorded=True)
        with cassette.naming(name) if name else nullcontext():
            seat = ClientSeat(cassette, client, server_end, faults=faults, connection=client_wire)
        tasks.start_soon(client_wire.pass_to, client)
        if server_wire is not None and server_end is not None:
            tasks.start_soon(_hear_server, server_wire, server_end, seat)
        else:
            tasks.start_soon(seat.play_server)
        try:
            yield client_reads, client_writes
            if server_wire is None:
                client_reads.close()
                await seat.play_last_words()
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


async def _hear_server(wire: StreamWire, server: Endpoint, seat: ClientSeat) -> None:
    await wire.pass_to(server)
    await seat.server_has_ended()
