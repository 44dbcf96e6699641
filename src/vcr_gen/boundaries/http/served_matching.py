"""How the responses of an application are compared, and the requests that a test sends to it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vcr_gen import Cassette, Rule
from vcr_gen.boundaries.http.bodies import grouped, piece_to_plain
from vcr_gen.boundaries.http.exchanges import HttpResponse, describe_request
from vcr_gen.boundaries.http.matching import (
    VARYING_IN_RESPONSES,
    HeadersWithout,
    HttpMatch,
    UrlWithout,
    compared_headers,
    compared_response,
    compared_url,
    is_among,
)
from vcr_gen.boundary import Match

if TYPE_CHECKING:
    from vcr_gen.boundaries.http.served_exchanges import ServedRequest

_VARYING: Final = (
    *(name for name in VARYING_IN_RESPONSES if name != "set-cookie"),
    "server",
    "x-process-time",
    "x-response-time",
)
"""Headers of the program's own responses that vary by nature, or follow from the rest."""

_EXPIRY: Final = re.compile(r";\s*expires=[^;]*", re.IGNORECASE)


def _usual_headers(headers: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: value for name, value in headers.items() if not is_among(name, _VARYING)}
    if "set-cookie" in named:
        cookies = named["set-cookie"]
        several = [cookies] if isinstance(cookies, str) else cookies
        timeless = [_EXPIRY.sub("", cookie) for cookie in several]
        named["set-cookie"] = timeless[0] if isinstance(cookies, str) else timeless
    return named


def _whole(body: Any) -> Any:
    return body


def compared_request(request: "ServedRequest") -> object:
    """The compared part of a request that a test makes itself."""
    return _compared_request(request, compared_url, compared_headers, _whole)


def compared_answer(answered: HttpResponse | bytes) -> object:
    """The compared part of the head of the program's response, or of a piece of its body."""
    return _compared_answer(answered, _usual_headers, _whole)


def compared_answers(answered: Sequence[Any]) -> object:
    """The part of a whole response that mode `verify` compares: not the pieces of its body."""
    return compared_response(answered, _usual_headers)


def loosen_answers(cassette: Cassette, match: HttpMatch | None) -> None:
    """Loosen how the responses of an application are compared, and requests that a test makes."""
    if match is not None:
        cassette.loosen(Rule("asgi.exchange", "$item", Match(key=_MatchedAnswer(match))))
        request = Rule("asgi.exchange", "request", Match(key=_MatchedRequest(match)))
        cassette.loosen(request, default=True)  # of no use where the tape makes them


def _compared_request(
    request: "ServedRequest",
    url: Callable[[str], str],
    headers: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    body: Callable[[Any], Any],
) -> dict[str, object]:
    said = describe_request(request.method, request.url, request.headers, request.body)
    return {
        "method": said.method,
        "url": url(said.url),
        "headers": headers(said.headers),
        "body": body(said.body),
    }


def _compared_answer(
    answered: HttpResponse | bytes,
    headers: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    body: Callable[[Any], Any],
) -> object:
    if isinstance(answered, bytes):
        stored: Any = piece_to_plain(answered)
        if isinstance(stored, dict) and "json" in stored:
            stored = {"json": stored["json"]}  # whatever its layout
        return {"response": {"body": body(stored)}}
    named = grouped(
        [
            (name.decode("latin-1").lower(), value.decode("utf-8", "surrogateescape"))
            for name, value in answered.headers
        ]
    )
    compared = dict(sorted(headers(named).items()))
    return {"response": {"status": answered.status, "headers": compared}}


@dataclass(frozen=True)
class _MatchedAnswer:
    """Equal for equal settings, so that two applications can share a rule."""

    match: HttpMatch

    def __call__(self, answered: Any) -> object:
        names = HeadersWithout(
            tuple(self.match.ignore_headers), _only(self.match), usual=_usual_headers
        )
        return _compared_answer(answered, names, self.match.part_of_body)


@dataclass(frozen=True)
class _MatchedRequest:
    """The same for requests."""

    match: HttpMatch

    def __call__(self, request: Any) -> object:
        names = HeadersWithout(tuple(self.match.ignore_headers), _only(self.match))
        url = UrlWithout(tuple(self.match.ignore_query))
        return _compared_request(request, url, names, self.match.part_of_body)


def _only(match: HttpMatch) -> tuple[str, ...] | None:
    return None if match.headers is None else tuple(match.headers)
