"""HTTP, ready to use: one line for the client that a program has already."""

from typing import Any

from vcr_gen import Cassette
from vcr_gen.boundaries.http.matching import HttpMatch

__all__ = ["HttpMatch", "async_http_transport", "http_transport"]


def http_transport(cassette: Cassette, *, inner: Any = None, match: HttpMatch | None = None) -> Any:
    """A transport for `httpx.Client` and `httpx2.Client`.

    `inner` is the real transport; by default the library's own. `match` loosens how the requests
    of the cassette are compared.
    """
    from vcr_gen.boundaries.http.httpx_transport import Transport

    _loosen(cassette, match)
    return Transport(cassette, inner)


def async_http_transport(
    cassette: Cassette, *, inner: Any = None, match: HttpMatch | None = None
) -> Any:
    """A transport for `httpx.AsyncClient` and `httpx2.AsyncClient`, as `http_transport`."""
    from vcr_gen.boundaries.http.httpx_transport import AsyncTransport

    _loosen(cassette, match)
    return AsyncTransport(cassette, inner)


def _loosen(cassette: Cassette, match: HttpMatch | None) -> None:
    if match is not None:
        cassette.loosen(*match.rules())
