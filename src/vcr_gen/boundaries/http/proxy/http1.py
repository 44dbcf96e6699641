"""HTTP/1.1 on the wire: reads the requests of clients and the responses of servers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, final

import h11

from vcr_gen.boundaries.http.exchanges import HttpResponse, RawHeaders

MalformedMessage = h11.RemoteProtocolError
"""The other side sent something that is not HTTP."""

_LARGEST_HEAD: Final = 1 << 18
_NOT_FORWARDED: Final = frozenset(
    (b"expect", b"http2-settings", b"proxy-authorization", b"proxy-connection", b"upgrade")
)
"""Headers for the next hop. The proxy itself says `100 Continue`, and never changes protocols."""


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as a client sent it, with its whole body."""

    method: str
    target: str
    """A path, or the whole address if it was sent to a proxy."""
    version: str
    headers: RawHeaders
    body: bytes

    def header(self, name: bytes) -> bytes:
        """The value of a header in lower case; empty if there is none."""
        found = [value for key, value in self.headers if key.lower() == name]
        return b",".join(found).lower()


@final
class RequestReader:
    """Reads one request after the other from a client."""

    def __init__(self, receive: Callable[[], bytes], send: Callable[[bytes], None]) -> None:
        self._receive = receive
        self._send = send
        self._connection = _server_side()

    def feed(self, data: bytes) -> None:
        """Take data that was received while nothing was expected: the next request."""
        self._connection.receive_data(data)

    def read(self) -> WireRequest | None:
        """The next request; None if the client closed the connection."""
        head: h11.Request | None = None
        body = bytearray()
        while True:
            event = self._connection.next_event()
            if event is h11.NEED_DATA:
                if self._connection.they_are_waiting_for_100_continue:
                    self._send(b"HTTP/1.1 100 Continue\r\n\r\n")
                self._connection.receive_data(self._receive())
            elif isinstance(event, h11.Request):
                head = event
            elif isinstance(event, h11.Data):
                body += event.data
            elif isinstance(event, h11.EndOfMessage):
                break
            else:
                return None
        assert head is not None
        rest, _ = self._connection.trailing_data
        self._connection = _server_side()
        if rest:
            self._connection.receive_data(rest)
        return WireRequest(
            method=head.method.decode("ascii"),
            target=head.target.decode("latin-1"),
            version=f"HTTP/{head.http_version.decode('ascii')}",
            headers=tuple(head.headers.raw_items()),
            body=bytes(body),
        )


def exchange_on(
    send: Callable[[bytes], None],
    receive: Callable[[], bytes],
    request: WireRequest,
    path: str,
) -> Iterator[HttpResponse | bytes]:
    """Send a request to its server; the head of the response comes first, then its body."""
    connection = h11.Connection(h11.CLIENT, _LARGEST_HEAD)
    headers = [pair for pair in request.headers if pair[0].lower() not in _NOT_FORWARDED]
    head = h11.Request(method=request.method, target=path, headers=headers)
    for event in (head, h11.Data(request.body), h11.EndOfMessage()):
        send(connection.send(event) or b"")
    has_begun = False
    while True:
        received = connection.next_event()
        if received is h11.NEED_DATA:
            data = receive()
            if not data and not has_begun:
                raise EOFError("the server closed the connection without a response")
            has_begun = True
            connection.receive_data(data)
        elif isinstance(received, h11.Response):
            yield _head(received)
        elif isinstance(received, h11.Data):
            yield bytes(received.data)
        elif not isinstance(received, h11.InformationalResponse):
            return


def _server_side() -> h11.Connection:
    return h11.Connection(h11.SERVER, _LARGEST_HEAD)


def _head(response: h11.Response) -> HttpResponse:
    return HttpResponse(
        status=response.status_code,
        reason=response.reason.decode("latin-1"),
        version=f"HTTP/{response.http_version.decode('ascii')}",
        headers=tuple(response.headers.raw_items()),
        extensions={},
    )
