"""Records streams item by item."""

import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextvars import Context, copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.base_streams import AsyncStream, StepKind, Stream, goes_on, survives
from vcr_gen.runtime.loops.backends import as_answer, running_library
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import SignalKind
from vcr_gen.runtime.values.bound_methods import Bound

if TYPE_CHECKING:
    from vcr_gen.runtime.record.record_session import Recorder


@final
class _Step:
    """A request of a reader to a stream."""

    __slots__ = ("answer", "left")

    def __init__(self) -> None:
        self.answer: Callable[[], Any] | None = None
        """Returns or raises the result of the real stream, which may wait for its turn."""
        self.left = False
        """Whether the reader was cancelled while the stream continues."""


class _Recorded:
    """The common state of sync and async recorded streams: their readers, and whether they ended.

    Several tasks or threads may read at once. An end for one of them ends the stream on the
    tape only if no other reader waits.
    """

    def __init__(
        self, recorder: "Recorder", call: int, bound: Bound, real: Any, *, inbound: bool
    ) -> None:
        self._recorder = recorder
        self._tape = recorder.tape
        self._call = call
        self._bound = bound
        self._real = real
        self._inbound = inbound
        self._over = False
        self._steps: set[_Step] = set()
        """The unfinished requests."""
        self._lock = threading.RLock()

    def _begin(self) -> _Step | None:
        """Begin a step; None if the stream has ended."""
        if not self._inbound:
            self._recorder.strands.here()  # numbered by request, as in a replay
        with self._lock:
            if self._over:
                return None
            step = _Step()
            self._steps.add(step)
            return step

    def _stored_step(self, kind: StepKind, value: Any) -> tuple[Plain, Any]:
        """A sent value: its stored form, and the value for the stream."""
        if kind == "sent":
            return self._recorder.give(self._bound.sent, value)
        if kind == "thrown":
            return self._recorder.give(self._bound.raised, as_answer(value))[0], value
        return None, None

    def _survives(self, error: BaseException, *, closing: bool = False) -> bool:
        """Whether the stream continues although a step or its close has raised.

        A generator with another reader still runs: Python only refused to run it twice.
        """
        if not isinstance(error, Exception):
            return False
        if closing:
            return bool(self._steps) and not goes_on(self._real)
        return len(self._steps) > 1 or (goes_on(self._real) and not self._over)

    def _passed(self, step: _Step, stored: Plain) -> None:
        """Record the item of a step."""
        with self._lock:
            self._steps.discard(step)
            self._tape.item(self._call, stored)

    def _ended(self, step: _Step, end: Exception, returned: Any = None) -> Any:
        """Record that a step reached the end of the stream; return the result for the reader."""
        with self._lock:
            self._steps.discard(step)
            if self._over:
                return returned
            if self._steps:
                self._recorder.raised(self._call, self._bound, end, goes_on=True)
                return returned
            self._over = True
            stored: Plain = None
            if isinstance(end, StopIteration):
                stored, returned = self._recorder.give(self._bound.returned, returned)
            self._tape.end(self._call, "returned", stored)
            return returned


@final
class RecordedStream(_Recorded, Stream):
    """Passes a real stream on and records each item."""

    def step(self, kind: StepKind, value: Any = None) -> Any:
        if self._over and kind == "thrown":
            raise value
        forwarded: Any = None
        if not self._over:
            stored, forwarded = self._stored_step(kind, value)
            if self._inbound or kind != "next":  # the tape has when the environment asks
                self._tape.signal(self._call, kind, stored)
        return self._take(lambda: self._asked(kind, forwarded))

    def _asked(self, kind: StepKind, value: Any) -> Any:
        """The next item of the real stream."""
        match kind:
            case "sent":
                return self._real.send(value)
            case "thrown":
                return self._real.throw(value)
        return next(self._real)

    def close(self) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
            self._tape.signal(self._call, "closed")
        with self._recorder.inside(self._call, inbound=self._inbound):
            try:
                if hasattr(self._real, "close"):
                    self._real.close()
            except BaseException as error:
                self._raised(error, closing=True)
                raise
            self._tape.end(self._call, "returned")

    def _take(self, advance: Callable[[], Any]) -> Any:
        step = self._begin()
        if step is None:
            raise StopIteration
        try:
            with self._recorder.inside(self._call, inbound=self._inbound):
                return self._advance(step, advance)
        finally:
            self._steps.discard(step)

    def _advance(self, step: _Step, advance: Callable[[], Any]) -> Any:
        try:
            item = advance()
        except StopIteration as finished:
            raise StopIteration(self._ended(step, finished, finished.value)) from None
        except BaseException as error:
            self._raised(error)
            raise
        stored, forwarded = self._recorder.give(self._bound.value, item)
        self._passed(step, stored)
        return forwarded

    def _raised(self, error: BaseException, *, closing: bool = False) -> None:
        if self._recorder.leaves_unfinished(self._bound, error):
            return
        with self._lock:
            going_on = self._survives(error, closing=closing)
            self._over = not going_on or (self._over and not closing)
            self._recorder.raised(self._call, self._bound, error, goes_on=going_on)


@final
class OnePass:
    """The items of an iterable that can be iterated only once in a recording."""

    def __init__(self, stream: RecordedStream, name: str) -> None:
        self._stream: RecordedStream | None = stream
        self._name = name

    def __iter__(self) -> RecordedStream:
        stream, self._stream = self._stream, None
        if stream is None:
            raise UsageError(
                f"the result of {self._name} is recorded item by item and was already consumed"
                "\n\nhint: keep the items in a list, or return a list from the bridge"
            )
        return stream


