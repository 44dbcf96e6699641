"""How requests are compared: what counts by default, and what a project loosens."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote_plus

from vcr_gen import Cassette, Repeat, Rule
from vcr_gen.boundaries.http.bodies import describe_body, first_of, grouped
from vcr_gen.boundaries.http.framing import Aside
from vcr_gen.boundary import Match, Volatile
from vcr_gen.errors import CassetteError, UsageError

_REQUESTS: Final = "http|ws"
"""The boundaries with requests: those of HTTP, and the handshakes of WebSockets."""

VARYING: Final = (
    "accept-encoding",
    "connection",
    "content-length",
    "date",
    "host",
    "idempotency-key",
    "traceparent",
    "tracestate",
    "transfer-encoding",
    "user-agent",
    "x-amz-date",
    "x-b3-*",
    "x-request-id",
    "x-stainless-*",
)
"""Headers of requests that vary by nature, or follow from the rest of the request."""

_QUOTED: Final = re.compile(r'="([^";]*)"(?=\s*(?:;|\Z))')
"""A quoted value of a cookie."""

VARYING_IN_RESPONSES: Final = (
    "age",
    "alt-svc",
    "cf-*",
    "connection",
    "content-length",
    "date",
    "etag",
    "expires",
    "keep-alive",
    "last-modified",
    "sec-websocket-accept",
    "server-timing",
    "set-cookie",
    "transfer-encoding",
    "via",
    "*-request-id",
    "*-trace-id",
    "*-processing-ms",
    "x-ratelimit-*",
    "anthropic-ratelimit-*",
)
"""Headers of responses that differ from day to day; mode `verify` ignores them."""


def compared_url(url: str) -> str:
    """A URL with its query in a fixed order."""
    return _url_without((), url)


def compared_headers(headers: Mapping[str, Any]) -> dict[str, Any]:
    """The headers of a request that are compared by default.

    Cookies are compared without quotes: some cookie jars put them around a placeholder.
    """
    kept = {name: value for name, value in headers.items() if not is_among(name, VARYING)}
    if '"' in (cookies := str(kept.get("cookie", ""))):
        kept["cookie"] = _QUOTED.sub(r"=\1", cookies)
    return kept


def _usual_headers(headers: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        name: value for name, value in headers.items() if not is_among(name, VARYING_IN_RESPONSES)
    }


def compared_response(
    received: Sequence[Any],
    usual: Callable[[Mapping[str, Any]], Mapping[str, Any]] = _usual_headers,
) -> dict[str, object]:
    """The part of a response that mode `verify` compares: not its pieces, nor fields that vary."""
    heads = [each for each in received if not isinstance(each, bytes)]
    content = b"".join(
        each for each in received if isinstance(each, bytes) and not isinstance(each, Aside)
    )
    if not heads:
        return {"response": {"body": _compared_body(content, "")}}
    named = grouped(
        [
            (name.decode("latin-1").lower(), value.decode("latin-1"))
            for name, value in heads[0].headers
        ]
    )
    body = _compared_body(content, first_of(named, "content-type"))
    return {"response": {"status": heads[0].status, "headers": usual(named), "body": body}}


def _compared_body(content: bytes, content_type: str) -> object:
    """A body as requests have it, but without the fields of forms."""
    is_form = content_type.lower().startswith(("multipart/", "application/x-www-form"))
    return describe_body(content, "" if is_form else content_type)


@dataclass(frozen=True, kw_only=True)
class HttpMatch:
    """Loosens how the requests of a cassette are compared, for every HTTP client on it."""

    ignore_headers: Collection[str] = ()
    """Names of headers that are not compared, in any case; `x-trace-*` names several."""
    ignore_query: Collection[str] = ()
    """Names of query parameters that are not compared."""
    headers: Collection[str] | None = None
    """The only headers that are compared; by default all that do not vary by nature."""
    body: bool | Callable[[Any], Any] = True
    """False if bodies are not compared; or a function that returns what counts of a body."""

    repeat: Collection[str] = ()
    """Requests that may be made more often than recorded, or less often: `GET /jobs/*`."""

    def __post_init__(self) -> None:
        for name in ("ignore_headers", "ignore_query", "headers", "repeat"):
            if isinstance(getattr(self, name), str):
                raise UsageError(f"HttpMatch({name}=…): expected a list of names; got a string")
        if not isinstance(self.body, bool) and not callable(self.body):
            got = type(self.body).__name__
            raise UsageError(f"HttpMatch(body=…): expected a bool or a function; got {got}")

    def rules(self) -> tuple[Rule | Repeat, ...]:
        """These settings as rules of a cassette."""
        found: list[Rule | Repeat] = [Repeat("http", name) for name in self.repeat]
        if self.ignore_query:
            key = UrlWithout(tuple(self.ignore_query))
            found.append(Rule(_REQUESTS, "request.url", Match(key=key)))
        if self.ignore_headers or self.headers is not None:
            only = None if self.headers is None else tuple(self.headers)
            names = HeadersWithout(tuple(self.ignore_headers), only)
            found.append(Rule(_REQUESTS, "request.headers", Match(key=names)))
        if self.body is False:
            found.append(Rule("http", "request.body", Volatile))
        elif self.body is not True:
            found.append(Rule("http", "request.body", Match(key=self.body)))
        return tuple(found)

    def part_of_body(self, body: Any) -> Any:
        """The part of a body that is compared."""
        return self.body(body) if callable(self.body) else body if self.body else None


@contextmanager
def clients_of(cassette: Cassette, match: HttpMatch | None) -> Iterator[None]:
    """A block that makes a client. Clients have no state, so any of them can replace another.

    Requests are compared as `match` says, or else the header of the cassette.
    """
    if not isinstance(cassette, Cassette):
        raise UsageError(
            f"expected an open Cassette; got {type(cassette).__name__}\n\n"
            "hint: with Cassette(path) as cassette: …"
        )
    if not isinstance(match, HttpMatch | None):
        raise UsageError(f"match=…: expected an HttpMatch; got {type(match).__name__}")
    if match is not None:
        cassette.loosen(*match.rules())
    if cassette.imported is not None:
        cassette.loosen(*_imported(cassette).rules(), default=True)
    with cassette.interchangeable():
        yield


def _imported(cassette: Cassette) -> HttpMatch:
    """The parts of the requests of another tool's recording that can be compared."""
    said = cassette.imported or {}
    headers, body = said.get("headers"), said.get("body")
    if not isinstance(headers, list) or not isinstance(body, bool):
        message = "`imported`: expected `headers`, a list, and `body`, true or false"
        raise CassetteError(message, path=cassette.path)
    return HttpMatch(headers=list(map(str, headers)), body=body and _FormAsJson())


