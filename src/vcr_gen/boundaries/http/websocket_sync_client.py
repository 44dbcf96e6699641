"""The front for `websockets.sync.client.connect`, and the bridge that opens real connections."""

import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, TypeVar, final

from websockets.sync import client
from websockets.sync.client import ClientConnection

from vcr_boundaries import VcrWebSockets
from vcr_gen import Cassette
from vcr_gen.boundaries.http.exchanges import HttpError, HttpRequest
from vcr_gen.boundaries.http.library_failures import error_of, failure_of
from vcr_gen.boundaries.http.websocket_connection import Facts, Handshake, Reader, RealFacts
from vcr_gen.boundaries.http.websocket_handshake import opening_of
from vcr_gen.boundaries.http.websocket_messages import Parts, as_received, as_sent, is_whole
from vcr_gen.boundaries.http.websocket_ports import Opened
from vcr_gen.errors import DivergenceError

T = TypeVar("T")


def connect_on(cassette: Cassette) -> Callable[..., Any]:
    """A replacement for `connect` in a program."""
    sockets = VcrWebSockets.attach(cassette, _Bridge)

    def connect(uri: str, **options: Any) -> Any:
        handshake = Handshake(uri, options)
        legacy = options.get("legacy")
        if legacy is False and hasattr(client, "reconnect"):
            del options["legacy"]
            return _reconnect()(sockets, handshake, uri, options)
        connection = _open(
            sockets, handshake, lambda: client.connect(uri, **options), options.get("logger")
        )
        connection.pending_legacy_warning = legacy is None and hasattr(client, "reconnect")
        return connection

    return connect


def _open(
    sockets: VcrWebSockets,
    handshake: Handshake,
    real: Callable[[], ClientConnection],
    logger: Any,
) -> "_Connection":
    attempt = _Attempt(real)
    opened = _checked(lambda: sockets.connect(handshake.described(), native=attempt))
    return _Connection(opened, handshake, attempt.connection, logger)


@cache
def _reconnect() -> Any:
    """The class of websockets that opens connections repeatedly, which came with 17.1."""

    class Reconnect(client.reconnect):
        def __init__(
            self, sockets: VcrWebSockets, handshake: Handshake, uri: str, options: dict[str, Any]
        ) -> None:
            self._sockets = sockets
            self._handshake = handshake
            super().__init__(uri, **options)

        def connect(self) -> ClientConnection:
            return _open(self._sockets, self._handshake, super().connect, self.logger)

    return Reconnect


@final
class _Attempt:
    """An attempt to open a connection."""

    def __init__(self, real: Callable[[], ClientConnection]) -> None:
        self._real = real
        self.connection: ClientConnection | None = None
        """The real connection, while recording."""

    def open(self) -> ClientConnection:
        """Open the real connection."""
        self.connection = self._real()
        self.connection.pending_legacy_warning = False  # that is for the program's own
        return self.connection


