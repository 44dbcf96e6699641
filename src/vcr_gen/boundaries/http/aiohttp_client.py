"""A client middleware that records and replays the requests of an `aiohttp.ClientSession`."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeAlias, final

from aiohttp import ClientRequest, ClientResponse, hdrs
from aiohttp.payload import Payload

from vcr_boundaries import VcrAsyncHttp
from vcr_gen import Cassette
from vcr_gen.boundaries.http.aiohttp_response import (
    arrivals,
    decompresses,
    detach_timer,
    error_for,
    head_of,
    note_upload,
    respond,
    timer_of,
    use_up,
)
from vcr_gen.boundaries.http.exchanges import (
    HttpError,
    HttpRequest,
    HttpResponse,
    describe_request,
)
from vcr_gen.boundaries.http.library_failures import failure_of
from vcr_gen.errors import UsageError

Handler: TypeAlias = Callable[[ClientRequest], Awaitable[ClientResponse]]


@final
class Middleware:
    """Records and replays the requests of a session."""

    def __init__(self, cassette: Cassette) -> None:
        self._http = VcrAsyncHttp.attach(cassette, _Bridge)

    async def __call__(self, request: ClientRequest, handler: Handler) -> ClientResponse:
        """Answer a request: from the network while recording, from the tape in a replay."""
        if request.headers.get(hdrs.UPGRADE, "").lower() == "websocket":
            raise UsageError(
                f"aiohttp_middleware cannot record the WebSocket {request.url}"
                "\n\nhint: open it with a session that does not have the middleware; to record "
                "it, use the library websockets with websocket_connect(cassette)"
            )
        timer = timer_of(request)
        content = await _content_of(request)
        sent = _Sent(request, handler)
        items: Any = self._http.exchange(_described(request, content), native=sent)
        try:
            head = await anext(items)
        except HttpError as failed:
            error = error_for(request, failed)
        else:
            if not sent.is_sent:
                note_upload(request, len(content))
            return await respond(request, head, items, timer, decompresses=sent.decompresses)
        raise error


@final
class _Sent:
    """A request of the program, and what sends it."""

    def __init__(self, request: ClientRequest, handler: Handler) -> None:
        self.request = request
        self._handler = handler
        self.decompresses = decompresses(request, handler)
        self.is_sent = False

    async def send(self) -> ClientResponse:
        self.is_sent = True
        detach_timer(self.request)
        return await self._handler(self.request)


@final
class _Bridge:
    """Sends requests through the session that made them."""

    async def exchange(
        self, request: HttpRequest, *, native: _Sent
    ) -> AsyncIterator[HttpResponse | bytes]:
        try:
            response = await native.send()
        except Exception as error:
            raise failure_of(error) from None
        try:
            yield head_of(response)
            async for piece in arrivals(response, decompresses=native.decompresses):
                yield piece
        except Exception as error:
            raise failure_of(error) from None
        finally:
            response.release()


def _described(request: ClientRequest, content: bytes) -> HttpRequest:
    headers = [
        (name.encode("utf-8", "surrogateescape"), value.encode("utf-8", "surrogateescape"))
        for name, value in request.headers.items()
    ]
    return describe_request(request.method, str(request.url), headers, content)


async def _content_of(request: ClientRequest) -> bytes:
    """The body of a request, which is still sent as the program gave it.

    aiohttp keeps what an asynchronous generator has given, and rewinds a file.
    """
    body: Any = request.body
    if not isinstance(body, Payload):
        return bytes(body)
    content = await body.as_bytes()
    if body.consumed:  # a pipe, which cannot be rewound
        await request.update_body(content)
    use_up(body)
    return content
