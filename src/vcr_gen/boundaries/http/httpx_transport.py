"""The front for httpx and httpx2: transports for their clients, sync and async.

The two libraries have the same interface. A transport finds out from each request which of them it
serves, and imports neither itself.
"""

import sys
import threading
from collections.abc import AsyncIterator, Iterator
from functools import cache
from types import TracebackType
from typing import Any, NoReturn, Self, final

from vcr_boundaries import VcrAsyncHttp, VcrHttp
from vcr_gen import Cassette
from vcr_gen.boundaries.http.content_encoding import Decoder, Encoder
from vcr_gen.boundaries.http.exchanges import (
    HttpError,
    HttpRequest,
    HttpResponse,
    describe_request,
)
from vcr_gen.boundaries.http.framing import Aside
from vcr_gen.boundaries.http.library_failures import error_of, failure_of
from vcr_gen.errors import UsageError


@final
class Transport:
    """Records and replays the requests of a `Client`."""

    def __init__(self, cassette: Cassette, inner: Any = None) -> None:
        self._real = _Real("HTTPTransport", inner if cassette.calls_real else None)
        self._http = VcrHttp.attach(cassette, lambda: _Bridge(self._real))

    def handle_request(self, request: Any) -> Any:
        """Answer a request: from the network while recording, from the tape in a replay."""
        library = _library_of(request)
        try:
            parts = [request.content]
        except library.RequestNotRead:
            parts = list(request.stream)
        sent = _Sent(library, request, parts)
        items = self._http.exchange(sent.described(), native=sent)
        try:
            head = next(items)
        except HttpError as failed:
            error = error_of(failed)
        else:
            return _response(library, head, _kinds(library).body(head, items))
        raise error

    async def handle_async_request(self, *_: object) -> NoReturn:
        """Refuse an asynchronous client."""
        raise UsageError("an asynchronous client needs async_http_transport, not http_transport")

    __aenter__ = handle_async_request

    def close(self) -> None:
        """Close the real transport, if one was used."""
        if self._real.transport is not None:
            self._real.transport.close()

    def __enter__(self) -> Self:
        if self._real.transport is not None:
            self._real.transport.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        if self._real.transport is not None:
            self._real.transport.__exit__(kind, error, traceback)


@final
class AsyncTransport:
    """Records and replays the requests of an `AsyncClient`."""

    def __init__(self, cassette: Cassette, inner: Any = None) -> None:
        self._real = _Real("AsyncHTTPTransport", inner if cassette.calls_real else None)
        self._http = VcrAsyncHttp.attach(cassette, lambda: _AsyncBridge(self._real))

    async def handle_async_request(self, request: Any) -> Any:
        """Answer a request: from the network while recording, from the tape in a replay."""
        library = _library_of(request)
        try:
            parts = [request.content]
        except library.RequestNotRead:
            parts = [part async for part in request.stream]
        sent = _Sent(library, request, parts)
        items = self._http.exchange(sent.described(), native=sent)
        try:
            head = await anext(items)
        except HttpError as failed:
            error = error_of(failed)
        else:
            return _response(library, head, _kinds(library).async_body(head, items))
        raise error

    def handle_request(self, *_: object) -> NoReturn:
        """Refuse a synchronous client."""
        raise UsageError("a synchronous client needs http_transport, not async_http_transport")

    __enter__ = handle_request

    async def aclose(self) -> None:
        """Close the real transport, if one was used."""
        if self._real.transport is not None:
            await self._real.transport.aclose()

    async def __aenter__(self) -> Self:
        if self._real.transport is not None:
            await self._real.transport.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        if self._real.transport is not None:
            await self._real.transport.__aexit__(kind, error, traceback)


@final
class _Real:
    """The real transport: the user's own, or one that is made for the first request."""

    def __init__(self, default: str, transport: Any) -> None:
        self._default = default
        self.transport = transport
        self._making = threading.Lock()

    def serving(self, library: Any) -> Any:
        with self._making:  # threads may send the first requests at once
            if self.transport is None:
                self.transport = getattr(library, self._default)()
            return self.transport


