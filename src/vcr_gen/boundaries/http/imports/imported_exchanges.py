"""Exchanges that another tool recorded, played through the recording wrapper into a cassette."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from vcr_boundaries import VcrHttp
from vcr_gen import Cassette, Redaction
from vcr_gen.boundaries.http.content_encoding import Decoder, Undecoded
from vcr_gen.boundaries.http.exchanges import (
    HttpRequest,
    HttpResponse,
    RawHeaders,
    describe_request,
)

_BODILESS: Final = (204, 304)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedExchange:
    """A request and its response, whatever recorded them."""

    method: str
    url: str
    headers: RawHeaders
    content: bytes
    """The body of the request."""
    status: int
    reason: str
    response_headers: RawHeaders
    body: bytes
    """The body of the response: with or without its content encoding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """The contents of a file of another tool."""

    tool: str
    exchanges: Sequence[ImportedExchange]
    headers: tuple[str, ...]
    """The headers of requests that can be compared: the file has them wherever they were sent."""
    skipped: Sequence[str] = ()
    """What could not be imported, in words."""

    def in_header(self, *, loose: bool) -> dict[str, Any]:
        """What the header of the cassette says: a replay compares accordingly, in any order."""
        return {
            "from": self.tool,
            "headers": [] if loose else list(self.headers),
            "body": not loose,
        }


def play(exchanges: Sequence[ImportedExchange], path: Path, redaction: Redaction) -> None:
    """Record the exchanges in a new cassette, as if a program had made them one by one."""
    with Cassette(path, "all", redaction=redaction) as cassette:
        http = VcrHttp.attach(cassette, _Bridge)
        for made in exchanges:
            request = describe_request(made.method, made.url, made.headers, made.content)
            for _ in http.exchange(request, native=made):
                pass


def header_bytes(text: str) -> bytes:
    """How the text of a header travelled: requests reads bytes as Latin-1, others as UTF-8."""
    try:
        raw = text.encode("latin-1")
        raw.decode()
    except UnicodeError:
        return text.encode("utf-8", "surrogateescape")
    return raw


class _Bridge:
    """Answers each request with the imported response."""

    def exchange(
        self, request: HttpRequest, *, native: ImportedExchange
    ) -> Iterator[HttpResponse | bytes]:
        yield HttpResponse(
            status=native.status,
            reason=native.reason or _usual_reason(native.status),
            version="HTTP/1.1",
            headers=native.response_headers,
        )
        if native.body and native.method != "HEAD" and native.status not in _BODILESS:
            yield from _decoded(native)


def _decoded(exchange: ImportedExchange) -> tuple[bytes, ...]:
    """The body without its content encoding, which may have been undone before it was stored."""
    body = exchange.body
    try:
        body.decode()
    except UnicodeDecodeError:
        decoded = Decoder(exchange.response_headers).decode(body)
        return (body,) if isinstance(decoded[0], Undecoded) else decoded
    return (body,)  # text, which a lenient decoder might take for compressed data


def _usual_reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
