"""WebSockets as a boundary: the program opens a connection, sends messages and receives some."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, TypeAlias

from vcr_gen.boundaries.http.exchanges import HttpRequest
from vcr_gen.boundaries.http.websocket_handshake import ComparedOpening
from vcr_gen.boundaries.http.websocket_messages import Answer, Message, Sendable, SentFragment
from vcr_gen.boundary import Shown, Unrecorded, Volatile, outbound

ShownHandshake: TypeAlias = Annotated[HttpRequest, Shown("{url}", name="{url}")]
Native: TypeAlias = Annotated[Any, Unrecorded]
"""What only the bridge uses: arguments as the program gave them, and timeouts."""


Fragments: TypeAlias = Iterator[SentFragment] | AsyncIterator[SentFragment]
"""The parts of a message; asynchronous ones only in an event loop."""


@outbound(name="ping")
class Ping(Protocol):
    """A ping that was sent."""

    def wait(self, *, native: Native) -> bool:
        """Wait for the answer; False if it did not come in time."""
        ...

    def is_set(self) -> bool:
        """Whether the answer has come."""
        ...


class State(Protocol):
    """The operations of a connection."""

    @property
    def state(self) -> str:
        """The name of the state, such as `OPEN`."""
        ...

    @property
    def close_code(self) -> int | None:
        """The code that the server closed with; None while open."""
        ...

    @property
    def close_reason(self) -> str | None:
        """The reason that the server gave; None while open."""
        ...

    @property
    def latency(self) -> Annotated[float, Volatile]:
        """How long the last ping took."""
        ...


@outbound(name="websocket")
class WebSocket(State, Protocol):
    """An open connection."""

    def send(self, message: Sendable, *, native: Native) -> None:
        """Send a message in one frame."""
        ...

    def send_fragments(self, fragments: Fragments, *, text: bool | None) -> None:
        """Send a message in several frames."""
        ...

    def receive(self, *, native: Native) -> Iterator[Message]:
        """The messages, each when the program asks; `native` says how it does."""
        ...

    def receive_fragments(self, *, native: Native) -> Iterator[str | bytes]:
        """The next message in its frames."""
        ...

    def ping(self, data: Sendable, *, native: Native) -> Ping:
        """Send a ping."""
        ...

    def pong(self, data: Sendable, *, native: Native) -> None:
        """Send an answer that was not asked for."""
        ...

    def close(self, code: int, reason: str) -> None:
        """Close the connection."""
        ...

    def wait_closed(self, *, native: Native) -> bool | None:
        """Wait until the connection is closed; False if it was not in time."""
        ...


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection and the facts of its handshake."""

    socket: WebSocket
    opening: ComparedOpening


ShownOpened: TypeAlias = Annotated[Opened, Shown("{opening.response.head}")]


@outbound(name="ws")
class WebSockets(Protocol):
    """Opens connections."""

    def connect(self, request: ShownHandshake, *, native: Native) -> ShownOpened:
        """Open a connection."""
        ...


@outbound(name="pong")
class AsyncPong(Protocol):
    """The answer to a ping, which may not have arrived yet."""

    def arrival(self) -> asyncio.Future[Answer]:
        """Completes when the answer comes."""
        ...


@outbound(name="websocket")
class AsyncWebSocket(State, Protocol):
    """An open connection of an event loop."""

    async def send(self, message: Sendable, *, native: Native) -> None:
        """Send a message in one frame."""
        ...

    async def send_fragments(self, fragments: Fragments, *, text: bool | None) -> None:
        """Send a message in several frames."""
        ...

    def receive(self, *, native: Native) -> AsyncIterator[Message]:
        """The messages, each when the program asks; `native` says how it does."""
        ...

    def receive_fragments(self, *, native: Native) -> AsyncIterator[str | bytes]:
        """The next message in its frames."""
        ...

    async def ping(self, data: Sendable, *, native: Native) -> AsyncPong:
        """Send a ping."""
        ...

    async def pong(self, data: Sendable, *, native: Native) -> None:
        """Send an answer that was not asked for."""
        ...

    async def close(self, code: int, reason: str) -> None:
        """Close the connection."""
        ...

    async def wait_closed(self, *, native: Native) -> None:
        """Wait until the connection is closed."""
        ...


@dataclass(frozen=True, slots=True)
class AsyncOpened:
    """A connection and the facts of its handshake."""

    socket: AsyncWebSocket
    opening: ComparedOpening


ShownAsyncOpened: TypeAlias = Annotated[AsyncOpened, Shown("{opening.response.head}")]


@outbound(name="ws")
class AsyncWebSockets(Protocol):
    """Opens connections from an event loop."""

    async def connect(self, request: ShownHandshake, *, native: Native) -> ShownAsyncOpened:
        """Open a connection."""
        ...
