"""The messages in the HTTP exchanges of a session, as the frames of one connection.

Over HTTP the status of a response, the end of a stream, and a client that no longer listens say
what a frame says on other wires. Here they become that frame, as they do in clients of the SDK.
"""

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final, final

from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from vcr_gen.boundaries.mcp.event_stream import Event, EventBuffer
from vcr_gen.boundaries.mcp.frames import Frame, frames_in
from vcr_gen.boundaries.mcp.tap_queue import Heard

_DISCOVER: Final = "server/discover"
_OPENING: Final = ("initialize", _DISCOVER)
"""Requests that begin a session: in protocols up to 2025, and since 2026."""
_EVENTS: Final = "text/event-stream"


class SecondSessionError(Exception):
    """A client would begin another session; `answer` says so to it."""

    def __init__(self, number: int | str | None) -> None:
        super().__init__("a cassette holds one session: record another session in its own file")
        self.answer: Final = _error(number, INVALID_REQUEST, f"vcr-gen: {self}")


@final
class HttpSession:
    """The exchanges of one session; `tell` hears what they say."""

    def __init__(self, tell: Callable[[Heard], None]) -> None:
        self.has_event_stream = False
        """Whether the client hears all answers by one stream, as in the protocol of 2024."""
        self._tell = tell
        self._asked: dict[int | str, str] = {}
        """The methods of the requests that have no answer yet."""
        self._opened_by: set[str] = set()
        self._events: set[str] = set()

    def begin(self, method: str, headers: Mapping[str, str], body: bytes) -> "Exchange":
        """Pass on a client's request; raises `SecondSessionError` if it is of another session."""
        frames = list(frames_in(body)) if method == "POST" else []
        for frame in frames:
            if self._opens_another(frame.get("method", "")):
                raise SecondSessionError(frame.get("id"))
        if method == "GET" and self.has_event_stream:
            raise SecondSessionError(None)
        requests = {
            frame["id"]: frame["method"] for frame in frames if {"id", "method"} <= {*frame}
        }
        self._asked |= requests
        self._opened_by.update(name for name in requests.values() if name in _OPENING)
        self.client_says(frames, has_left=method == "DELETE")
        return Exchange(self, list(requests), headers)

    def _opens_another(self, method: str) -> bool:
        """A client may initialize a session where discovering has shown an older server."""
        if method == _DISCOVER:
            return bool(self._opened_by)
        return method in self._opened_by

    def client_says(self, frames: Iterable[Frame] = (), *, has_left: bool = False) -> None:
        """Tell what the client says."""
        self._tell(Heard(True, frames, has_left))

    def server_says(self, frames: Iterable[Frame] = (), *, has_left: bool = False) -> None:
        """Tell what the server says."""
        for frame in frames:
            if "method" not in frame:
                method = self._asked.pop(frame.get("id", ""), "")
                if "error" in frame:
                    self._opened_by.discard(method)
        self._tell(Heard(False, frames, has_left))

    def unanswered(self, numbers: Iterable[int | str]) -> list[int | str]:
        """Those of the requests that have no answer yet."""
        return [number for number in numbers if number in self._asked]

    def is_new(self, event: Event) -> bool:
        """Whether an event is heard for the first time: a client may ask for it once more."""
        is_new = not event.identity or event.identity not in self._events
        self._events.add(event.identity)
        return is_new


@final
class Exchange:
    """A request over HTTP and its response; `numbers` are those of the requests in it."""

    def __init__(
        self, session: HttpSession, numbers: list[int | str], headers: Mapping[str, str]
    ) -> None:
        self._session = session
        self._numbers = numbers
        self._ends_unheard = headers.get("mcp-protocol-version") in MODERN_PROTOCOL_VERSIONS
        self._knows_session = "mcp-session-id" in headers
        self._status: int = HTTPStatus.OK
        self._kind = ""
        self._body = b""
        self._buffer = EventBuffer()
        self._is_event_stream = False
        self._can_be_resumed = False

    def answered(self, status: int, headers: Mapping[str, str]) -> None:
        """Take note of the head of the response."""
        self._status = status
        self._kind = headers.get("content-type", "").partition(";")[0].strip().lower()

    def heard(self, piece: bytes) -> None:
        """Tell what a piece of the response says."""
        if self._kind != _EVENTS:
            self._body += piece
            return
        frames: list[Frame] = []
        for event in self._buffer.events(piece):
            self._can_be_resumed |= bool(event.identity)
            if event.kind == "endpoint":
                self._session.has_event_stream = self._is_event_stream = True
            elif self._session.is_new(event):
                frames += frames_in(event.data)
        if frames:
            self._session.server_says(frames)

    def ended(self) -> None:
        """Tell what the end of the response says: what has no answer now gets none."""
        if self._kind != _EVENTS:
            self._session.server_says([self._addressed(frame) for frame in frames_in(self._body)])
        if self._is_event_stream:
            self._session.server_says(has_left=True)
        elif not (self._can_be_resumed or self._session.has_event_stream):
            unanswered = self._session.unanswered(self._numbers)
            self._session.server_says([_error(number, *self._failure()) for number in unanswered])

    def client_left(self) -> None:
        """Tell what it says that the client does not wait for the rest of the response."""
        if self._is_event_stream:
            self._session.client_says(has_left=True)
        elif self._ends_unheard:
            unanswered = self._session.unanswered(self._numbers)
            self._session.client_says([_cancelled(number) for number in unanswered])

    def _addressed(self, frame: Frame) -> Frame:
        """An error that was found before the number of the request is the answer to it."""
        if "error" in frame and frame.get("id") not in self._numbers and self._numbers:
            return {**frame, "id": self._numbers[0]}
        return frame

    def _failure(self) -> tuple[int, str]:
        if self._status == HTTPStatus.NOT_FOUND:
            if self._knows_session:
                return INVALID_REQUEST, "Session terminated"
            return METHOD_NOT_FOUND, "Not Found"
        if self._status >= HTTPStatus.BAD_REQUEST:
            return INTERNAL_ERROR, "Server returned an error response"
        if self._kind == _EVENTS:
            return CONNECTION_CLOSED, "SSE stream ended without a response"
        return INVALID_REQUEST, f"Unexpected content type: {self._kind}"


def _error(number: int | str | None, code: int, message: str) -> Frame:
    error: Any = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": number, "error": error}


def _cancelled(number: int | str) -> Frame:
    params = {"requestId": number}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
