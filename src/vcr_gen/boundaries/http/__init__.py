"""HTTP and WebSockets, ready to use: one line for the client that a program has already."""

from os import PathLike
from typing import TYPE_CHECKING, Any

from vcr_gen import Cassette
from vcr_gen.boundaries.http.matching import HttpMatch, clients_of
from vcr_gen.boundaries.required_packages import require

if TYPE_CHECKING:
    from vcr_gen.boundaries.http.proxy import HttpProxy

__all__ = [
    "HttpMatch",
    "aiohttp_middleware",
    "async_http_transport",
    "http_inbound",
    "http_proxy",
    "http_transport",
    "requests_adapter",
    "sync_websocket_connect",
    "websocket_connect",
]


def http_transport(cassette: Cassette, *, inner: Any = None, match: HttpMatch | None = None) -> Any:
    """A transport for `httpx.Client` and `httpx2.Client`.

    `inner` is the real transport; by default the library's own. `match` loosens how the requests
    of the cassette are compared.
    """
    from vcr_gen.boundaries.http.httpx_transport import Transport

    with clients_of(cassette, match):
        return Transport(cassette, inner)


def async_http_transport(
    cassette: Cassette, *, inner: Any = None, match: HttpMatch | None = None
) -> Any:
    """A transport for `httpx.AsyncClient` and `httpx2.AsyncClient`, as `http_transport`."""
    from vcr_gen.boundaries.http.httpx_transport import AsyncTransport

    with clients_of(cassette, match):
        return AsyncTransport(cassette, inner)


def http_proxy(
    cassette: Cassette,
    *,
    ca_file: str | PathLike[str] | None = None,
    match: HttpMatch | None = None,
) -> "HttpProxy":
    """A proxy for programs that build their own clients, in any language.

    In its `with` block, a program with the variables of `environment` sends its requests through
    it. Open the cassette with `order="lanes"`: clients open connections in any order. `ca_file`
    names certificate authorities of real servers, besides those that the system trusts.
    """
    require("h11", "trustme", extra="proxy", wanted_by="http_proxy")
    from vcr_gen.boundaries.http.proxy import HttpProxy

    with clients_of(cassette, match):
        return HttpProxy(cassette, ca_file=ca_file)


def http_inbound(cassette: Cassette, app: Any, *, match: HttpMatch | None = None) -> Any:
    """An ASGI application, such as one of FastAPI or Starlette, as an inbound boundary.

    Pass the result to the server, or to the test client, that the session is recorded with. In a
    replay, `await Driver(cassette, http_inbound(cassette, app)).run()` makes the recorded requests
    and compares the responses of `app`; `match` loosens how.
    """
    from vcr_gen.boundaries.http.asgi_front import InboundApplication
    from vcr_gen.boundaries.http.served_matching import loosen_answers

    loosen_answers(cassette, match)
    return InboundApplication(cassette, app)


def requests_adapter(
    cassette: Cassette, *, inner: Any = None, match: HttpMatch | None = None
) -> Any:
    """An adapter for a `requests.Session`; mount it for `https://` and `http://`.

    `inner` is the real adapter; by default an `HTTPAdapter`.
    """
    require("requests", extra="requests", wanted_by="requests_adapter")
    from vcr_gen.boundaries.http.requests_client import Adapter

    with clients_of(cassette, match):
        return Adapter(cassette, inner)


def aiohttp_middleware(cassette: Cassette, *, match: HttpMatch | None = None) -> Any:
    """A client middleware for `aiohttp.ClientSession`. Put it last in the list of middlewares."""
    require("aiohttp", extra="aiohttp", wanted_by="aiohttp_middleware")
    from vcr_gen.boundaries.http.aiohttp_client import Middleware

    with clients_of(cassette, match):
        return Middleware(cassette)


def websocket_connect(cassette: Cassette, *, match: HttpMatch | None = None) -> Any:
    """Takes the place of `websockets.asyncio.client.connect`.

    `match` loosens how the handshakes are compared.
    """
    require("websockets", extra="websockets", wanted_by="websocket_connect")
    from vcr_gen.boundaries.http.websocket_async_client import connect_on

    with clients_of(cassette, match):
        return connect_on(cassette)


def sync_websocket_connect(cassette: Cassette, *, match: HttpMatch | None = None) -> Any:
    """Takes the place of `websockets.sync.client.connect`, as `websocket_connect`."""
    require("websockets", extra="websockets", wanted_by="sync_websocket_connect")
    from vcr_gen.boundaries.http.websocket_sync_client import connect_on

    with clients_of(cassette, match):
        return connect_on(cassette)
