"""The handshake of a WebSocket: the request that opens it, and what is known once it is open."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from vcr_gen.boundaries.http.exchanges import (
    HttpRequest,
    HttpResponse,
    describe_request,
    head_from_plain,
    head_to_plain,
)
from vcr_gen.boundaries.http.matching import compared_response
from vcr_gen.boundary import Codec, Match

Address: TypeAlias = tuple[str | int, ...] | str | bytes | None
"""The address of a socket: host and port, or the path of a Unix socket."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The facts of a handshake."""

    response: Annotated[HttpResponse, Codec(head_to_plain, head_from_plain)]
    id: UUID
    local_address: Address
    remote_address: Address
    redirected_to: str | None = None
    """The URL of the server that answered, if it was redirected."""


def _compared(opening: Opening) -> object:
    """The part that mode `verify` compares: the addresses and the number are new each time."""
    return compared_response([opening.response])


ComparedOpening: TypeAlias = Annotated[Opening, Match(key=_compared)]


def request_of(uri: str, options: Mapping[str, Any]) -> Any:
    """The request that websockets sends to open a connection with these options."""
    from websockets.client import ClientProtocol
    from websockets.extensions.permessage_deflate import enable_client_permessage_deflate
    from websockets.http11 import USER_AGENT
    from websockets.uri import parse_uri

    extensions = options.get("extensions")
    if options.get("compression", "deflate") == "deflate":
        extensions = enable_client_permessage_deflate(extensions)
    request = ClientProtocol(
        parse_uri(uri),
        origin=options.get("origin"),
        extensions=extensions,
        subprotocols=options.get("subprotocols"),
    ).connect()
    if options.get("additional_headers") is not None:
        request.headers.update(options["additional_headers"])
    if (user_agent := options.get("user_agent_header", USER_AGENT)) is not None:
        request.headers.setdefault("User-Agent", user_agent)
    return request


def describe_handshake(uri: str, request: Any) -> HttpRequest:
    """The request as the cassette has it, without the number that is new each time."""
    headers = [
        (name.encode(), value.encode("utf-8", "surrogateescape"))
        for name, value in request.headers.raw_items()
        if name.lower() != "sec-websocket-key"
    ]
    return describe_request("GET", uri, headers, b"")


def opening_of(connection: Any, asked: str) -> Opening:
    """The facts of a real connection that was opened for a URL."""
    from websockets.uri import parse_uri

    answered = connection.protocol.uri
    return Opening(
        response=response_of(connection.response),
        id=connection.id,
        local_address=_address(connection, "local_address"),
        remote_address=_address(connection, "remote_address"),
        redirected_to=None if answered == parse_uri(asked) else _url_of(answered),
    )


def _address(connection: Any, name: str) -> Address:
    try:
        address: Address = getattr(connection, name)
    except OSError:  # the connection is lost already
        return None
    return address


def _url_of(uri: Any) -> str:
    from websockets.headers import build_host

    scheme = "wss" if uri.secure else "ws"
    return f"{scheme}://{build_host(uri.host, uri.port, uri.secure)}{uri.resource_name}"


def response_of(response: Any) -> HttpResponse:
    """The head of a response of websockets."""
    headers = response.headers.raw_items()
    return HttpResponse(
        status=response.status_code,
        reason=response.reason_phrase,
        version="HTTP/1.1",
        headers=tuple((name.encode(), value.encode("latin-1")) for name, value in headers),
    )


def response_from(head: HttpResponse, body: bytes = b"") -> Any:
    """A response as an object of websockets."""
    from websockets.datastructures import Headers
    from websockets.http11 import Response

    headers = Headers([(name.decode(), value.decode("latin-1")) for name, value in head.headers])
    return Response(head.status, head.reason or "", headers, body)
