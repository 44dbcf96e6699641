"""One connection of a client to the proxy: its requests go through the wrapper, one by one."""

import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Final, final
from urllib.parse import urlsplit

from vcr_boundaries import VcrHttp
from vcr_gen.boundaries.http.exchanges import Failure, HttpError, describe_request
from vcr_gen.boundaries.http.proxy.certificates import Authority
from vcr_gen.boundaries.http.proxy.http1 import MalformedMessage, RequestReader, WireRequest
from vcr_gen.boundaries.http.proxy.responses import framed, framing_of, own_response, stays_open
from vcr_gen.boundaries.http.proxy.upstream import CLIENT_GONE, Outgoing, Server
from vcr_gen.errors import DivergenceError, VcrError

_AT_ONCE: Final = 1 << 16
_FOR_THE_PROXY: Final = (b"proxy-authorization", b"proxy-connection")
_TLS_HANDSHAKE: Final = b"\x16"
_RESET: Final = "builtins.ConnectionResetError"
_NO_RESPONSE: Final = (_RESET, "builtins.EOFError")
"""The failures in which the server was reached and closed the connection."""
_NOT_TRUSTED: Final = "ssl.SSLCertVerificationError"
_SECONDS_TO_LEAVE: Final = 60.0
"""How long a client may take to close a connection that it closed in the recording."""