@final
class RecordedAsyncStream(_Recorded, AsyncStream):
    """Passes a real asynchronous stream on and records each item."""

    def __init__(
        self,
        recorder: "Recorder",
        call: int,
        bound: Bound,
        real: AsyncIterator[Any],
        *,
        inbound: bool,
    ) -> None:
        super().__init__(recorder, call, bound, aiter(real), inbound=inbound)
        self._context: Context | None = None
        """The context that the application's steps share, each in its own task."""
        self._kept: deque[Callable[[], Any]] = deque()
        """Items for readers that were cancelled before their turn."""
        self._passed_at: object = None
        """The moment at which the environment got the last item."""

    async def step(self, kind: StepKind, value: Any = None) -> Any:
        if self._over and kind == "thrown":
            raise value
        forwarded: Any = None
        if not self._over:
            stored, forwarded = self._stored_step(kind, value)
            # The tape has when the environment asks, unless it asks for the next item at once.
            if kind != "next" or (self._inbound and not self._asks_at_once()):
                await self._signal(kind, stored)
        return await self._take(lambda: self._asked(kind, forwarded))

    async def aclose(self) -> None:
        if self._over:
            return
        self._over = True
        await self._signal("closed")
        await self._run(self._close())

    async def _signal(self, kind: SignalKind, value: Plain = None) -> None:
        """Record a step of the consumer; if that is the environment, at its turn."""
        if self._inbound:
            await self._recorder.turn()
        self._tape.signal(self._call, kind, value)

    def _asked(self, kind: StepKind, value: Any) -> Awaitable[Any]:
        """The next item of the real stream, or an item of a reader that left."""
        asked: Awaitable[Any]
        match kind:
            case "sent":
                asked = self._real.asend(value)
            case "thrown":
                asked = self._real.athrow(value)
            case _ if self._kept:
                asked = _again(self._kept.popleft())
            case _:
                asked = anext(self._real)
        return asked

    @property
    def _moment(self) -> object:
        """A value that stays equal until the loop is idle or something is recorded."""
        return self._recorder.turns.idle_point, self._tape.appended

    def _asks_at_once(self) -> bool:
        """Whether the environment asks for the next item at the moment when it got the last."""
        at_once = self._passed_at == self._moment and not self._steps
        self._passed_at = None
        return at_once

    def _passed(self, step: _Step, stored: Plain) -> None:
        super()._passed(step, stored)
        self._passed_at = self._moment if self._inbound else None

    async def _take(self, ask: Callable[[], Awaitable[Any]]) -> Any:
        step = self._begin()
        if step is None:
            raise StopAsyncIteration
        try:
            return await self._run(self._advance(step, ask))
        finally:
            self._steps.discard(step)

    async def _run(self, step: Coroutine[Any, Any, Any]) -> Any:
        """Do one step: the environment's here, the application's as in a replay."""
        if not self._inbound:
            return await step

        def cancelled() -> None:
            self._tape.signal(self._call, "cancel")

        if self._context is None:
            self._context = copy_context()
        return await running_library().watch_for_cancel(step, cancelled, self._context)

    def _survives(self, error: BaseException, *, closing: bool = False) -> bool:
        if self._inbound and not closing and not self._over and survives(self._real, error):
            return True
        return super()._survives(error, closing=closing)

    async def _advance(self, step: _Step, ask: Callable[[], Awaitable[Any]]) -> Any:
        left = partial(self._left, step) if goes_on(self._real) else None
        with self._recorder.inside(self._call, inbound=self._inbound):
            try:
                item = await self._await(_answered(step, ask), self._survives, left)
            except StopAsyncIteration as end:
                self._ended(step, end)
                raise
            except BaseException as error:
                self._over = self._over or not (step.left or self._survives(error))
                raise
            stored, forwarded = self._recorder.give(self._bound.value, item)
            self._passed(step, stored)
            return forwarded

    def _left(self, step: _Step) -> None:
        """Record that a reader was cancelled; the next reader gets its item."""
        step.left = True
        if step.answer is not None:
            self._kept.append(step.answer)
        self._tape.signal(self._call, "left")

    async def _close(self) -> None:
        survives = partial(self._survives, closing=True)
        with self._recorder.inside(self._call, inbound=self._inbound):
            if hasattr(self._real, "aclose"):
                try:
                    await self._await(self._real.aclose(), survives)
                except BaseException as error:
                    self._over = not survives(error)
                    raise
            self._tape.end(self._call, "returned")

    async def _leave(self) -> None:
        """Close the real stream, which has no more readers."""
        if hasattr(self._real, "aclose"):
            await self._real.aclose()

    async def _await(
        self,
        awaited: Awaitable[Any],
        survives: Callable[[BaseException], bool],
        left: Callable[[], None] | None = None,
    ) -> Any:
        """Await one step: the environment's at its turn, the application's at once."""
        if not self._inbound:
            leave = self._leave if left is None else None
            return await self._recorder.hear(
                self._call, self._bound, awaited, leave, left=left, goes_on=survives
            )
        try:
            return await awaited
        except (StopAsyncIteration, GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            going_on = survives(error)
            self._recorder.raised(self._call, self._bound, as_answer(error), goes_on=going_on)
            raise


async def _answered(step: _Step, ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask a real stream, and keep its answer for a step."""
    try:
        item = await ask()
    except Exception as error:
        step.answer = partial(_raise, error)
        raise
    step.answer = lambda: item
    return item


async def _again(answer: Callable[[], Any]) -> Any:
    return answer()


def _raise(error: Exception) -> NoReturn:
    raise error
