"""Streams in a replay: recorded ones are fed item by item, the application's own are asserted.

For each of the two, one class has the logic of the stream and never waits. Its subclasses, for
synchronous and asynchronous consumers, only add the waiting.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any, final

from vcr_gen.errors import DecodeError, DivergenceError
from vcr_gen.runtime.boundary.base_streams import AsyncStream, StepKind, Stream, goes_on, survives
from vcr_gen.runtime.loops.backends import as_answer
from vcr_gen.runtime.replay.engine import Engine
from vcr_gen.runtime.replay.waiting import NOTHING_MORE
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, SignalKind
from vcr_gen.runtime.tape.window import Slot
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.channel import ValueChannel


def raised(engine: Engine, event: Event, bound: Bound) -> BaseException:
    """The exception with which a recorded call ended."""
    if isinstance(event, End) and event.outcome == "raised":
        return engine.restore_exception(bound, event)
    from asyncio import CancelledError

    return CancelledError()


class _Stream:
    """The state of any stream in a replay."""

    _stop: type[Exception]
    """The exception that tells its consumer that it has ended."""

    def __init__(self, engine: Engine, call: int, bound: Bound) -> None:
        self._engine = engine
        self._call = call
        self._bound = bound
        self._over = False

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._over

    def _signal(self, kind: SignalKind, value: Any = None) -> tuple[Signal, ValueChannel | None]:
        """A recorded step of a consumer, and the comparison of its value."""
        if kind == "sent":
            passing = self._bound.sent
        elif kind == "thrown":
            passing, value = self._bound.raised, as_answer(value)
        else:
            return Signal(call=self._call, kind=kind), None
        stored = self._engine.answers.store(passing, value)
        return Signal(call=self._call, kind=kind, value=stored), passing


# Streams of the environment -------------------------------------------------------------------


class _Replayed(_Stream):
    """Feeds a recorded stream, one item at a time, when the tape has it due."""

    def _ask(self, kind: StepKind, value: Any) -> None:
        """The consumer wants the next item."""
        if self._over:
            raise value if kind == "thrown" else self._stop
        if kind != "next":
            self._engine.answers.signal(*self._signal(kind, value))

    def _give(self, event: Event) -> Any:
        """The consumer's result: the item, or the end of the stream."""
        if event is NOTHING_MORE:
            raise self._stop
        if isinstance(event, Item):
            return self._item(event)
        self._over = True
        if not isinstance(event, End) or event.outcome != "returned":
            __tracebackhide__ = True
            raise raised(self._engine, event, self._bound)
        if self._stop is StopIteration:
            raise StopIteration(self._engine.restore(self._bound.returned, event))
        self._engine.restore(self._bound.nothing, event)
        raise self._stop

    def _item(self, event: Item) -> Any:
        if not event.raised:
            return self._engine.restore_item(self._bound.value, event)
        __tracebackhide__ = True
        raise self._engine.restore_exception(self._bound, event)

    def _begin_close(self) -> bool:
        """The consumer closes the stream; whether it still has to end."""
        if self._over:
            return False
        self._over = True
        self._engine.answers.signal(*self._signal("closed"))
        return True

    def _end_close(self, event: Event) -> None:
        """Raise what the recorded stream raised when it was closed."""
        self._over = not isinstance(event, Item)  # it may refuse while another reader waits
        if isinstance(event, Item) and event.raised:
            self._item(event)
        if not isinstance(event, End):
            what = self._bound.nothing.what
            wrong = DecodeError(path=what, expected="an end", got="more of the stream")
            raise self._engine.unreadable(wrong, event)
        if event.outcome != "returned":
            __tracebackhide__ = True
            raise raised(self._engine, event, self._bound)
        self._engine.restore(self._bound.nothing, event)


@final
class ReplayedStream(_Replayed, Stream):
    """A recorded stream, for a consumer that waits in its thread."""

    _stop = StopIteration

    def step(self, kind: StepKind, value: Any = None) -> Any:
        self._ask(kind, value)
        return self._give(self._engine.hear(self._call, reads=True))

    def close(self) -> None:
        if self._begin_close():
            self._end_close(self._engine.hear(self._call, reads=True))


