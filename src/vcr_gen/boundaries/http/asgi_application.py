"""An ASGI application as a recorded session calls it: each request in a task of its own."""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Final, final

from vcr_gen.boundaries.http.asgi_exchange import Bell, Message, OneRequest, Send
from vcr_gen.boundaries.http.exchanges import Failure, HttpError, HttpResponse
from vcr_gen.boundaries.http.library_failures import failure_of
from vcr_gen.boundaries.http.served_exchanges import ServedRequest
from vcr_gen.runtime.loops.backends import running_library

_UNSUPPORTED: Final = frozenset(
    {
        "http.response.early_hint",
        "http.response.pathsend",
        "http.response.push",
        "http.response.trailers",
        "http.response.zerocopysend",
    }
)
"""Extensions of servers with which an application sends what a cassette does not hold."""


@final
class Native:
    """The values that a server passed to an application, while there is one."""

    def __init__(self, scope: Mapping[str, Any], send: Send) -> None:
        self.scope = scope
        self.send = send
        self.number = 0
        """The number of the request; 0 until the application has received it."""
        self.begun = Bell()


@final
class Application:
    """Runs an ASGI application: for a server while recording, for the tape in a replay."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self._requests: dict[int, OneRequest] = {}
        self._count = 0
        self._lifespan: _Lifespan | None = None
        self._state: dict[str, Any] | None = None

    async def startup(self, *, native: Native | None) -> None:
        """Let the application begin; its state is the server's, if there is one."""
        scope: Message
        if native is None:
            self._state = {}
            scope = {"type": "lifespan", "asgi": _VERSIONS, "state": self._state}
        else:
            scope = dict(native.scope)
        self._lifespan = _Lifespan()
        running_library().spawn(self._lifespan.run(self._app, scope))
        await self._lifespan.answer_to("startup")

    async def shutdown(self) -> None:
        """Let the application end."""
        if self._lifespan is not None:
            await self._lifespan.answer_to("shutdown")

    async def disconnect(self, exchange: int) -> None:
        """Tell the application that a client has gone."""
        if exchange in self._requests:
            self._requests[exchange].leave()

    async def exchange(
        self, request: ServedRequest, *, native: Native | None
    ) -> AsyncIterator[HttpResponse | bytes]:
        """Let the application answer a request, and end when it has ended."""
        self._count += 1
        number = self._count
        scope = self._scope(request) if native is None else _supported(native.scope)
        running = OneRequest(request, scope, None if native is None else native.send)
        self._requests[number] = running
        if native is not None:
            native.number = number
            native.begun.ring()
        task = running_library().spawn(running.run(self._app, scope))
        try:
            while (item := await running.next()) is not None:
                yield item
        finally:
            del self._requests[number]
            if not running.is_over:  # the server has cancelled the application
                task.cancel()
                await running.end()
        if isinstance(running.error, Exception):
            raise failure_of(running.error) from None
        if running.error is not None:
            raise running.error

    def _scope(self, request: ServedRequest) -> Message:
        """The scope that a server would make of a recorded request."""
        path, _, query = request.url.partition("?")
        scope: Message = {
            "type": "http",
            "http_version": request.http_version,
            "method": request.method,
            "scheme": request.scheme,
            "path": request.decoded_path,
            "raw_path": path.encode("latin-1"),
            "query_string": query.encode("latin-1"),
            "root_path": request.root_path,
            "headers": list(request.headers),
            "client": request.client,
            "server": request.server,
        }
        if request.asgi is not None:
            scope["asgi"] = dict(request.asgi)
        if self._state is not None:
            scope["state"] = self._state.copy()
        return scope


_VERSIONS: Final = {"version": "3.0", "spec_version": "2.0"}


def _supported(scope: Mapping[str, Any]) -> Message:
    """The scope of a server, without extensions that a cassette does not hold."""
    own = dict(scope)
    if extensions := own.get("extensions"):
        own["extensions"] = {k: v for k, v in extensions.items() if k not in _UNSUPPORTED}
    return own


@final
class _Lifespan:
    """The application from its startup to its shutdown."""

    def __init__(self) -> None:
        self._asked: list[str] = []
        self._answers: dict[str, str | None] = {}
        """The application's answer; a text if it failed."""
        self._error: BaseException | None = None
        self._is_over = False
        self._changed = Bell()

    async def run(self, app: Any, scope: Message) -> None:
        """Let the application run until its shutdown."""
        try:
            await app(scope, self._receive, self._send)
        except running_library().cancelled:
            raise
        except BaseException as error:
            self._error = error
        finally:
            self._is_over = True
            self._changed.ring()

    async def answer_to(self, event: str) -> None:
        """Ask the application; raise its failure."""
        self._asked.append(event)
        self._changed.ring()
        while event not in self._answers and not self._is_over:
            await self._changed.wait()
        problem = self._answers.get(event)
        if problem is not None:
            raise HttpError(Failure(f"lifespan.{event}.failed", problem))
        if isinstance(self._error, Exception):
            raise failure_of(self._error) from None
        if self._error is not None:
            raise self._error

    async def _receive(self) -> Message:
        while not self._asked:
            await self._changed.wait()
        return {"type": f"lifespan.{self._asked.pop(0)}"}

    async def _send(self, message: Message) -> None:
        _, event, outcome = message["type"].split(".")
        self._answers[event] = message.get("message", "") if outcome == "failed" else None
        self._changed.ring()
