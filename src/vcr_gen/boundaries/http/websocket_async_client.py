"""The front for `websockets.asyncio.client.connect`, and the bridge that opens real connections."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, TypeVar, final

from websockets.asyncio.client import ClientConnection, connect

from vcr_boundaries import VcrAsyncWebSockets
from vcr_gen import Cassette
from vcr_gen.boundaries.http.exchanges import HttpError, HttpRequest
from vcr_gen.boundaries.http.library_failures import error_of, failure_of
from vcr_gen.boundaries.http.websocket_connection import Facts, Handshake, Reader, RealFacts
from vcr_gen.boundaries.http.websocket_handshake import opening_of
from vcr_gen.boundaries.http.websocket_messages import Parts, as_received, as_sent, is_whole
from vcr_gen.boundaries.http.websocket_ports import AsyncOpened
from vcr_gen.errors import DivergenceError

T = TypeVar("T")


def connect_on(cassette: Cassette) -> Callable[..., Any]:
    """A replacement for `connect` in a program."""
    return partial(_Connect, VcrAsyncWebSockets.attach(cassette, _Bridge))


class _Connect(connect):
    """Opens connections as websockets does, also repeatedly, but through the boundary."""

    def __init__(self, sockets: VcrAsyncWebSockets, uri: str, **options: Any) -> None:
        self._sockets = sockets
        self._handshake = Handshake(uri, options)
        super().__init__(uri, **options)

    async def connect(self) -> ClientConnection:
        """Open a connection; websockets 17 and newer call this."""
        return await self._open(super().connect)

    async def __await_impl__(self) -> ClientConnection:
        """Open a connection; websockets before 17 calls this."""
        real = super().__await_impl__  # type: ignore[misc]
        self.connection = await self._open(real)
        return self.connection

    async def __aexit__(self, *error: Any) -> None:
        if not isinstance(error[1], DivergenceError):  # which closing would only raise again
            await super().__aexit__(*error)

    async def _open(self, real: Callable[[], Awaitable[ClientConnection]]) -> "_Connection":
        attempt = _Attempt(real)
        opened = await _checked(self._sockets.connect(self._handshake.described(), native=attempt))
        return _Connection(opened, self._handshake, attempt.connection, self.logger)


@final
class _Attempt:
    """An attempt to open a connection."""

    def __init__(self, real: Callable[[], Awaitable[ClientConnection]]) -> None:
        self._real = real
        self.connection: ClientConnection | None = None
        """The real connection, while recording."""

    async def open(self) -> ClientConnection:
        """Open the real connection."""
        self.connection = await self._real()
        return self.connection


class _Connection(Facts, ClientConnection):  # type: ignore[misc,override]  # see Facts
    """A connection in the shape of websockets, whose messages cross the boundary."""

    _may_have_left_one = False
    """Whether a cancelled reader may have left a message that had arrived."""

    async def recv(self, decode: bool | None = None) -> Any:
        """Receive the next message."""
        self._claim("recv", "coroutine")
        self._reader.decode = decode
        try:
            if self._messages is None:
                self._messages = self._socket.receive(native=self._reader)
            message = await _checked(anext(self._messages))
        except asyncio.CancelledError:
            self._may_have_left_one = True
            raise
        else:
            self._may_have_left_one = False
            return as_received(message, decode)
        finally:
            self._is_read = False

    async def recv_streaming(self, decode: bool | None = None) -> AsyncIterator[Any]:
        """Receive the next message in its frames."""
        if self._may_have_left_one:  # that is the next message, and it is whole
            yield await self.recv(decode)
            return
        self._claim("recv_streaming", "coroutine")
        fragments = self._socket.receive_fragments(native=decode)
        try:
            fragment = await _checked(anext(fragments))
        except asyncio.CancelledError:  # nothing is lost
            self._is_read = False
            raise
        while True:
            yield fragment
            try:
                fragment = await _checked(anext(fragments))
            except StopAsyncIteration:
                self._is_read = False
                return

    async def send(self, message: Any, text: bool | None = None) -> None:
        """Send a message, in several frames if it is given in several parts."""
        if is_whole(message):
            options = {} if text is None else {"text": text}
            await _checked(self._socket.send(as_sent(message, text), native=(message, options)))
            return
        parts = Parts(message)
        try:
            await _checked(self._socket.send_fragments(parts.each, text=text))
        except Exception:
            if parts.error is None:
                raise
        else:
            return
        raise parts.error

    async def ping(self, data: Any = None) -> Awaitable[float]:
        """Send a ping; the result completes when the answer comes."""
        pong = await _checked(self._socket.ping(data, native=data))
        latency: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        pong.arrival().add_done_callback(partial(_settle, latency))
        return latency

    async def pong(self, data: Any = b"") -> None:
        """Send an answer that was not asked for."""
        await _checked(self._socket.pong(data, native=data))

    async def close(self, code: int = 1000, reason: str = "") -> None:
        """Close the connection."""
        await _checked(self._socket.close(int(code), reason))

    async def wait_closed(self) -> None:
        """Wait until the connection is closed."""
        await _checked(self._socket.wait_closed(native=None))


async def _checked(call: Awaitable[T]) -> T:
    """The result of a call, or the exception of websockets."""
    try:
        return await call
    except HttpError as failed:
        error = error_of(failed)
    raise error


def _settle(latency: "asyncio.Future[float]", answered: "asyncio.Future[Any]") -> None:
    """End a ping of the program as its answer ended."""
    if latency.done():
        return
    if answered.cancelled():
        latency.cancel()
    elif (error := answered.exception()) is not None:
        latency.set_exception(error)
    elif isinstance(answer := answered.result(), HttpError):
        latency.set_exception(error_of(answer))
        latency.cancel()  # as websockets does: a program need not await it
    else:
        latency.set_result(answer)


@final
class _Bridge:
    """Opens real connections."""

    async def connect(self, request: HttpRequest, *, native: _Attempt) -> AsyncOpened:
        connection = await _stored(native.open())
        return AsyncOpened(_RealSocket(connection), opening_of(connection, request.url))


@final
class _RealSocket(RealFacts):
    """A real connection."""

    _connection: ClientConnection

    async def send(self, message: object, *, native: tuple[Any, dict[str, Any]]) -> None:
        real, options = native
        await _stored(self._connection.send(real, **options))

    async def send_fragments(self, fragments: Any, *, text: bool | None) -> None:
        options = {} if text is None else {"text": text}
        await _stored(self._connection.send(fragments, **options))

    def receive(self, *, native: Reader) -> AsyncIterator[Any]:
        return _Messages(self._connection, native)

    async def receive_fragments(self, *, native: bool | None) -> AsyncIterator[Any]:
        options = {} if native is None else {"decode": native}
        fragments = self._connection.recv_streaming(**options)
        while True:
            try:
                fragment = await _stored(anext(fragments))
            except StopAsyncIteration:
                return
            yield fragment

    async def ping(self, data: object, *, native: Any) -> "_Pong":
        return _Pong(await _stored(self._connection.ping(native)))

    async def pong(self, data: object, *, native: Any) -> None:
        await _stored(self._connection.pong(native))

    async def close(self, code: int, reason: str) -> None:
        await _stored(self._connection.close(code, reason))

    async def wait_closed(self, *, native: None) -> None:
        await _stored(self._connection.wait_closed())


@final
class _Messages:
    """The messages of a connection. A reader that is cancelled takes none with it."""

    def __init__(self, connection: ClientConnection, reader: Reader) -> None:
        self._connection = connection
        self._reader = reader

    def __aiter__(self) -> "_Messages":
        return self

    async def __anext__(self) -> Any:
        decode = self._reader.decode
        options = {} if decode is None else {"decode": decode}
        return await _stored(self._connection.recv(**options))


@final
class _Pong:
    """The answer to a ping."""

    def __init__(self, latency: Awaitable[float]) -> None:
        self._latency = latency

    def arrival(self) -> "asyncio.Future[float | HttpError]":
        return asyncio.ensure_future(self._answer())

    async def _answer(self) -> float | HttpError:
        try:
            return await self._latency
        except Exception as error:
            return failure_of(error)


async def _stored(call: Awaitable[T]) -> T:
    """The result of a real call, or its exception as the tape keeps it."""
    try:
        return await call
    except StopAsyncIteration:
        raise
    except Exception as error:
        raise failure_of(error) from None
