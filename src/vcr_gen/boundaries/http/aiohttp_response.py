"""Builds the responses that a program gets from `aiohttp_middleware`.

aiohttp has no public way to make a response. All that this package knows of its private parts is
in this module; it holds for aiohttp 3.12.4 up to at least 3.14:

- `ClientResponse.start` takes the head and the body from `connection.protocol.read()`. A small
  connection and protocol of our own play that role, so aiohttp itself sets the status, the headers
  and the cookies of the response.
- `ClientRequest._timer` is the total timeout of the session. It belongs to the program: the
  response gets it, and the real request goes on without it (see `detach_timer`).
- The last handler is a closure over `auto_decompress`, the setting of the request, and the one of
  a middleware before it is a closure over the next, `next_h`.
- `Payload._consumed` tells that a body cannot be sent again.
- `ClientRequest._upload_tracker` (3.14.4 on) gets a call for each step of an upload.
- `StreamReader._buffer` and `_http_chunk_splits` tell what has arrived already.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from functools import cache
from inspect import signature
from typing import Any, Final, final

from aiohttp import ClientRequest, ClientResponse, ClientResponseError, HttpVersion, hdrs
from aiohttp import http as aiohttp_http
from aiohttp.helpers import TimerNoop
from aiohttp.payload import AsyncIterablePayload, Payload
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader
from multidict import CIMultiDict, CIMultiDictProxy, istr

from vcr_gen.boundaries.http.content_encoding import Decoder, Encoder
from vcr_gen.boundaries.http.exchanges import HttpError, HttpResponse, RawHeaders
from vcr_gen.boundaries.http.framing import Aside, Framing, Length, values_of
from vcr_gen.boundaries.http.library_failures import error_of


def timer_of(request: ClientRequest) -> Any:
    """The total timeout of the session."""
    return request._timer


def decompresses(request: ClientRequest, handler: object) -> bool:
    """Whether the program wants the content encoding undone.

    A request may have a setting of its own, which only its handler knows.
    """
    while handler is not None:
        names = getattr(getattr(handler, "__code__", None), "co_freevars", ())
        cells: Any = getattr(handler, "__closure__", None) or ()
        enclosed = {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}
        if "auto_decompress" in enclosed:
            return bool(enclosed["auto_decompress"])
        handler = enclosed.get("next_h")  # other middlewares stand before the last handler
    return request.session.auto_decompress


def detach_timer(request: ClientRequest) -> None:
    """Let the real request run without the total timeout of the session.

    When it expires, it cancels the program, which waits for the exchange. The cancellation is
    recorded, and in a replay the same timer expires again. If the real request noticed it first,
    the timeout would be recorded as an error of the environment.
    """
    request._timer = TimerNoop()


def head_of(response: ClientResponse) -> HttpResponse:
    """The head of a real response."""
    version = response.version or aiohttp_http.HttpVersion11
    return HttpResponse(
        status=response.status,
        reason=response.reason,
        version=f"HTTP/{version.major}.{version.minor}",
        headers=tuple((bytes(name), bytes(value)) for name, value in response.raw_headers),
        is_streamed=not response.content.is_eof(),
        extensions={"connection": response.connection},
    )


async def arrivals(response: ClientResponse, *, decompresses: bool) -> AsyncIterator[bytes]:
    """The body of a real response: each piece holds what has arrived together."""
    content: Any = response.content
    if content is EMPTY_PAYLOAD:
        return
    headers = response.raw_headers
    decoder = None if decompresses and _is_decoded(headers) else Decoder(headers)
    length = Length(response.method, response.status, headers, is_decoded=decoder is None)
    is_streamed = not content.is_eof()
    content._timer = TimerNoop()
    while True:
        parts = [await content.readchunk()]
        while content._buffer or content._http_chunk_splits:
            parts.append(await content.readchunk())
        if parts == [(b"", False)]:
            return
        wire = b"".join(part for part, _ in parts)
        framing = Framing.of(parts, is_chunked=length.is_chunked)
        length.add(wire, framing)
        if is_streamed and length.is_reached != content.at_eof():
            framing.is_last = content.at_eof()
        if not framing.is_usual:
            yield framing
        for piece in (wire,) if decoder is None else decoder.decode(wire):
            yield piece


async def respond(
    request: ClientRequest, head: HttpResponse, items: Any, timer: Any, *, decompresses: bool
) -> ClientResponse:
    """The response that the program gets: its body comes from the items of an exchange."""
    is_decoded = decompresses and _is_decoded(head.headers)
    body = _Body(request, head, items, timer, is_decoded=is_decoded)
    response = _new_response(request, timer)
    response.vcr_body = body
    if not head.is_streamed:
        await body.deliver()
    await response.start(_Connection(head, body))
    if head.is_streamed:
        body.begin()
        try:
            await asyncio.sleep(0)  # a task that is cancelled before it has begun closes nothing
        except BaseException:
            response.close()
            raise
    made: ClientResponse = response
    return made


def use_up(body: Payload) -> None:
    """Note that a body that can be sent only once is about to be sent.

    Reading it for the tape made aiohttp keep it; without vcr-gen, aiohttp refuses to send it again.
    """
    if isinstance(body, AsyncIterablePayload):
        body._consumed = True


def note_upload(request: ClientRequest, size: int) -> None:
    """Tell the `UploadTracker` of the program, if it has one, that a body was sent.

    In a replay nothing else does.
    """
    tracker = getattr(request, "_upload_tracker", None)
    if tracker is not None:
        attempt = tracker._attempt_started()
        tracker._accepted = size
        tracker._attempt_finished(attempt)


def error_for(request: ClientRequest, failed: HttpError) -> BaseException:
    """The exception that the program gets if an exchange fails."""
    error = error_of(failed)
    if failed.original is None and isinstance(error, ClientResponseError):
        error.request_info = request.request_info
        error.args = (error.request_info, error.history)
    return error


def _any(value: Any) -> Any:
    """A value that only has the members aiohttp uses."""
    return value


class _Response:
    """The additions to the responses of aiohttp."""

    vcr_body: "_Body"

    async def wait_for_close(self) -> None:
        """Leave an `async with` block only when the exchange is closed."""
        await super().wait_for_close()  # type: ignore[misc]
        await self.vcr_body.closed()


@final
class _Body:
    """Delivers the body of a response to the program, as the protocol of a connection would.

    It reads ahead like a connection: the program may do something else while the body arrives.
    """

    connected = True
    upgraded = False

    def __init__(
        self,
        request: ClientRequest,
        head: HttpResponse,
        items: Any,
        timer: Any,
        *,
        is_decoded: bool,
    ) -> None:
        self.length = Length(request.method, head.status, head.headers, is_decoded=is_decoded)
        self._content = EMPTY_PAYLOAD
        if not self.length.is_reached:
            limit = request.session._read_bufsize
            self._content = StreamReader(_any(self), limit, timer=timer, loop=request.loop)
        self._request = request
        self._head = head
        self._items = items
        self._encoder = None if is_decoded else Encoder(head.headers)
        self._delivery: asyncio.Task[None] | None = None
        self._reading_paused = False
        self._resumed = asyncio.Event()
        self._is_over = False

    async def read(self) -> tuple[Any, StreamReader]:
        """The head and the body, as `ClientResponse.start` wants them."""
        head = self._head
        major, minor = head.version.removeprefix("HTTP/").split(".")
        message = aiohttp_http.RawResponseMessage(
            version=HttpVersion(int(major), int(minor)),
            code=head.status,
            reason=head.reason or "",
            headers=_headers(head.headers),
            raw_headers=head.headers,
            should_close=False,
            compression=None,
            upgrade=False,
            chunked=self.length.is_chunked,
        )
        return message, self._content

    def begin(self) -> None:
        """Begin to deliver the body."""
        self._delivery = self._request.loop.create_task(self.deliver())

    def stop(self) -> None:
        """Close the exchange; the program wants nothing more from it."""
        if self._delivery is not None and not self._is_over:
            self._delivery.cancel()

    async def closed(self) -> None:
        """Wait until the exchange is closed."""
        if self._delivery is not None:
            await asyncio.wait([self._delivery])

    def pause_reading(self) -> None:
        """Stop: the program has enough to read."""
        self._reading_paused = True

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Go on: the program has read most of it."""
        self._reading_paused = False
        self._resumed.set()

    async def deliver(self) -> None:
        """Deliver pieces until the body ends, fails, or the response is closed."""
        if self.length.is_chunked:
            self._content.begin_http_chunk_receiving()
        framing = Framing()
        last: list[tuple[bytes, Framing]] = []
        """Pieces that come together with the end."""
        try:
            async for piece in self._items:
                if isinstance(piece, Framing):
                    framing = piece
                    continue
                if isinstance(piece, Aside):
                    if self._encoder is not None:
                        self._encoder.heed(piece)
                    continue
                wire = piece if self._encoder is None else self._encoder.encode(piece)
                last.append((wire, framing))
                self.length.add(wire, framing)
                if not (self.length.is_reached if framing.is_last is None else framing.is_last):
                    self._feed(last)
                    if self._head.is_streamed:
                        await self._until_resumed()
                framing = Framing()
            if self._encoder is not None:
                last.append((self._encoder.finish(), framing))
        except HttpError as failed:
            self._feed(last)
            self._content.set_exception(error_for(self._request, failed))
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # such as a divergence: the program waits for the body
            self._content.set_exception(error)
            if not self._head.is_streamed:
                raise
        else:
            self._feed(last)
            self._is_over = True
            self._content.feed_eof()
        finally:
            await self._items.aclose()

    async def _until_resumed(self) -> None:
        while self._reading_paused:
            self._resumed.clear()
            await self._resumed.wait()

    def _feed(self, pieces: list[tuple[bytes, Framing]]) -> None:
        for piece, framing in pieces:
            for part, ends_chunk in framing.parts_of(piece):
                self._content.feed_data(part)
                if ends_chunk and self.length.is_chunked:
                    self._content.end_http_chunk_receiving()
        pieces.clear()