@final
class ClientConnection:
    """Serves a client until one of the two sides closes the connection."""

    def __init__(
        self,
        client: socket.socket,
        http: VcrHttp,
        authority: Authority,
        complain: Callable[[str], None],
    ) -> None:
        self._socket = client
        self._http = http
        self._authority = authority
        self._complain = complain
        self._reader = RequestReader(self._receive, self._send)
        self._server: Server | None = None
        """The server at the other end of the tunnel, if the client asked for one."""
        self.gone = False

    def serve(self) -> None:
        """Answer requests until the connection is closed."""
        try:
            while self._serve_one():
                pass
            self._say_goodbye()
        except ssl.SSLError as error:
            if self._server is not None and _is_distrust(error):
                self._complain(
                    f"a client does not trust the proxy's certificate for {self._server.host} "
                    f"({error.reason}); it must read its authorities from SSL_CERT_FILE"
                )
        except OSError:
            pass  # the client is gone
        finally:
            self._socket.close()

    def stop(self) -> None:
        """Close the connection from another thread."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def fileno(self) -> int:
        """The client's socket."""
        return self._socket.fileno()

    def look(self) -> None:
        """Find out whether the client closed the connection; anything else is its next request."""
        self._socket.setblocking(False)
        try:
            data = self._socket.recv(_AT_ONCE)
        except (BlockingIOError, ssl.SSLWantReadError):
            return
        except OSError:
            data = b""
        finally:
            self._socket.setblocking(True)
        if data:
            self._reader.feed(data)
        else:
            self.gone = True

    def _serve_one(self) -> bool:
        """Answer the next request; whether there may be another one."""
        try:
            request = self._reader.read()
        except MalformedMessage as error:
            self._send(own_response(400, "Bad Request", f"vcr-gen http proxy: {error}"))
            return False
        if request is None:
            return False
        try:
            if request.method == "CONNECT":
                self._open_tunnel(request)
                return True
            server, path = self._destination(request)
        except ValueError as error:
            self._send(own_response(400, "Bad Request", f"vcr-gen http proxy: {error}"))
            return False
        return self._exchange(request, server, path) and _goes_on(request)

    def _open_tunnel(self, request: WireRequest) -> None:
        """Be the server that the client wants to reach, from now on."""
        parts = urlsplit(f"//{request.target}")
        if not parts.hostname or not parts.port:
            raise ValueError(f"expected CONNECT host:port; got {request.target!r}")
        context = self._authority.server_context(parts.hostname)
        self._send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        is_secure = self._socket.recv(1, socket.MSG_PEEK) == _TLS_HANDSHAKE
        scheme = "https" if is_secure else "http"
        self._server = Server(scheme, parts.hostname, parts.port)
        if is_secure:
            self._socket = context.wrap_socket(self._socket, server_side=True)

    def _destination(self, request: WireRequest) -> tuple[Server, str]:
        """The server that a request is for, and the path on it."""
        if self._server is not None and request.target.startswith(("/", "*")):
            return self._server, request.target
        parts = urlsplit(request.target)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"expected http://host/path or CONNECT; got {request.target!r}")
        path = request.target.partition("://")[2].removeprefix(parts.netloc).partition("#")[0]
        if not path.startswith("/"):
            path = f"/{path}"
        return Server("http", parts.hostname, parts.port or 80), path

    def _exchange(self, request: WireRequest, server: Server, path: str) -> bool:
        """Answer a request through the wrapper; whether the connection can be used again."""
        headers = [pair for pair in request.headers if pair[0].lower() not in _FOR_THE_PROXY]
        described = describe_request(request.method, server.address + path, headers, request.body)
        outgoing = Outgoing(request, server, path, client=self)
        has_begun = False
        try:
            items = self._http.exchange(described, native=outgoing)
            head = next(items)
            assert not isinstance(head, bytes)
            framing = framing_of(request.method, head)
            for data in framed(head, framing, items):
                has_begun = True
                self._send(data)
            return stays_open(head, framing)
        except HttpError as failed:
            self._break_off(failed.failure, has_begun=has_begun)
        except (DivergenceError, VcrError) as error:
            if not has_begun:
                self._send(own_response(599, "vcr-gen", str(error)))
        return False

    def _break_off(self, failure: Failure, *, has_begun: bool) -> None:
        """Let the client see how an exchange failed, in a recording and in a replay alike."""
        if failure.error == CLIENT_GONE:
            self._wait_until_gone()
        elif not has_begun and failure.error not in _NO_RESPONSE:
            name = failure.error.removeprefix("builtins.")
            message = f"vcr-gen http proxy: {name}: {failure.message}"
            if failure.error == _NOT_TRUSTED:
                message += "\nhint: name the authority of the server: --ca-file FILE"
            self._send(own_response(502, "Bad Gateway", message))
        elif failure.error == _RESET:
            option = struct.pack("ii", 1, 0)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
            self._socket.close()

    def _wait_until_gone(self) -> None:
        """Send nothing more: in the recording, the client closed the connection here."""
        self._socket.settimeout(_SECONDS_TO_LEAVE)
        try:
            while not self.gone and self._socket.recv(_AT_ONCE):
                pass
        except TimeoutError:
            self._complain(
                "a client still waits for a response; in the recording it closed the connection "
                "at this point"
            )
        except OSError:
            pass  # it is gone

    def _receive(self) -> bytes:
        return self._socket.recv(_AT_ONCE)

    def _send(self, data: bytes) -> None:
        """Send data if the client is still connected; the exchange continues either way."""
        if self.gone:
            return
        try:
            self._socket.sendall(data)
        except OSError:
            self.gone = True

    def _say_goodbye(self) -> None:
        """Tell the client that the response is complete, so that it does not report a failure."""
        if self.gone or self._socket.fileno() < 0:
            return
        with suppress(OSError, ValueError):
            if isinstance(self._socket, ssl.SSLSocket):
                self._socket.setblocking(False)
                self._socket.unwrap()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)


def _is_distrust(error: ssl.SSLError) -> bool:
    """Whether the client refused our certificate."""
    reason = error.reason or ""
    return "ALERT" in reason and ("CERTIFICATE" in reason or "UNKNOWN_CA" in reason)


def _goes_on(request: WireRequest) -> bool:
    """Whether the client may send another request."""
    words = request.header(b"connection") + request.header(b"proxy-connection")
    if b"close" in words:
        return False
    return request.version != "HTTP/1.0" or b"keep-alive" in words
