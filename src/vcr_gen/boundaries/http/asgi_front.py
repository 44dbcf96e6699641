"""The ASGI application that a server calls while a session is recorded."""

from collections.abc import Mapping
from typing import Any, final

from vcr_boundaries import VcrAsgi
from vcr_gen import Cassette
from vcr_gen.boundaries.http.asgi_application import Application, Native
from vcr_gen.boundaries.http.asgi_exchange import Bell, Receive, Send, is_last
from vcr_gen.boundaries.http.exchanges import HttpError, HttpResponse
from vcr_gen.boundaries.http.library_failures import error_of
from vcr_gen.boundaries.http.served_exchanges import Address, ServedRequest, url_of
from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.port import port_of
from vcr_gen.runtime.loops.backends import running_library


@final
class InboundApplication:
    """Records what a server asks of an application; a `Driver` asks it again in a replay."""

    def __init__(self, cassette: Cassette, app: Any) -> None:
        cassette.serve_only()
        self._asgi = VcrAsgi(cassette=cassette, inner=Application(app))
        self._port = port_of(self._asgi)  # by which a `Driver` knows it

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Serve what a server asks for."""
        match scope["type"]:
            case "http":
                await self._serve(scope, receive, send)
            case "lifespan":
                await self._live(scope, receive, send)
            case kind:
                raise UsageError(
                    f"http_inbound records HTTP requests only; got a {kind}: "
                    f"{scope.get('path', '')}\n\nhint: let the client of the recorded session "
                    "open it at a server for the application itself, not for http_inbound(…)"
                )

    async def _live(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self._asgi.startup(native=Native(scope, send))
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await self._asgi.shutdown()
            await send({"type": "lifespan.shutdown.complete"})
        except HttpError as failed:
            error = failed
        else:
            return
        if error.original is None:
            await send({"type": error.failure.error, "message": error.failure.message})
        else:
            raise error_of(error)

    async def _serve(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        request = await _read(scope, receive)
        native = Native(scope, send)
        items: Any = self._asgi.exchange(request, native=native)
        client = _Client(self._asgi, native, receive)
        watch = running_library().spawn(client.watch()) if request.is_complete else None
        error: BaseException | None = None
        try:
            async for item in items:
                client.is_answered = is_last(item)
                await client.send(item)
        except HttpError as failed:
            error = error_of(failed)
        except BaseException:
            await items.aclose()
            raise
        finally:
            await client.settle()
            if watch is not None:
                watch.cancel()
        if error is not None:
            raise error


@final
class _Client:
    """The client of one request; it may disconnect before the response is complete."""

    def __init__(self, asgi: VcrAsgi, native: Native, receive: Receive) -> None:
        self._asgi = asgi
        self._native = native
        self._receive = receive
        self.is_answered = False
        """Whether the response is complete, so that the client may leave without consequences."""
        self._is_leaving = self._has_left = False
        self._changed = Bell()

    async def watch(self) -> None:
        """Tell the application when the client leaves."""
        message = await self._receive()
        while not self._native.number:
            await self._native.begun.wait()
        if message["type"] == "http.disconnect" and not self.is_answered:
            await self._leave()

    async def _leave(self) -> None:
        if self._is_leaving:
            return
        self._is_leaving = True
        try:
            await self._asgi.disconnect(self._native.number)
        finally:
            self._has_left = True
            self._changed.ring()

    async def settle(self) -> None:
        """Wait until the application has been told."""
        while self._is_leaving and not self._has_left:
            await self._changed.wait()

    async def send(self, item: HttpResponse | bytes) -> None:
        """Send a part of the response."""
        try:
            await self._send(item)
        except OSError:  # as servers say it since ASGI 2.4
            await self._leave()

    async def _send(self, item: HttpResponse | bytes) -> None:
        send = self._native.send
        if isinstance(item, bytes):
            more = not self.is_answered
            await send({"type": "http.response.body", "body": bytes(item), "more_body": more})
            return
        headers = list(item.headers)
        await send({"type": "http.response.start", "status": item.status, "headers": headers})
        if self.is_answered:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _read(scope: Mapping[str, Any], receive: Receive) -> ServedRequest:
    """A request with all of its body."""
    pieces: list[bytes] = []
    more = is_complete = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            is_complete = False
            break
        pieces.append(bytes(message.get("body", b"")))
        more = message.get("more_body", False)
    headers = tuple((bytes(name), bytes(value)) for name, value in scope["headers"])
    has_length = any(name.lower() == b"content-length" for name, _ in headers)
    url = url_of(scope["path"], scope.get("raw_path"), scope.get("query_string", b""))
    request = ServedRequest(
        method=scope["method"],
        url=url,
        headers=headers,
        body=b"".join(pieces),
        cuts=() if has_length else _cuts(pieces),
        is_complete=is_complete,
        root_path=scope.get("root_path", ""),
        scheme=scope.get("scheme", "http"),
        server=_address(scope.get("server")),
        client=_address(scope.get("client")),
        http_version=scope.get("http_version", "1.1"),
        asgi=scope.get("asgi"),
    )
    return request.with_path(scope["path"])


def _cuts(pieces: list[bytes]) -> tuple[int, ...]:
    cuts, length = [], 0
    for piece in filter(None, pieces):
        cuts.append(length)
        length += len(piece)
    return tuple(cuts[1:])


def _address(given: Any) -> Address | None:
    return None if given is None else (given[0], given[1])
