"""HTTP as a boundary: a request, the head of its response, and its body in pieces."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Protocol, TypeAlias

from vcr_gen.boundaries.http.exchanges import HttpRequest, Received
from vcr_gen.boundaries.http.served_exchanges import Answered, ShownServedRequest
from vcr_gen.boundary import Shown, Unrecorded, inbound, outbound

ShownRequest: TypeAlias = Annotated[
    HttpRequest, Shown("{method} {url}", name="{method} {url.path}")
]


@outbound(name="http")
class Http(Protocol):
    """Sends requests."""

    def exchange(
        self, request: ShownRequest, *, native: Annotated[Any, Unrecorded]
    ) -> Iterator[Received]:
        """Send a request: the head of the response comes first, then its body in pieces.

        `native` is the request as the client library made it; the bridge sends it.
        """
        ...


@outbound(name="http")
class AsyncHttp(Protocol):
    """Sends requests from an event loop."""

    def exchange(
        self, request: ShownRequest, *, native: Annotated[Any, Unrecorded]
    ) -> AsyncIterator[Received]:
        """Send a request: the head of the response comes first, then its body in pieces.

        `native` is the request as the client library made it; the bridge sends it.
        """
        ...


@inbound(name="asgi")
class Asgi(Protocol):
    """The calls of a server to a web application."""

    async def startup(self, *, native: Annotated[Any, Unrecorded]) -> None:
        """Begin the application's lifespan.

        `native` is what the server passed to the application; None where there is no server.
        """
        ...

    def exchange(
        self, request: ShownServedRequest, *, native: Annotated[Any, Unrecorded]
    ) -> AsyncIterator[Answered]:
        """Answer a request: the head of the response comes first, then its body in pieces.

        It ends when the application has, after its background tasks. `native` is as in `startup`.
        """
        ...

    async def disconnect(self, exchange: int) -> None:
        """The client has left before its response was complete; `exchange` counts from 1."""
        ...

    async def shutdown(self) -> None:
        """End the application's lifespan."""
        ...