@final
class ReplayedAsyncStream(_Replayed, AsyncStream):
    """A recorded stream, for a consumer that awaits it."""

    _stop = StopAsyncIteration

    async def step(self, kind: StepKind, value: Any = None) -> Any:
        self._ask(kind, value)
        try:
            event = await self._engine.hear_async(self._call, reads=True)
        except BaseException:  # it was cancelled, and not every stream survives that
            self._over = not self._engine.is_left(self._call)
            raise
        return self._give(event)

    async def aclose(self) -> None:
        if self._begin_close():
            event = await self._engine.hear_async(self._call, reads=True)
            self._end_close(event)


# Streams of the application -------------------------------------------------------------------


class _Asserted(_Stream):
    """Passes the application's stream on and asserts each item against the tape."""

    def __init__(self, engine: Engine, call: int, bound: Bound, own: Any) -> None:
        super().__init__(engine, call, bound)
        self._own = own

    def _play(self, kind: SignalKind, value: Any = None) -> bool:
        """A test does this in the environment's place: it must be due. False after the end."""
        if self._over:
            return False
        self._engine.play(*self._signal(kind, value))
        return True

    def _recorded_step(self, event: Event) -> tuple[StepKind, Any]:
        """The recorded step of the consumer."""
        match event:
            case Signal(kind="sent"):
                return "sent", self._engine.restore(self._bound.sent, event)
            case Signal(kind="thrown"):
                return "thrown", self._engine.restore(self._bound.raised, event)
        return "next", None

    def _given(self, item: Any) -> Any:
        """Note that the stream yielded an item."""
        stored = self._engine.answers.store(self._bound.value, item)
        self._engine.answers.produce(
            self._call, Item(call=self._call, value=stored), self._bound.value
        )
        return self._bound.value.forward(item)

    def _left(self, error: BaseException, *, may_go_on: bool) -> None:
        """The stream has ended, or raised an exception after which it may continue."""
        match error:
            case StopIteration():
                self._over = True
                self._end("returned", self._bound.returned, error.value)
            case StopAsyncIteration():
                self._over = True
                self._end("returned", self._bound.nothing, None)
            case DivergenceError() | GeneratorExit() | KeyboardInterrupt():
                pass
            case _ if may_go_on:
                self._over = False
                stored = self._engine.answers.store(self._bound.raised, error)
                item = Item(call=self._call, value=stored, raised=True)
                self._engine.answers.produce(self._call, item, self._bound.raised)
            case _:
                self._over = True
                self._end("raised", self._bound.raised, error)

    def _closed(self, error: BaseException | None = None) -> None:
        """The stream has been closed, with an exception or without."""
        if error is None:
            self._end("returned", self._bound.nothing, None)
        elif not isinstance(error, DivergenceError | GeneratorExit | KeyboardInterrupt):
            self._end("raised", self._bound.raised, error)

    def _end(self, outcome: Any, passing: ValueChannel, value: Any) -> None:
        end = End(
            call=self._call, outcome=outcome, value=self._engine.answers.store(passing, value)
        )
        self._engine.answers.produce(self._call, end, passing)


@final
class AssertedStream(_Asserted, Stream):
    """A stream of the application that is read in a thread."""

    _stop = StopIteration

    def __init__(self, engine: Engine, call: int, bound: Bound, own: Iterator[Any]) -> None:
        super().__init__(engine, call, bound, own)

    def step(self, kind: StepKind, value: Any = None) -> Any:
        self._play(kind, value)
        return self._advance(kind, value)

    def close(self) -> None:
        if self._play("closed"):
            self._close()

    def follow(self, event: Event) -> None:
        """Do to the stream what its consumer did, as the tape has it."""
        if isinstance(event, Signal) and event.kind == "closed":
            self._close()
            raise StopIteration
        self._advance(*self._recorded_step(event))

    def _close(self) -> None:
        self._over = True
        with self._engine.strands.inside(self._call):
            if hasattr(self._own, "close"):
                try:
                    self._own.close()
                except Exception as error:
                    self._closed(error)
                    raise
            self._closed()

    def _advance(self, kind: StepKind, value: Any) -> Any:
        if self._over:
            raise StopIteration
        with self._engine.strands.inside(self._call):
            try:
                match kind:
                    case "sent":
                        item = self._own.send(value)
                    case "thrown":
                        item = self._own.throw(value)
                    case _:
                        item = next(self._own)
            except BaseException as error:
                may_go_on = goes_on(self._own) and isinstance(error, Exception)
                self._left(error, may_go_on=may_go_on)
                raise
            return self._given(item)


