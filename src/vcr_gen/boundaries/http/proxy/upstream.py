"""The bridge of the proxy: talks to the real servers, one connection for each exchange."""

import errno
import os
import selectors
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeVar, final

from vcr_gen.boundaries.http.content_encoding import Decoder
from vcr_gen.boundaries.http.exchanges import Failure, HttpError, HttpRequest, HttpResponse
from vcr_gen.boundaries.http.library_failures import failure_of
from vcr_gen.boundaries.http.proxy.http1 import WireRequest, exchange_on

CLIENT_GONE: Final = "ClientGone"
"""The name of the failure of an exchange that the client no longer wanted."""
_AT_ONCE: Final = 1 << 16
_T = TypeVar("_T")


class Client(Protocol):
    """The client that an exchange is for."""

    gone: bool
    """Whether it is known to have closed the connection."""

    def fileno(self) -> int:
        """Its socket."""

    def look(self) -> None:
        """Find out whether it closed the connection, now that the socket has something to read."""


@dataclass(frozen=True, slots=True)
class Server:
    """A real server."""

    scheme: str
    host: str
    port: int

    @property
    def address(self) -> str:
        """The beginning of its URLs."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == {"http": 80, "https": 443}[self.scheme]
        return f"{self.scheme}://{host}" if is_usual else f"{self.scheme}://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request on its way: what is sent, to which server, and for whom."""

    request: WireRequest
    server: Server
    path: str
    client: Client


class _ClientGoneError(Exception):
    """The client closed the connection before it had the whole response."""


@final
class Upstream:
    """Sends requests to the real servers."""

    def __init__(self, trust: ssl.SSLContext) -> None:
        self._trust = trust

    def exchange(self, request: HttpRequest, *, native: Outgoing) -> Iterator[HttpResponse | bytes]:
        """Send the native request; see `vcr_gen.boundaries.http.ports`."""
        connection = _Connection(native.client)
        try:
            connection.open(native.server, self._trust)
            received = exchange_on(connection.send, connection.receive, native.request, native.path)
            decoder = Decoder(())
            for each in received:
                if isinstance(each, HttpResponse):
                    decoder = Decoder(each.headers)
                    yield each
                else:
                    yield from decoder.decode(each)
        except _ClientGoneError as gone:
            message = "the client closed the connection before the end of the response"
            raise HttpError(Failure(CLIENT_GONE, message), gone) from None
        except Exception as error:
            raise failure_of(error) from None
        finally:
            connection.close()


@final
class _Connection:
    """A connection to a server that is given up when the client is gone.

    There is no timeout: the client decides how long it waits.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._socket: socket.socket | None = None

    def open(self, server: Server, trust: ssl.SSLContext) -> None:
        """Connect to the first address of the server that answers."""
        error = OSError(errno.EADDRNOTAVAIL, os.strerror(errno.EADDRNOTAVAIL))
        found = socket.getaddrinfo(server.host, server.port, type=socket.SOCK_STREAM)
        for family, kind, protocol, _, address in found:
            try:
                self._connect(socket.socket(family, kind, protocol), address)
                break
            except OSError as refused:
                error = refused
        else:
            raise error
        if server.scheme == "https":
            self._start_tls(server.host, trust)

    def send(self, data: bytes) -> None:
        """Send all of the data, unless the server stops reading: it may have answered already."""
        rest = memoryview(data)
        with suppress(BrokenPipeError, ConnectionResetError):
            while rest:
                rest = rest[self._retried(partial(self._opened.send, rest), writes=True) :]

    def receive(self) -> bytes:
        """The next bytes; none if the server closed the connection."""
        return self._retried(self._received)

    def close(self) -> None:
        """Close the connection."""
        if self._socket is not None:
            self._socket.close()

    @property
    def _opened(self) -> socket.socket:
        assert self._socket is not None
        return self._socket

    def _received(self) -> bytes:
        opened = self._opened
        if isinstance(opened, ssl.SSLSocket) and not opened.pending():
            # Raises the reset of a connection, which the module `ssl` takes for its end.
            socket.socket.recv(opened, 1, socket.MSG_PEEK)
        return opened.recv(_AT_ONCE)

    def _connect(self, to: socket.socket, address: tuple[object, ...]) -> None:
        self.close()
        self._socket = to
        to.setblocking(False)
        code = to.connect_ex(address)
        if code in (errno.EINPROGRESS, errno.EWOULDBLOCK):
            self._wait(selectors.EVENT_WRITE)
            code = to.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))
        to.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _start_tls(self, host: str, trust: ssl.SSLContext) -> None:
        secure = trust.wrap_socket(
            self._opened, server_hostname=host, do_handshake_on_connect=False
        )
        self._socket = secure
        self._retried(secure.do_handshake)

    def _retried(self, act: Callable[[], _T], *, writes: bool = False) -> _T:
        """Do something as soon as the socket is ready for it."""
        while True:
            if self._client.gone:
                raise _ClientGoneError
            try:
                return act()
            except ssl.SSLWantReadError:
                self._wait(selectors.EVENT_READ)
            except ssl.SSLWantWriteError:
                self._wait(selectors.EVENT_WRITE)
            except BlockingIOError:
                self._wait(selectors.EVENT_WRITE if writes else selectors.EVENT_READ)

    def _wait(self, events: int) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._opened, events)
            selector.register(self._client.fileno(), selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._opened in ready:
                    return
                self._client.look()
                if self._client.gone:
                    raise _ClientGoneError
