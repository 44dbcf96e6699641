"""Serves a recorded session to a client over the HTTP+SSE transport of 2024, on loopback."""

import asyncio
from collections.abc import Sequence
from typing import Final, final

import anyio
from anyio.abc import TaskGroup
from mcp.server.sse import SseServerTransport
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.breakable_responses import BreakableResponses
from vcr_gen.boundaries.mcp.client_seat import ClientSeat
from vcr_gen.boundaries.mcp.faults import Fault
from vcr_gen.boundaries.mcp.loopback_server import SECURITY, LoopbackServer
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint
from vcr_gen.boundaries.mcp.sdk_streams import StreamWire

_STREAM: Final = "/sse"
_MESSAGES: Final = "/messages/"


def serve_sse(cassette: Cassette, port: int, *, faults: Sequence[Fault] = ()) -> None:
    """Answer a client at `http://127.0.0.1:PORT/sse`, until a signal ends the process."""
    asyncio.run(_serve(cassette, LoopbackServer(port), faults))


async def _serve(cassette: Cassette, server: LoopbackServer, faults: Sequence[Fault]) -> None:
    with cassette.peer() as peer:
        async with anyio.create_task_group() as tasks:
            streams = _Streams(cassette, tasks, server, faults)
            # A class, and no function: Starlette would take a function for one of requests.
            routes = [
                Route(_STREAM, endpoint=streams, methods=["GET"]),
                Mount(_MESSAGES, app=streams.transport.handle_post_message),
            ]
            app = streams.responses.of(Starlette(routes=routes))
            await server.run(app, f"serving at {server.origin}{_STREAM}")
            peer.gone()


@final
class _Streams:
    """The stream of the client, an ASGI application; a second one is refused."""

    def __init__(
        self, cassette: Cassette, tasks: TaskGroup, server: LoopbackServer, faults: Sequence[Fault]
    ) -> None:
        self.transport: Final = SseServerTransport(_MESSAGES, SECURITY)
        self._cassette = cassette
        self._tasks = tasks
        self._server = server
        self._faults = faults
        self.responses: Final = BreakableResponses()
        self._is_taken = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._is_taken:
            refusal = PlainTextResponse("vcr-gen: the recorded session has a client", 409)
            await refusal(scope, receive, send)
            return
        async with self.transport.connect_sse(scope, receive, send) as (reads, writes):
            self._is_taken = True
            wire = StreamWire(reads, writes)
            client = Endpoint(self._tasks, _OnlyStream(wire, self._server))
            seat = ClientSeat(
                self._cassette, client, None, faults=self._faults, connection=self.responses
            )
            self._tasks.start_soon(seat.play_server)
            await wire.pass_to(client)
            await client.left()


@final
class _OnlyStream:
    """The stream of the client; the server ends with it."""

    def __init__(self, wire: StreamWire, server: LoopbackServer) -> None:
        self._wire = wire
        self._server = server
        self.send = wire.send

    async def close(self) -> None:
        """End as the recorded server did."""
        await self._wire.close()
        self._server.stop()
