"""One end of a JSON-RPC connection: frames become calls, and calls become frames."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any, Final, Protocol, final

import anyio
from anyio.abc import TaskGroup, TaskStatus

from vcr_gen.boundaries.mcp.frames import Frame, Number, number_in
from vcr_gen.boundaries.mcp.ports import Progress
from vcr_gen.boundaries.mcp.rpc_messages import Message, Result, RpcError
from vcr_gen.boundaries.mcp.subscriptions import Subscriptions
from vcr_gen.errors import DivergenceError

_INTERNAL_ERROR: Final = -32603
CLOSED: Final = {"code": -32000, "message": "Connection closed"}
"""The answer to a request if the other side leaves without one."""


class Wire(Protocol):
    """Carries frames to one side."""

    async def send(self, frame: Frame, metadata: object = None) -> None:
        """Send a frame; silently not, if that side has left."""

    async def close(self) -> None:
        """Tell that side that no frame will follow."""


class Handler(Protocol):
    """Answers what the other side asks."""

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Answer a request."""

    async def notify(self, message: Message) -> None:
        """Note a notification."""


@final
class _Pending:
    """A request that the other side has not answered yet."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress
        self.answer: Frame | None = None
        self.answered = anyio.Event()
        self.taken = anyio.Event()

    async def answered_with(self, frame: Frame) -> None:
        """Pass on the answer, and wait until it is taken: the next frame comes after it."""
        self.answer = frame
        self.answered.set()
        await self.taken.wait()


@final
class _Serving:
    """A request of the other side that is not answered yet."""

    def __init__(self) -> None:
        self.scope = anyio.CancelScope()
        self.ended = anyio.Event()


@final
class Endpoint:
    """Speaks with one side of a session; what that side asks goes to the `handler`.

    Frames are handled one by one, in the order of the wire: what one of them causes has begun
    before the next one is looked at. `numbers` gives the numbers of requests to that side. While
    recording, a cancelled request has ended by then; in a replay it ends at its recorded place.
    """

    handler: Handler

    def __init__(
        self,
        tasks: TaskGroup,
        wire: Wire,
        *,
        is_recorded: bool = False,
        numbers: Callable[[], Number] | None = None,
    ) -> None:
        self._tasks = tasks
        self._wire = wire
        self._is_recorded = is_recorded
        self._next_number = numbers or count(1).__next__
        self._pending: dict[Number, _Pending] = {}
        self._serving: dict[Number, _Serving] = {}
        self._subscriptions = Subscriptions()
        self._has_left = False

    async def request(self, message: Message, progress: Progress | None) -> Result:
        """Ask the other side."""
        number = self._next_number()
        self._subscriptions.asked(number, message)
        if self._has_left:
            return _result({"error": CLOSED})
        pending = self._pending[number] = _Pending(progress)
        try:
            frame = _request(number, message, wants_progress=progress is not None)
            await self._wire.send(frame, message.metadata)
            await pending.answered.wait()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._wire.send(_cancelled(number))
            raise
        finally:
            if self._pending.get(number) is pending:  # the other side may repeat a number
                del self._pending[number]
            pending.taken.set()
        return self._subscriptions.named(_result(pending.answer or {}))

    async def notify(self, message: Message) -> None:
        """Tell the other side something."""
        params = self._subscriptions.numbered(message.params)
        told = _notification(replace(message, params=params))
        await self._wire.send(told, message.metadata)

    async def closed(self) -> None:
        """Tell the other side that nothing will follow."""
        await self._wire.close()

    async def receive(self, frame: Frame, metadata: object = None) -> None:
        """Handle a frame of the other side."""
        if "method" not in frame:
            await self._take_answer(frame)
        elif "id" in frame:
            await self._begin_serving(frame["id"], frame, metadata)
        elif frame["method"] == "notifications/cancelled":
            await self._cancel(number_in(frame.get("params", {}), "requestId"))
        elif frame["method"] == "notifications/progress":
            await self._take_progress(frame.get("params", {}))
        else:
            with suppress(DivergenceError):  # nothing answers it; the cassette raises it at its end
                message = _message(frame, metadata)
                params = self._subscriptions.named(message.params)
                await self.handler.notify(replace(message, params=params))

    async def left(self) -> None:
        """Cancel what the other side asked, and fail what it is asked: it has left."""
        self._has_left = True
        for number in list(self._serving):
            await self._cancel(number)
        for serving in list(self._serving.values()):
            await serving.ended.wait()
        for pending in list(self._pending.values()):
            await pending.answered_with({"error": CLOSED})

    async def served(self, number: Number) -> None:
        """Wait until a request of the other side has its answer."""
        if number in self._serving:
            await self._serving[number].ended.wait()

    async def _take_answer(self, frame: Frame) -> None:
        pending = self._pending.get(frame.get("id", ""))
        if pending is not None and pending.answer is None:
            await pending.answered_with(frame)

    async def _take_progress(self, params: Mapping[str, Any]) -> None:
        number = number_in(params, "progressToken")
        pending = None if number is None else self._pending.get(number)
        if pending is not None and pending.progress is not None:
            with suppress(DivergenceError):  # as for a notification
                await pending.progress(
                    params.get("progress", 0), params.get("total"), params.get("message")
                )

    async def _begin_serving(self, number: Number, frame: Frame, metadata: object) -> None:
        serving = self._serving[number] = _Serving()
        await self._tasks.start(self._serve, number, frame, metadata, serving)

    async def _serve(
        self,
        number: Number,
        frame: Frame,
        metadata: object,
        serving: _Serving,
        *,
        task_status: TaskStatus[None],
    ) -> None:
        meta = frame.get("params", {}).get("_meta", {})
        token = number_in(meta, "progressToken")
        task_status.started()
        try:
            with serving.scope:
                progress = None if token is None else progress_to(token, self._wire.send)
                message = _message(frame, metadata)
                self._subscriptions.asked(number, message)
                answer = await answer_of(self.handler, message, progress, self._subscriptions)
                await self._wire.send({"jsonrpc": "2.0", "id": number, **answer})
        finally:
            if self._serving.get(number) is serving:
                del self._serving[number]
            serving.ended.set()

    async def _cancel(self, number: Number | None) -> None:
        serving = None if number is None else self._serving.get(number)
        if serving is not None:
            serving.scope.cancel()
            if self._is_recorded:
                await serving.ended.wait()


async def answer_of(
    handler: Handler, message: Message, progress: Progress | None, subscriptions: Subscriptions
) -> Frame:
    """The `result` or the `error` of the answer to a request."""
    try:
        return {"result": subscriptions.numbered(await handler.request(message, progress))}
    except RpcError as error:
        return {"error": error.frame}
    except DivergenceError as error:  # the connection stays open; the cassette tells at its end
        return {"error": {"code": _INTERNAL_ERROR, "message": f"vcr-gen: {error}"}}


def progress_to(token: Number, send: Callable[[Frame], Awaitable[None]]) -> Progress:
    """Reports progress to the side that gave the token."""

    async def report(progress: int | float, total: int | float | None, message: str | None) -> None:
        given = {"progress": progress, "total": total, "message": message}
        params = {name: value for name, value in given.items() if value is not None}
        progressed = Message("notifications/progress", {"progressToken": token, **params})
        await send(_notification(progressed))

    return report


def without_token(params: dict[str, Any]) -> dict[str, Any]:
    """Parameters without the token for progress, which is a number of the wire."""
    meta = params.get("_meta")
    if not isinstance(meta, Mapping) or "progressToken" not in meta:
        return params
    rest = {name: value for name, value in meta.items() if name != "progressToken"}
    others = {name: value for name, value in params.items() if name != "_meta"}
    return {**others, "_meta": rest} if rest else others


def _message(frame: Frame, metadata: object = None) -> Message:
    return Message(frame["method"], without_token(frame.get("params", {})), metadata)


def _request(number: Number, message: Message, *, wants_progress: bool) -> Frame:
    params = message.params
    if wants_progress:
        params = {**params, "_meta": {**params.get("_meta", {}), "progressToken": number}}
    return {"jsonrpc": "2.0", "id": number, **_called(message.method, params)}


def _notification(message: Message) -> Frame:
    return {"jsonrpc": "2.0", **_called(message.method, message.params)}


def _called(method: str, params: Mapping[str, Any]) -> Frame:
    return {"method": method, **({"params": params} if params else {})}


def _cancelled(number: Number) -> Frame:
    return _notification(Message("notifications/cancelled", {"requestId": number}))


def _result(answer: Frame) -> Result:
    error = answer.get("error")
    if error is None:
        result: Result = answer["result"]
        return result
    raise RpcError(error["code"], error["message"], *([error["data"]] if "data" in error else []))
