"""Requests and responses as cassettes describe them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Annotated, Any, TypeAlias

from vcr_gen.boundaries.http.bodies import (
    Body,
    describe_body,
    first_of,
    grouped,
    multipart_boundary,
    piece_from_plain,
    piece_to_plain,
)
from vcr_gen.boundaries.http.content_encoding import decoded_body
from vcr_gen.boundaries.http.matching import compared_headers, compared_response, compared_url
from vcr_gen.boundary import Codec, Match, Shown, Unrecorded

Headers: TypeAlias = dict[str, str | list[str]]
"""Headers of a request as they are compared: in lower case, sorted, a list for a repeated one."""


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


RawHeaders: TypeAlias = tuple[tuple[bytes, bytes], ...]
"""Headers of a response, as they came: order, case and repetition are kept."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """The content of a request. It is compared and shown; the native request is sent."""

    method: str
    url: Annotated[str, Match(key=compared_url)]
    headers: Annotated[Headers, Match(key=compared_headers)]
    body: Body = None


def describe_request(
    method: str, url: str, headers: Iterable[tuple[bytes, bytes]], content: bytes
) -> HttpRequest:
    """Describe a request that a client library is about to send."""
    headers = list(headers)
    pairs = [(_text(name).lower(), _text(value)) for name, value in headers]
    named = grouped(sorted(pairs, key=itemgetter(0)))
    content_type = first_of(named, "content-type")
    if boundary := multipart_boundary(content_type):
        named["content-type"] = content_type.replace(boundary, "…")
    if "content-encoding" in named:
        content = decoded_body(content, headers)
    body = describe_body(content, content_type)
    return HttpRequest(method, url, named, body)


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """The head of a response."""

    status: int
    reason: str | None
    """None in HTTP/2, which has none."""
    version: str
    headers: RawHeaders
    is_streamed: bool = False
    """Whether the body came after the head; only aiohttp shows a program the difference."""
    extensions: Mapping[str, Any] | None = field(default=None, compare=False)
    """What the client library adds, such as the network stream; None in a replay."""


def headers_to_plain(headers: RawHeaders) -> object:
    """The stored form of headers: a mapping, or pairs where a name repeats."""
    pairs = [[_text(name), _text(value)] for name, value in headers]
    names = {name for name, _ in pairs}
    return dict(pairs) if len(names) == len(pairs) else pairs


def headers_from_plain(stored: Any) -> RawHeaders:
    """The headers of their stored form."""
    pairs = stored.items() if isinstance(stored, dict) else stored
    return tuple([(_bytes(name), _bytes(value)) for name, value in pairs])


def head_to_plain(head: HttpResponse) -> dict[str, object]:
    """The stored form of the head of a response."""
    reason = "" if head.reason is None else f" {head.reason}"
    stored: dict[str, object] = {
        "head": f"{head.version} {head.status}{reason}",
        "headers": headers_to_plain(head.headers),
    }
    return {**stored, "streamed": True} if head.is_streamed else stored


def head_from_plain(stored: Any) -> HttpResponse:
    """The head of its stored form."""
    version, status, *reason = stored["head"].split(" ", 2)
    return HttpResponse(
        status=int(status),
        reason=reason[0] if reason else None,
        version=version,
        headers=headers_from_plain(stored["headers"]),
        is_streamed=stored.get("streamed", False),
    )


def received_to_plain(received: HttpResponse | bytes) -> object:
    """The stored form of the head of a response, or of a piece of its body."""
    return piece_to_plain(received) if isinstance(received, bytes) else head_to_plain(received)


def received_from_plain(stored: Any) -> HttpResponse | bytes:
    """The head, or the piece, of its stored form."""
    is_head = isinstance(stored, dict) and "head" in stored
    return head_from_plain(stored) if is_head else piece_from_plain(stored)


Received: TypeAlias = Annotated[
    HttpResponse | bytes,
    Codec(received_to_plain, received_from_plain),
    Match(joined=compared_response),
    Shown("{head}"),
]
"""The head of a response, or a piece of its body."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception of a client library, as text."""

    error: str
    """The name of its class, such as `httpx.ReadTimeout`."""
    message: str
    details: dict[str, Any] | None = None
    """The arguments of its class besides the text, such as `errno`."""
    cause: "Failure | None" = None
    arguments: "tuple[str | int | bytes | Failure, ...] | None" = None
    """Its arguments, if they are not the text alone; None also if they cannot be stored."""


def failure_to_plain(failure: Failure) -> dict[str, object]:
    """The stored form of a failure: the fields that say something, by their names."""
    stored: dict[str, object] = {"error": failure.error, "message": failure.message}
    if failure.details is not None:
        stored["details"] = failure.details
    if failure.cause is not None:
        stored["cause"] = failure_to_plain(failure.cause)
    if failure.arguments is not None:
        stored["arguments"] = [
            failure_to_plain(argument) if isinstance(argument, Failure) else argument
            for argument in failure.arguments
        ]
    return stored


def failure_from_plain(stored: Any) -> Failure:
    """The failure of a stored form."""
    fields = dict(stored)
    if "cause" in fields:
        fields["cause"] = failure_from_plain(fields["cause"])
    if "arguments" in fields:
        fields["arguments"] = tuple(
            failure_from_plain(argument) if isinstance(argument, dict) else argument
            for argument in fields["arguments"]
        )
    return Failure(**fields)


class HttpError(Exception):
    """An exchange failed; a front raises the exception of its client library instead."""

    failure: Annotated[Failure, Codec(failure_to_plain, failure_from_plain)]
    original: Annotated[BaseException | None, Unrecorded]
    """The exception itself, while recording."""

    def __init__(self, failure: Failure, original: BaseException | None = None) -> None:
        super().__init__()
        self.failure = failure
        self.original = original