@final
class _Connection:
    """Plays the connection of a response."""

    def __init__(self, head: HttpResponse, body: _Body) -> None:
        self.protocol: _Body | None = body
        self._real = None if head.extensions is None else head.extensions["connection"]
        self._callbacks: list[Callable[[], None]] = []

    @property
    def transport(self) -> Any:
        """The real transport while recording; None in a replay."""
        return None if self._real is None else self._real.transport

    @property
    def closed(self) -> bool:
        return self.protocol is None

    def add_callback(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def release(self) -> None:
        if self.protocol is not None:
            self.protocol.stop()
        self.protocol = None
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            with suppress(Exception):  # as aiohttp does
                callback()

    close = release


@final
class _StreamWriter:
    """The members that a response uses of the writer of its request."""

    output_size = 0


@cache
def _needs_stream_writer() -> bool:
    """Whether `ClientResponse` wants the writer of the request, as aiohttp 3.13.4 and later do."""
    return "stream_writer" in signature(ClientResponse.__init__).parameters


@cache
def _kind(cls: Any) -> Any:
    return type(cls.__name__, (_Response, cls), {})


def _new_response(request: ClientRequest, timer: Any) -> Any:
    given: dict[str, Any] = {
        "writer": None,
        "continue100": None,
        "timer": timer,
        "request_info": request.request_info,
        "traces": request._traces,
        "loop": request.loop,
        "session": request.session,
    }
    if _needs_stream_writer():
        given["stream_writer"] = _StreamWriter()
    response_class: Any = request.response_class
    return _kind(response_class)(request.method, request.original_url, **given)


def _is_decoded(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether aiohttp can undo the content encoding of a response."""
    encodings = values_of(headers, b"content-encoding")
    if encodings == [b"zstd"] and not _knows_zstd():
        return False
    return encodings in _DECODED


_DECODED: Final[tuple[list[bytes], ...]] = ([], [b"gzip"], [b"deflate"], [b"br"], [b"zstd"])
"""The content encodings that aiohttp undoes."""


@cache
def _knows_zstd() -> bool:
    from aiohttp import compression_utils

    return bool(getattr(compression_utils, "HAS_ZSTD", False))


_NAMES: Final = {str(name).lower(): name for name in vars(hdrs).values() if isinstance(name, istr)}


@cache
def _spells_names() -> bool:
    """Whether the parser spells the names of well-known headers in the usual way, as in C."""
    from aiohttp import http_parser

    return http_parser.HttpResponseParser is not http_parser.HttpResponseParserPy


def _headers(raw: RawHeaders) -> CIMultiDictProxy[str]:
    """The headers as aiohttp's parser gives them to the program."""
    headers: CIMultiDict[str] = CIMultiDict()
    for name, value in raw:
        spelt = name.decode("utf-8", "surrogateescape")
        if _spells_names():
            spelt = _NAMES.get(spelt.lower(), spelt)
        headers.add(spelt, value.decode("utf-8", "surrogateescape"))
    return CIMultiDictProxy(headers)