class _Connection(Facts, ClientConnection):  # type: ignore[misc,override]  # see Facts
    """A connection in the shape of websockets, whose messages cross the boundary."""

    if not hasattr(ClientConnection, "maybe_raise_legacy_warning"):  # before websockets 17

        def maybe_raise_legacy_warning(self) -> None: ...

    def recv(self, timeout: float | None = None, decode: bool | None = None) -> Any:
        """Receive the next message."""
        self.maybe_raise_legacy_warning()
        self._claim("recv", "thread")
        self._reader.timeout, self._reader.decode = timeout, decode
        try:
            if self._messages is None:
                self._messages = self._socket.receive(native=self._reader)
            return as_received(_checked(lambda: next(self._messages)), decode)
        finally:
            self._is_read = False

    def recv_streaming(self, decode: bool | None = None) -> Iterator[Any]:
        """Receive the next message in its frames."""
        self.maybe_raise_legacy_warning()
        self._claim("recv_streaming", "thread")
        fragments = self._socket.receive_fragments(native=decode)
        while True:
            try:
                fragment = _checked(lambda: next(fragments))
            except StopIteration:
                self._is_read = False
                return
            yield fragment

    def send(self, message: Any, text: bool | None = None) -> None:
        """Send a message, in several frames if it is given in several parts."""
        self.maybe_raise_legacy_warning()
        if is_whole(message):
            options = {} if text is None else {"text": text}
            _checked(lambda: self._socket.send(as_sent(message, text), native=(message, options)))
            return
        parts = Parts(message)
        try:
            _checked(lambda: self._socket.send_fragments(parts.each, text=text))
        except Exception:
            if parts.error is None:
                raise
        else:
            return
        raise parts.error

    def ping(self, data: Any = None, *, ack_on_close: bool = False) -> threading.Event:
        """Send a ping; the event is set when the answer comes."""
        self.maybe_raise_legacy_warning()
        options = {"ack_on_close": True} if ack_on_close else {}
        return _Acknowledged(_checked(lambda: self._socket.ping(data, native=(data, options))))

    def pong(self, data: Any = b"") -> None:
        """Send an answer that was not asked for."""
        self.maybe_raise_legacy_warning()
        _checked(lambda: self._socket.pong(data, native=data))

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Close the connection."""
        self.maybe_raise_legacy_warning()
        _checked(lambda: self._socket.close(int(code), reason))

    def wait_closed(self, timeout: float | None = None) -> Any:
        """Wait until the connection is closed."""
        return _checked(lambda: self._socket.wait_closed(native=timeout))

    def __exit__(self, *error: Any) -> None:
        if not isinstance(error[1], DivergenceError):  # which closing would only raise again
            super().__exit__(*error)


class _Acknowledged(threading.Event):
    """Is set when the answer to a ping comes."""

    def __init__(self, ping: Any) -> None:
        super().__init__()
        self._ping = ping

    def wait(self, timeout: float | None = None) -> bool:
        return bool(_checked(lambda: self._ping.wait(native=timeout)))

    def is_set(self) -> bool:
        return bool(_checked(self._ping.is_set))


def _checked(call: Callable[[], T]) -> T:
    """The result of a call, or the exception of websockets."""
    try:
        return call()
    except HttpError as failed:
        error = error_of(failed)
    raise error


@final
class _Bridge:
    """Opens real connections."""

    def connect(self, request: HttpRequest, *, native: _Attempt) -> Opened:
        connection = _stored(native.open)
        return Opened(_RealSocket(connection), opening_of(connection, request.url))


@final
class _RealSocket(RealFacts):
    """A real connection."""

    _connection: ClientConnection

    def send(self, message: object, *, native: tuple[Any, dict[str, Any]]) -> None:
        real, options = native
        _stored(lambda: self._connection.send(real, **options))

    def send_fragments(self, fragments: Any, *, text: bool | None) -> None:
        options = {} if text is None else {"text": text}
        _stored(lambda: self._connection.send(fragments, **options))

    def receive(self, *, native: Reader) -> Iterator[Any]:
        return _Messages(self._connection, native)

    def receive_fragments(self, *, native: bool | None) -> Iterator[Any]:
        options = {} if native is None else {"decode": native}
        fragments = self._connection.recv_streaming(**options)
        while True:
            try:
                fragment = _stored(lambda: next(fragments))
            except StopIteration:
                return
            yield fragment

    def ping(self, data: object, *, native: tuple[Any, dict[str, Any]]) -> "_Ping":
        real, options = native
        return _Ping(_stored(lambda: self._connection.ping(real, **options)))

    def pong(self, data: object, *, native: Any) -> None:
        _stored(lambda: self._connection.pong(native))

    def close(self, code: int, reason: str) -> None:
        _stored(lambda: self._connection.close(code, reason))

    def wait_closed(self, *, native: float | None) -> bool | None:
        options = {} if native is None else {"timeout": native}
        return _stored(lambda: self._connection.wait_closed(**options))


@final
class _Messages:
    """The messages of a connection. A timeout does not end them."""

    def __init__(self, connection: ClientConnection, reader: Reader) -> None:
        self._connection = connection
        self._reader = reader

    def __iter__(self) -> "_Messages":
        return self

    def __next__(self) -> Any:
        options = {} if self._reader.decode is None else {"decode": self._reader.decode}
        return _stored(lambda: self._connection.recv(self._reader.timeout, **options))


@final
class _Ping:
    """A ping that was sent."""

    def __init__(self, answered: threading.Event) -> None:
        self._answered = answered

    def wait(self, *, native: float | None) -> bool:
        return self._answered.wait(native)

    def is_set(self) -> bool:
        return self._answered.is_set()


def _stored(call: Callable[[], T]) -> T:
    """The result of a real call, or its exception as the tape keeps it."""
    try:
        return call()
    except StopIteration:
        raise
    except Exception as error:
        raise failure_of(error) from None
