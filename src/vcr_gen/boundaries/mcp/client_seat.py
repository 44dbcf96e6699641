"""The seat of a client: its server is recorded, or played from the tape."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, Protocol, final

import anyio

from vcr_boundaries import VcrMcpClient, VcrMcpServer
from vcr_gen import Cassette, Driver, Repeat, Rule, Volatile
from vcr_gen.boundaries.mcp.client_abilities import AbleClient
from vcr_gen.boundaries.mcp.faults import Breakable, Fault, FaultyServer
from vcr_gen.boundaries.mcp.ports import McpClient, Progress
from vcr_gen.boundaries.mcp.rpc_endpoint import Endpoint, Handler
from vcr_gen.boundaries.mcp.rpc_messages import Message, Result, RpcError
from vcr_gen.errors import DivergenceError

_PAUSE: Final = 0.001
"""Seconds in which an idle loop can deliver a message."""
_PROGRESS: Final = Rule("server.request", "progress", Volatile)
"""Whether a client wants to hear of progress is not compared."""
_ABILITIES: Final = Rule("server", "message.params._meta", Volatile)
"""The fields that a client of 2026 adds to each request: its abilities and its log level."""
_HANDSHAKE: Final = tuple(
    Rule("server.request", f"message.params.{name}", Volatile)
    for name in ("protocolVersion", "capabilities")
)
"""The abilities of the client in another tool's recording: a different one may replay it."""

ANSWERS_TO_UNASKED: Final[Mapping[str, dict[str, Any] | RpcError]] = MappingProxyType(
    {
        "server/discover": RpcError(-32601, "Method not found"),
        "tools/list": {"tools": []},
    }
)
"""Requests that the SDK's client makes on its own, with answers if the recorded client did not."""


class Client(McpClient, Protocol):
    """Reaches a client: by the frames of a wire, or as a server of the SDK does."""

    handler: Handler
    """Answers what the client asks."""


@final
class ClientSeat:
    """The requests of a client and its server pass through the wrappers.

    `client` and `server` are the ends that receive the frames of each; `server` is used only
    while recording. `faults` break the answers to a client, through its `connection`.
    """

    def __init__(
        self,
        cassette: Cassette,
        client: Client,
        server: Endpoint | None,
        *,
        faults: Sequence[Fault] = (),
        connection: Breakable | None = None,
    ) -> None:
        self._client = client
        able = None
        if server is None and cassette.leftovers:  # clients other than the recorded one are served
            able = AbleClient(client)
        told = VcrMcpClient(cassette=cassette, inner=able or client)
        self._told = told
        if server is not None:
            server.handler = told
            client.handler = VcrMcpServer(cassette=cassette, inner=server)
        else:
            cassette.loosen(_PROGRESS, default=True)
            if able is not None:
                cassette.loosen(_ABILITIES, Repeat("server"), default=True)
            if cassette.imported is not None:
                cassette.loosen(*_HANDSHAKE, default=True)
            client.handler = _Heard(VcrMcpServer(cassette=cassette), _unasked(cassette), able)
            self._driver = Driver(cassette, told)
        if faults and connection is not None:
            client.handler = FaultyServer(client.handler, faults, connection)

    async def play_server(self) -> None:
        """Ask the client what the server asked in the recording, until the end of the tape."""
        with suppress(DivergenceError):  # the client is told, and the cassette raises it at its end
            await self._driver.run()

    async def play_last_words(self) -> None:
        """Say what the server said while its client was leaving."""
        while self._driver.is_due:
            await anyio.sleep(_PAUSE)

    async def server_has_ended(self) -> None:
        """Record that the server has ended by itself."""
        await self._told.closed()


def _unasked(cassette: Cassette) -> Collection[str]:
    """The requests that the client in another tool's recording never made."""
    found: Any = (cassette.imported or {}).get("unasked", [])
    return frozenset(map(str, found)) if isinstance(found, list) else ()


@final
class _Heard:
    """A replayed server, which reports its recorded progress even if the client does not listen."""

    def __init__(
        self, server: Handler, unasked: Collection[str], client: AbleClient | None
    ) -> None:
        self._server = server
        self._unasked = unasked
        self._client = client
        self.notify = server.notify

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Ask the server."""
        if self._client is not None and message.method == "initialize":
            self._client.introduces_itself(message)
        if message.method in self._unasked and message.method in ANSWERS_TO_UNASKED:
            answer = ANSWERS_TO_UNASKED[message.method]
            if isinstance(answer, RpcError):
                raise answer
            return answer

        async def unheard(*_: object, **__: object) -> None:
            pass

        return await self._server.request(message, progress or unheard)
