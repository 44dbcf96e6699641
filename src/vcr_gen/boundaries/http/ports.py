"""HTTP as a boundary: a request, the head of its response, and its body in pieces."""

from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any, Protocol, TypeAlias

from vcr_gen.boundaries.http.exchanges import HttpRequest, Received
from vcr_gen.boundary import Shown, Unrecorded, outbound

__all__ = ["AsyncHttp", "Http", "ShownRequest"]

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