@final
class _Sent:
    """A request of the program, whose body has been read."""

    def __init__(self, library: Any, request: Any, parts: list[bytes]) -> None:
        self.library = library
        self._request = request
        self._parts = parts

    def described(self) -> HttpRequest:
        request = self._request
        return describe_request(
            request.method, str(request.url), request.headers.raw, b"".join(self._parts)
        )

    def copy(self) -> Any:
        """The request to send; the program's own request is consumed as it is without vcr-gen."""
        request = self._request
        return self.library.Request(
            request.method,
            request.url,
            headers=request.headers,
            stream=_kinds(self.library).parts(self._parts),
            extensions=request.extensions,
        )


@final
class _Bridge:
    """Sends requests through a real transport."""

    def __init__(self, real: _Real) -> None:
        self._real = real

    def exchange(self, request: HttpRequest, *, native: _Sent) -> Iterator[HttpResponse | bytes]:
        try:
            response = self._real.serving(native.library).handle_request(native.copy())
        except Exception as error:
            raise failure_of(error) from None
        try:
            head = _head(response)
            yield head
            decoder = Decoder(head.headers)
            for wire in response.stream:
                yield from decoder.decode(wire)
        except Exception as error:
            raise failure_of(error) from None
        finally:
            response.stream.close()


@final
class _AsyncBridge:
    """Sends requests through a real asynchronous transport."""

    def __init__(self, real: _Real) -> None:
        self._real = real

    async def exchange(
        self, request: HttpRequest, *, native: _Sent
    ) -> AsyncIterator[HttpResponse | bytes]:
        try:
            transport = self._real.serving(native.library)
            response = await transport.handle_async_request(native.copy())
        except Exception as error:
            raise failure_of(error) from None
        try:
            head = _head(response)
            yield head
            decoder = Decoder(head.headers)
            async for wire in response.stream:
                for piece in decoder.decode(wire):
                    yield piece
        except Exception as error:
            raise failure_of(error) from None
        finally:
            await response.stream.aclose()


def _head(response: Any) -> HttpResponse:
    extensions = response.extensions
    reason = extensions.get("reason_phrase")
    return HttpResponse(
        status=response.status_code,
        reason=None if reason is None else reason.decode("latin-1"),
        version=extensions.get("http_version", b"HTTP/1.1").decode("ascii"),
        headers=tuple(response.headers.raw),
        extensions=extensions,
    )


def _response(library: Any, head: Any, body: Any) -> Any:
    extensions = head.extensions
    if extensions is None:
        extensions = {"http_version": head.version.encode("ascii")}
        if head.reason is not None:
            extensions["reason_phrase"] = head.reason.encode("latin-1")
    return library.Response(
        head.status, headers=list(head.headers), stream=body, extensions=extensions
    )


def _library_of(request: Any) -> Any:
    """The module `httpx` or `httpx2`, whichever made the request."""
    return sys.modules[type(request).__module__.partition(".")[0]]


@final
class _Kinds:
    """The classes of streams that a library accepts."""

    def __init__(self, library: Any) -> None:
        self.body: Any = type("Body", (_Body, library.SyncByteStream), {})
        self.async_body: Any = type("AsyncBody", (_AsyncBody, library.AsyncByteStream), {})
        both = (_Parts, library.SyncByteStream, library.AsyncByteStream)
        self.parts: Any = type("Parts", both, {})


@cache
def _kinds(library: Any) -> _Kinds:
    return _Kinds(library)


class _Parts:
    """The body of a request, in the pieces in which the program gave it."""

    def __init__(self, parts: list[bytes]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._parts)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            yield part


class _Body:
    """The body of a response. A second iteration goes on where the first one stopped."""

    def __init__(self, head: HttpResponse, items: Any) -> None:
        self._items = items
        self._encoder = Encoder(head.headers)

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._encoder.encoded(self._items)
        except HttpError as failed:
            error = error_of(failed)
        else:
            return
        raise error

    def close(self) -> None:
        self._items.close()


class _AsyncBody:
    """The body of a response. A second iteration goes on where the first one stopped."""

    def __init__(self, head: HttpResponse, items: Any) -> None:
        self._items = items
        self._encoder = Encoder(head.headers)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self._items:
                if isinstance(piece, Aside):
                    self._encoder.heed(piece)
                else:
                    yield self._encoder.encode(piece)
            if rest := self._encoder.finish():
                yield rest
        except HttpError as failed:
            error = error_of(failed)
        else:
            return
        raise error

    async def aclose(self) -> None:
        await self._items.aclose()
