"""The seat of a client: its server is recorded, or played from the tape."""

from contextlib import suppress
from typing import Protocol, final

from vcr_boundaries import VcrMcpClient, VcrMcpServer
from vcr_gen import Cassette, Driver
from vcr_gen.boundaries.mcp.ports import Progress
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint, Handler
from vcr_gen.boundaries.mcp.rpc_messages import Message, Result
from vcr_gen.errors import DivergenceError

__all__ = ["ClientSeat"]


class Client(Protocol):
    """Reaches a client: by the frames of a wire, or as a server of the SDK does."""

    handler: Handler
    """Answers what the client asks."""

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Ask the client."""

    async def notify(self, message: Message) -> None:
        """Tell the client something."""

    async def closed(self) -> None:
        """Tell the client that nothing will follow."""


@final
class ClientSeat:
    """What a client and its server ask of each other passes the wrappers.

    `client` and `server` are the ends that receive the frames of each; `server` is used only
    while recording.
    """

    def __init__(self, cassette: Cassette, client: Client, server: Endpoint | None) -> None:
        self._client = client
        told = VcrMcpClient(cassette=cassette, inner=client)
        self._cassette = cassette
        self._told = told
        if server is not None:
            server.handler = told
            client.handler = VcrMcpServer(cassette=cassette, inner=server)
        else:
            client.handler = VcrMcpServer(cassette=cassette)

    async def play_server(self) -> None:
        """Ask the client what the server asked in the recording, until the end of the tape."""
        with suppress(DivergenceError):  # the client is told, and the cassette raises it at its end
            await Driver(self._cassette, self._told).run()

    async def server_has_ended(self) -> None:
        """Record that the server has ended by itself."""
        await self._told.closed()