@final
class AssertedAsyncStream(_Asserted, AsyncStream):
    """A stream of the application that is read in a task."""

    _stop = StopAsyncIteration

    def __init__(self, engine: Engine, call: int, bound: Bound, own: AsyncIterator[Any]) -> None:
        super().__init__(engine, call, bound, aiter(own))

    @property
    def is_asked_at_once(self) -> bool:
        """Whether the recorded consumer asked for an item in the same breath as it got the last."""
        upcoming = self._engine.upcoming(self._call)
        if isinstance(upcoming, Signal):
            return upcoming.kind == "cancel"  # of the step in which it asked
        return upcoming is not None

    async def step(self, kind: StepKind, value: Any = None) -> Any:
        if kind != "next" or not self.is_asked_at_once:
            self._play(kind, value)
        return await self._advance(kind, value)

    async def aclose(self) -> None:
        if self._play("closed"):
            await self._close()

    async def go_on(self) -> None:
        """Ask for the next item at once, as its consumer did."""
        await self._advance("next", None)

    async def abandon(self) -> None:
        """Close it after the replay has failed, so that the application can clean up."""
        if hasattr(self._own, "aclose"):
            with suppress(Exception, DivergenceError):
                await self._own.aclose()

    async def follow(self, event: Event) -> None:
        """Do to the stream what its consumer did, as the tape has it."""
        if isinstance(event, Signal) and event.kind == "closed":
            await self._close()
            raise StopAsyncIteration
        await self._advance(*self._recorded_step(event))

    async def _close(self) -> None:
        self._over = True
        with self._engine.strands.inside(self._call):
            if hasattr(self._own, "aclose"):
                try:
                    await self._own.aclose()
                except BaseException as error:
                    self._closed(as_answer(error))
                    raise
            self._closed()

    async def _advance(self, kind: StepKind, value: Any) -> Any:
        if self._over:
            raise StopAsyncIteration
        with self._engine.strands.inside(self._call):
            try:
                match kind:
                    case "sent":
                        item = await self._own.asend(value)
                    case "thrown":
                        item = await self._own.athrow(value)
                    case _:
                        item = await anext(self._own)
            except BaseException as error:
                self._left(as_answer(error), may_go_on=survives(self._own, error))
                raise
            return self._given(item)


@final
class GivenStreams:
    """Takes one step of a stream at a time, so that between two of them anything else may come.

    The environment may read two streams in turns, call back after each item, or read on in a later
    call. A thread that reads one stream to its end cannot serve the others.
    """

    def __init__(self, engine: Engine, note: Callable[[BaseException], None]) -> None:
        self._engine = engine
        self._note = note
        self._open: dict[int, AssertedStream] = {}

    def add(self, call: int, stream: AssertedStream) -> None:
        """Let the environment read a stream from now on."""
        self._open[call] = stream

    @property
    def calls(self) -> tuple[int, ...]:
        """The streams that are not at their end, by their calls."""
        return tuple(self._open)

    @property
    def go_on(self) -> bool:
        """Whether the tape has more of one of them."""
        return any(self._engine.upcoming(call) is not None for call in self._open)

    def has(self, slot: Slot) -> bool:
        """Whether an event is a step of one of them."""
        return isinstance(slot.event, Signal) and slot.event.call in self._open

    def step(self, slot: Slot) -> None:
        """Do to a stream what the environment did."""
        call = slot.event.call
        try:
            self._open[call].follow(self._engine.rendered(slot.event))
        except StopIteration:
            self._open.pop(call, None)
        except Exception as error:  # asserted; the stream may continue
            self._note(error)
