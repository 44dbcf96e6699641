"""Responses on the wire to a client, framed as their headers say."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from vcr_gen.boundaries.http.content_encoding import Encoder
from vcr_gen.boundaries.http.exchanges import HttpError, HttpResponse

Framing: TypeAlias = Literal["none", "chunked", "length", "until closed"]
"""How a client finds the end of a body."""


def framing_of(method: str, head: HttpResponse) -> Framing:
    """How the body of a response is framed."""
    if method == "HEAD" or head.status in (204, 304):
        return "none"
    if "chunked" in _header(head, b"transfer-encoding"):
        return "chunked"
    return "length" if _header(head, b"content-length") else "until closed"


def stays_open(head: HttpResponse, framing: Framing) -> bool:
    """Whether the connection can be used again after a response."""
    words = _header(head, b"connection")
    if framing == "until closed" or "close" in words:
        return False
    return head.version != "HTTP/1.0" or "keep-alive" in words


def framed(
    head: HttpResponse, framing: Framing, items: Iterable[HttpResponse | bytes]
) -> Iterator[bytes]:
    """The bytes of a response: its head, then its body. A failure of `items` comes where it came.

    A replayed body may be longer or shorter than the original: it was compressed again, or holds
    placeholders. If it has a length, that is measured before the first byte.
    """
    pieces: Iterable[bytes] = Encoder(head.headers).encoded(items)
    if framing == "length" and head.extensions is None:
        measured = _Measured(pieces)
        head, pieces = measured.corrected(head), measured
    yield wire_head(head)
    for piece in pieces:
        if framing == "chunked" and piece:
            yield b"%x\r\n%b\r\n" % (len(piece), piece)
        elif framing != "none":
            yield piece
    if framing == "chunked":
        yield b"0\r\n\r\n"


def wire_head(head: HttpResponse) -> bytes:
    """The bytes of a head."""
    reason = "" if head.reason is None else head.reason
    first = f"{head.version} {head.status} {reason}".encode("latin-1")
    return b"\r\n".join((first, *(b"%b: %b" % pair for pair in head.headers), b"", b""))


def own_response(status: int, reason: str, message: str) -> bytes:
    """A response of the proxy itself, after which it closes the connection."""
    body = f"{message.rstrip()}\n".encode("utf-8", "backslashreplace")
    headers = (
        (b"Content-Type", b"text/plain; charset=utf-8"),
        (b"Content-Length", b"%d" % len(body)),
        (b"Connection", b"close"),
    )
    return wire_head(HttpResponse(status, reason, "HTTP/1.1", headers)) + body


class _Measured:
    """The pieces of a body, all of which are there, and the failure that ended it, if any."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces: list[bytes] = []
        self._failure: HttpError | None = None
        try:
            self._pieces.extend(pieces)
        except HttpError as failure:
            self._failure = failure

    def corrected(self, head: HttpResponse) -> HttpResponse:
        """The head with the length of this body; a body that was cut off stays too short."""
        length = sum(map(len, self._pieces))
        if self._failure is not None:
            length = max(length + 1, int(_header(head, b"content-length").partition(",")[0]))
        headers = tuple(
            (name, b"%d" % length if name.lower() == b"content-length" else value)
            for name, value in head.headers
        )
        return replace(head, headers=headers)

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        if self._failure is not None:
            raise self._failure


def _header(head: HttpResponse, name: bytes) -> str:
    found = [value for key, value in head.headers if key.lower() == name]
    return b",".join(found).decode("latin-1").lower()