@dataclass(frozen=True)
class _FormAsJson:
    """A key of bodies: vcrpy does not say which of the two aiohttp sent."""

    def __call__(self, body: Any) -> Any:
        is_form = isinstance(body, Mapping) and body.keys() == {"form"}
        return {"json": body["form"]} if is_form else body


@dataclass(frozen=True)
class UrlWithout:
    """A key of URLs; equal for equal settings, so that two clients can share a rule."""

    ignored: tuple[str, ...]

    def __call__(self, url: str) -> str:
        """The part of a URL that is compared."""
        return _url_without(self.ignored, url)


@dataclass(frozen=True)
class HeadersWithout:
    """A key of headers; equal for equal settings, so that two clients can share a rule."""

    ignored: tuple[str, ...]
    only: tuple[str, ...] | None
    usual: Callable[[Mapping[str, Any]], dict[str, Any]] = compared_headers

    def __call__(self, headers: Mapping[str, Any]) -> dict[str, Any]:
        """The headers that are compared."""
        if self.only is None:
            named = self.usual(headers)
        else:
            named = {k: v for k, v in headers.items() if is_among(k, self.only)}
        return {k: v for k, v in named.items() if not is_among(k, self.ignored)}


def _url_without(ignored: tuple[str, ...], url: str) -> str:
    """The URL with its query in a fixed order; spelled as it was, so that placeholders stay."""
    place, _, query = url.partition("#")[0].partition("?")
    pairs = query.split("&")
    if ignored:
        pairs = [
            pair for pair in pairs if not is_among(unquote_plus(pair.partition("=")[0]), ignored)
        ]
    kept = "&".join(sorted(pairs))
    return f"{place}?{kept}" if kept else place


@lru_cache(maxsize=4096)  # the same few names come with every request
def is_among(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a name, in any case, is one of some names or patterns."""
    lower = name.lower()
    return any(fnmatchcase(lower, pattern.lower()) for pattern in patterns)
