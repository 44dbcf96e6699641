"""Requests as a server gets them, and what an application answers, as cassettes describe them.

A request is fed to the application again, so all of it is stored; what is compared of it, where a
test makes the requests itself, is the same as of an outbound request.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, Final, Self, TypeAlias
from urllib.parse import parse_qsl, quote, unquote, urlencode

from vcr_gen.boundaries.http.bodies import piece_from_plain, piece_to_plain
from vcr_gen.boundaries.http.exchanges import (
    HttpResponse,
    RawHeaders,
    headers_from_plain,
    headers_to_plain,
    received_from_plain,
    received_to_plain,
)
from vcr_gen.boundaries.http.served_matching import (
    compared_answer,
    compared_answers,
    compared_request,
)
from vcr_gen.boundary import Codec, Match, Shown

Address: TypeAlias = tuple[str, int | None]
"""A host and a port; or the path of a socket, without one."""

_FORM: Final = b"application/x-www-form-urlencoded"
_ADDRESS: Final = re.compile(r"(?:\[(.*)\]|([^:]*))(?::(\d+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRequest:
    """A request that a server passes to an application."""

    method: str
    url: str
    """Its path and query, as they travelled."""
    headers: RawHeaders
    body: bytes = b""
    cuts: tuple[int, ...] = ()
    """Where one piece of the body ends and the next begins, if it was sent as a stream."""
    is_complete: bool = True
    """False if the client left before all of the body had arrived."""
    path: str | None = None
    """The decoded path, if that does not follow from the URL."""
    root_path: str = ""
    scheme: str = "http"
    server: Address | None = None
    client: Address | None = None
    http_version: str = "1.1"
    asgi: Mapping[str, str] | None = None
    """The versions of ASGI that the server supports; None if it does not say."""

    @property
    def decoded_path(self) -> str:
        """The path as applications match it."""
        return unquote(self.url.partition("?")[0]) if self.path is None else self.path

    def with_path(self, path: str) -> Self:
        """The request with the decoded path that a server passed on."""
        return self if path == self.decoded_path else replace(self, path=path)

    @property
    def pieces(self) -> list[bytes]:
        """The body in the pieces in which it came."""
        cuts = sorted({0, *(cut for cut in self.cuts if cut < len(self.body)), len(self.body)})
        return [self.body[i:j] for i, j in pairwise(cuts)] or [b""]


def url_of(path: str, raw_path: bytes | None, query: bytes) -> str:
    """The path and query of a request; an application may have been given the path alone."""
    raw = quote(path, safe="/:@!$&'()*+,;=~") if raw_path is None else raw_path.decode("latin-1")
    return f"{raw}?{query.decode('latin-1')}" if query else raw


def _request_to_plain(request: ServedRequest) -> dict[str, object]:
    """The unusual parts of the request, first the client's, then the server's."""
    stored: dict[str, object] = {
        "method": request.method,
        "url": request.url,
        "headers": headers_to_plain(request.headers),
    }
    if request.body:
        stored["body"] = _body_to_plain(request)
    if request.cuts:
        stored["cuts"] = list(request.cuts)
    if not request.is_complete:
        stored["is_complete"] = False
    if request.path is not None:
        stored["path"] = request.path
    if request.root_path:
        stored["root_path"] = request.root_path
    stored["server"] = f"{request.scheme}://{_spelled(request.server)}"
    if request.client is not None:
        stored["client"] = _spelled(request.client)
    stored["http_version"] = request.http_version
    if request.asgi is not None:
        stored["asgi"] = dict(request.asgi)
    return stored


def _request_from_plain(stored: Any) -> ServedRequest:
    scheme, _, server = stored["server"].partition("://")
    content = _body_from_plain(stored["body"]) if "body" in stored else b""
    headers = headers_from_plain(stored["headers"])
    return ServedRequest(
        method=stored["method"],
        url=stored["url"],
        headers=_with_length(headers, len(content)) if stored.get("is_complete", True) else headers,
        body=content,
        cuts=tuple(stored.get("cuts", ())),
        is_complete=stored.get("is_complete", True),
        path=stored.get("path"),
        root_path=stored.get("root_path", ""),
        scheme=scheme,
        server=_parsed(server),
        client=_parsed(stored.get("client", "")),
        http_version=stored["http_version"],
        asgi=stored.get("asgi"),
    )


def _body_to_plain(request: ServedRequest) -> object:
    """A form by its fields, if exactly the same bytes can be made of them."""
    kinds = [value for name, value in request.headers if name.lower() == b"content-type"]
    if kinds and kinds[0].startswith(_FORM):
        pairs = parse_qsl(request.body.decode("latin-1"), keep_blank_values=True)
        names = [name for name, _ in pairs]
        if len(set(names)) == len(names) and urlencode(pairs).encode() == request.body:
            return {"form": dict(pairs)}
    return piece_to_plain(request.body)


def _body_from_plain(stored: Any) -> bytes:
    if isinstance(stored, dict) and "form" in stored:
        return urlencode(stored["form"]).encode()
    return piece_from_plain(stored)


def _with_length(headers: RawHeaders, length: int) -> RawHeaders:
    """The headers for a body of this length: placeholders are not as long as secrets."""
    declared = str(length).encode()
    return tuple(
        (name, declared if name.lower() == b"content-length" else value) for name, value in headers
    )


def _spelled(address: Address | None) -> str:
    if address is None:
        return ""
    host, port = address
    if port is None and host.startswith("/"):
        return host
    host = f"[{host}]" if ":" in host else host
    return host if port is None else f"{host}:{port}"


def _parsed(text: str) -> Address | None:
    if not text or text.startswith("/"):
        return (text, None) if text else None
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return text, None
    return found[1] or found[2] or "", int(found[3]) if found[3] else None


ShownServedRequest: TypeAlias = Annotated[
    ServedRequest,
    Codec(_request_to_plain, _request_from_plain),
    Match(key=compared_request),
    Shown("{method} {url}", name="{method} {url.path}"),
]

Answered: TypeAlias = Annotated[
    HttpResponse | bytes,
    Codec(received_to_plain, received_from_plain),
    Match(key=compared_answer),
    Match(joined=compared_answers),
    Shown("{head}"),
]
"""The head of an application's response, or a piece of its body."""
