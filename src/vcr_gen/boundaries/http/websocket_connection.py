"""The members that connections of both websockets clients share."""

import logging
import weakref
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from websockets.datastructures import Headers
from websockets.exceptions import ConcurrencyError
from websockets.protocol import State

from vcr_gen.boundaries.http.exchanges import HttpRequest
from vcr_gen.boundaries.http.websocket_handshake import (
    Opening,
    describe_handshake,
    request_of,
    response_from,
)
from vcr_gen.errors import UsageError

_INSIDES: Final = frozenset(
    {
        "close_exc",
        "close_timeout",
        "debug",
        "loop",
        "max_queue_high",
        "max_queue_low",
        "ping_interval",
        "ping_timeout",
        "protocol",
        "recv_events_thread",
        "recv_messages",
        "socket",
        "transport",
    }
)
"""Members of websockets' connections that are not recorded."""


class Handshake:
    """The options of a program for opening a connection."""

    def __init__(self, uri: str, options: dict[str, Any]) -> None:
        if options.get("create_connection") is not None:
            raise UsageError(
                "create_connection: a recorded connection cannot be of the program's own class"
                "\n\nhint: wrap the connection instead of deriving from its class"
            )
        if options.get("additional_headers") is not None:  # an iterator can be read only once
            options["additional_headers"] = Headers(options["additional_headers"])
        self.uri = uri
        self._options: Mapping[str, Any] = options

    def described(self) -> HttpRequest:
        """The request as the cassette has it."""
        return describe_handshake(self.uri, request_of(self.uri, self._options))

    def request(self, opening: Opening) -> Any:
        """The request that was answered, as an object of websockets."""
        return request_of(opening.redirected_to or self.uri, self._options)


class Reader:
    """How the program asks for the next message."""

    timeout: float | None = None
    decode: bool | None = None


class RealFacts:
    """The answers that the bridges of both clients share, from a real connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    @property
    def state(self) -> str:
        """The name of a `State`."""
        state: State = self._connection.state
        return state.name

    @property
    def close_code(self) -> int | None:
        """The code of the frame that closed it."""
        code: int | None = self._connection.close_code
        return code

    @property
    def close_reason(self) -> str | None:
        """The reason in that frame."""
        reason: str | None = self._connection.close_reason
        return reason

    @property
    def latency(self) -> float:
        """Seconds that the last answered ping took."""
        latency: float = self._connection.latency
        return latency


class Facts:
    """A connection without its messages; the state and the latency are asked of the boundary.

    Type checkers must be told that these win over the attributes of websockets' own class.
    """

    def __init__(self, opened: Any, handshake: Handshake, real: Any, logger: Any) -> None:
        opening = opened.opening
        self._socket = opened.socket
        self._opening = opening
        self._reader = Reader()
        self._messages: Any = None
        self._is_read = False
        self.id = opening.id
        logger = logger or logging.getLogger("websockets.client")
        self.logger = logging.LoggerAdapter(logger, {"websocket": weakref.proxy(self)})
        self.request = real.request if real else handshake.request(opening)
        self.response = real.response if real else response_from(opening.response)

    @property
    def local_address(self) -> Any:
        """The address of the client."""
        return self._opening.local_address

    @property
    def remote_address(self) -> Any:
        """The address of the server."""
        return self._opening.remote_address

    @property
    def subprotocol(self) -> Any:
        """The subprotocol that the server chose."""
        return self.response.headers.get("Sec-WebSocket-Protocol")

    @property
    def state(self) -> State:
        """The state of the connection."""
        return State[self._socket.state]

    @property
    def close_code(self) -> int | None:
        """The code that the server closed the connection with."""
        code: int | None = self._socket.close_code
        return code

    @property
    def close_reason(self) -> str | None:
        """The reason that the server gave."""
        reason: str | None = self._socket.close_reason
        return reason

    @property
    def latency(self) -> float:
        """How long the last ping took, in seconds."""
        latency: float = self._socket.latency
        return latency

    def __getattr__(self, name: str) -> NoReturn:
        if name in _INSIDES:
            raise UsageError(
                f"`{name}` of a WebSocket connection is not recorded"
                "\n\nhint: use what websockets documents: send, recv, ping, close, state, …"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _claim(self, method: str, kind: str) -> None:
        """Begin to read; websockets allows one reader at a time."""
        if self._is_read:
            raise ConcurrencyError(
                f"cannot call {method} while another {kind} "
                "is already running recv or recv_streaming"
            )
        self._is_read = True
