"""One request in an ASGI application: what it receives, and what it sends."""

import logging
from collections import deque
from collections.abc import Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final, Protocol, TypeAlias, final

from vcr_gen.boundaries.http.exchanges import HttpResponse
from vcr_gen.boundaries.http.served_exchanges import ServedRequest
from vcr_gen.runtime.loops.backends import Parked, running_library

Message: TypeAlias = MutableMapping[str, Any]

_LOG: Final = logging.getLogger("vcr_gen.http_inbound")
_MOST_WAITING: Final = 65_536
"""How many bytes the application may send before they are taken."""


class Receive(Protocol):
    """Gives an application the next message of its server."""

    async def __call__(self) -> Message:
        """Wait for it."""


class Send(Protocol):
    """Takes a message of an application."""

    async def __call__(self, message: Message, /) -> None:
        """Pass it on."""


class LastPiece(bytes):
    """The piece with which a body ends."""


def is_last(item: HttpResponse | bytes) -> bool:
    """Whether a response is complete with this."""
    if isinstance(item, HttpResponse):
        return bool(item.extensions and item.extensions.get("is_last"))
    return isinstance(item, LastPiece)


@final
class Bell:
    """Where tasks wait until something has changed."""

    def __init__(self) -> None:
        self._parked: list[Parked[None]] = []

    async def wait(self) -> None:
        """Wait for the next change."""
        parked: Parked[None] = running_library().park()
        self._parked.append(parked)
        try:
            await parked
        finally:
            self._parked.remove(parked)

    async def wait_though_cancelled(self) -> None:
        """Like `wait`, in a task that was cancelled and may not leave yet."""
        parked: Parked[None] = running_library().park(patient=True)
        self._parked.append(parked)
        try:
            await parked
        finally:
            self._parked.remove(parked)

    def ring(self) -> None:
        """Something has changed."""
        for parked in self._parked:
            if not parked.done():
                parked.set_result(None)


@final
class OneRequest:
    """Passes the response from the task of the application to its reader.

    The head waits for the first piece of the body, as servers do it. The application need not wait
    for the reader, except if it sends much more than that takes.
    """

    def __init__(
        self, request: ServedRequest, scope: Mapping[str, Any], others: Send | None
    ) -> None:
        self._request = request
        self._incoming = deque(request.pieces)
        versions = scope.get("asgi") or {}
        self._raises_when_gone = str(versions.get("spec_version", "2.0")) >= "2.4"
        self._others = others
        """Takes messages that are no part of the response, such as those for debugging.

        None where no server runs the application, so that none logs its exceptions.
        """
        self._head: HttpResponse | None = None
        self._has_begun = False
        self._left: int | None = None
        """How many bytes of the body are to come, if the head says that."""
        self._has_ended = False
        """Whether the reader knows that the response is complete."""
        self._is_answered = False
        self._is_gone = False
        self._outgoing: deque[HttpResponse | bytes] = deque()
        self._waiting = 0
        self._changed = Bell()
        self.is_over = False
        self.error: BaseException | None = None

    async def run(self, app: Any, scope: Message) -> None:
        """Let the application answer."""
        try:
            await app(scope, self.receive, self.send)
        except running_library().cancelled:
            raise
        except BaseException as error:
            self.error = error
            if self._others is None:
                _LOG.error(
                    "exception in the application: %s %s",
                    self._request.method,
                    self._request.url,
                    exc_info=error,
                )
        finally:
            self.is_over = True
            self._changed.ring()

    async def next(self) -> HttpResponse | bytes | None:
        """The next message of the application; None at its end."""
        while not self._outgoing and not self.is_over:
            await self._changed.wait()
        if not self._outgoing:
            return None
        item = self._outgoing.popleft()
        if isinstance(item, bytes):
            self._waiting -= len(item)
        self._changed.ring()
        return item

    async def end(self) -> None:
        """Wait until the application is over, though this task was cancelled."""
        while not self.is_over:
            await self._changed.wait_though_cancelled()

    def leave(self) -> None:
        """The client has gone."""
        self._is_gone = True
        self._changed.ring()

    # What the application calls -----------------------------------------------------------------

    async def receive(self) -> Message:
        """The next piece of the request's body; or that the client has gone, once it has."""
        if self._incoming:
            piece = self._incoming.popleft()
            more = bool(self._incoming) or not self._request.is_complete
            return {"type": "http.request", "body": piece, "more_body": more}
        while self._request.is_complete and not (self._is_gone or self._is_answered):
            await self._changed.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Take a part of the response."""
        kind = message["type"]
        if kind not in ("http.response.start", "http.response.body"):
            if self._others is not None:
                await self._others(message)
            return
        if self._is_answered or (kind == "http.response.start") == self._has_begun:
            when = "before the response began" if not self._has_begun else "too late"
            raise RuntimeError(f"the application sent {kind!r} {when}")
        if self._is_gone and self._raises_when_gone:
            raise OSError("the client has disconnected")
        if kind == "http.response.start":
            self._begin(message)
        else:
            await self._go_on(bytes(message.get("body", b"")), message.get("more_body", False))

    def _begin(self, message: Message) -> None:
        self._has_begun = True
        status = int(message["status"])
        headers = tuple((bytes(name), bytes(value)) for name, value in message.get("headers", ()))
        lengths = [value for name, value in headers if name.lower() == b"content-length"]
        if lengths and lengths[0].isdigit():
            self._left = int(lengths[0])
        version = self._request.http_version
        self._head = HttpResponse(status, _reason(status), f"HTTP/{version}", headers)

    async def _go_on(self, piece: bytes, more: bool) -> None:
        if self._left is not None:
            self._left -= len(piece)
        # Middleware often sends an empty piece after one that has completed the body.
        ends = not self._has_ended and (not more or (self._left == 0 and bool(piece)))
        self._has_ended = self._has_ended or ends
        if self._head is not None:
            self._put(_with_end(self._head) if ends and not piece else self._head)
            ends = ends and bool(piece)
            self._head = None
        if piece or ends:
            self._put(LastPiece(piece) if ends else piece)
        self._is_answered = not more
        self._changed.ring()
        while self._waiting > _MOST_WAITING and not self._is_gone:
            await self._changed.wait()

    def _put(self, item: HttpResponse | bytes) -> None:
        if self._is_gone:
            return
        if isinstance(item, bytes):
            self._waiting += len(item)
        self._outgoing.append(item)
        self._changed.ring()


def _with_end(head: HttpResponse) -> HttpResponse:
    return HttpResponse(
        head.status, head.reason, head.version, head.headers, extensions={"is_last": True}
    )


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
