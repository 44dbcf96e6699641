"""Recording: makes every call for real, and writes what crosses the boundaries."""

import threading
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, final
from weakref import WeakKeyDictionary

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.call_kinds import Kind, awaitable_of
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.context_blocks import block, setting
from vcr_gen.runtime.loops.backends import as_answer, in_environment, library_here, running_library
from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.record.recorded_streams import OnePass, RecordedAsyncStream, RecordedStream
from vcr_gen.runtime.record.recording_turns import RecordingTurns
from vcr_gen.runtime.record.tape_writer import Tape
from vcr_gen.runtime.strands.strands import Strand, Strands
from vcr_gen.runtime.tape.events import JOB, Soon
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.channel import ValueChannel

_TIME_TO_BEGIN = 0.02
"""Seconds that a callback runs alone before a callback of another thread begins."""

CLOSING_GRACE = 1.0
"""Seconds in which callbacks of threads may finish before a recording is closed."""


@final
class Recorder:
    """Carries calls over the boundary and records them."""

    calls_real = True

    def __init__(self, tape: Tape, strands: Strands, loops: Loops, turns: RecordingTurns) -> None:
        self.tape = tape
        self.strands = strands
        self._loops = loops
        self.turns = turns
        self._promptness = _CallbackTiming(strands, turns)
        self._served: dict[int, threading.Thread] = {}
        """The inbound calls that threads are at work for."""
        self._last_served = 0, 0.0
        """The last of them, and when it began."""
        self._one_served = threading.Condition(threading.RLock())
        self.changed: dict[tuple[str, str], None] = {}
        """The arguments that the environment changed while it had them, each with its method."""
        turns.note_tick = tape.tick
        turns.jobs = self
        loops.serve(turns)

    def close(self) -> None:
        """Stop recording; waiting calls continue without a turn.

        Waits for callbacks of the environment's threads that may be about to end.
        """
        here = threading.current_thread()
        with self._one_served:
            self._one_served.wait_for(
                lambda: all(thread is here for thread in self._served.values()), CLOSING_GRACE
            )
            self.tape.close(unfinished=self._served)
        self.turns.close()

    def go_out(self, operation: Operation) -> Any:
        """Make an outbound call and record it."""
        bound = operation.bound
        call, forwarded = self._start(operation, inbound=False)
        images = bound.images(operation.arguments)
        try:
            value = operation.perform(forwarded)
        except BaseException as error:
            if not self.leaves_unfinished(bound, error):
                self.raised(call, bound, error, at_call=bound.kind is not Kind.VALUE)
            raise
        if images and images != (after := bound.images(operation.arguments)):
            for name in images:
                if images[name] != after[name]:
                    self.changed[bound.method.name, name] = None
        return self._result(call, bound, value, inbound=False)

    def come_in(self, operation: Operation) -> Any:
        """Pass an inbound call on to the application and record it."""
        if operation.bound.kind is Kind.AWAITABLE:
            return self.come_in_async(operation)
        soon = self._promptness.here() if operation.bound.kind is Kind.VALUE else None
        with self._one_served:
            self._let_the_last_one_begin()
            call, forwarded = self._start(operation, inbound=True, soon=soon)
            self._served[call] = threading.current_thread()
            self._last_served = call, time.monotonic()
        self._promptness.begin(call)
        with self.inside(call, inbound=True), self._serving(call):
            with self.ending(call, operation.bound):
                value = operation.perform(forwarded)
            return self._result(call, operation.bound, value, inbound=True)

    async def go_out_async(self, operation: Operation) -> Any:
        """Make an outbound call, await it, and record it."""
        running_library()
        call, forwarded = self._start(operation, inbound=False)
        return await self._await_out(call, operation.bound, operation.perform(forwarded))

    async def come_in_async(self, operation: Operation) -> Any:
        """Pass an inbound call on to the application, await it, and record it."""
        await self.turn()
        call, forwarded = self._start(operation, inbound=True)

        async def perform() -> Any:  # a `def` that returns an awaitable may raise first
            return await operation.perform(forwarded)

        return await self._await_in(call, operation.bound, perform())

    async def turn(self) -> None:
        """Wait until an answer of the environment may be delivered."""
        hook = self._loops.hook()
        if hook is not None and not self.turns.has_come(hook):
            await self.turns.turn()

    async def hear(
        self,
        call: int,
        bound: Bound,
        real: Awaitable[Any],
        leave: Callable[[], Awaitable[None]] | None = None,
        *,
        left: Callable[[], None] | None = None,
        goes_on: Callable[[BaseException], bool] = lambda _: False,
    ) -> Any:
        """Await the environment's work for a call, and deliver the result in its turn.

        If the caller is cancelled while an item waits for its turn, the real stream does not
        notice: `leave` closes it. `left` records, in its turn, that the caller was cancelled;
        without it, the cancellation ends the call. `goes_on` says whether a stream may continue
        after an exception. If the environment answers despite the cancellation, its answer counts.
        """
        library = running_library()
        is_cancelled = library.watch_caller()
        self._promptness.begin(call)
        try:
            try:
                value = await _environment(real)
            except (GeneratorExit, KeyboardInterrupt):
                raise
            except StopAsyncIteration:  # the end of a stream, which its consumer records
                await self._turn_of_answer(call, cancelled=is_cancelled(None))
                raise
            except BaseException as error:
                if isinstance(error, library.cancelled) and is_cancelled(error):
                    raise
                await self._turn_of_answer(call, cancelled=is_cancelled(error))
                self.raised(call, bound, error, goes_on=goes_on(error))
                raise
            await self._turn_of_answer(call, cancelled=is_cancelled(None))
        except library.cancelled:
            if is_cancelled(None):
                try:
                    if leave is not None:
                        await _environment(leave())
                finally:
                    await self._turn_after_cancel()
                    if left is None:
                        self.tape.end(call, "cancelled")
                    else:
                        left()
            raise
        return value

    def inside(self, call: int, *, inbound: bool) -> AbstractContextManager[None]:
        """Run application code that an inbound call started as the call's own strand."""
        return self.strands.inside(call) if inbound else nullcontext()

    def job_begins(self) -> int:
        """The application hands a job to an executor."""
        timers = self._loops.begin()
        return self.tape.start(JOB, "", {}, timers=timers)

    def job_may_run(self, job: int) -> bool:
        """While recording, every job runs."""
        return job > 0

    def job_may_be_dropped(self, job: int) -> bool:
        """The application cancelled a job before it ran: so it will be in a replay."""
        self.tape.end(job, "cancelled", strand="")
        return True

    def job_is_over(
        self, job: int, wanted: Callable[[], bool], hand_back: Callable[[], None]
    ) -> None:
        """Deliver the result of a job at its turn."""

        def enter() -> None:
            self.tape.end(job, "returned", strand="")
            hand_back()

        if self._loops.hook() is None:
            enter()
        else:
            self.turns.queue(wanted, enter, running_library().loop())

    @block
    def ending(
        self, call: int, bound: Bound, *, inbound: bool = False, at_call: bool = False
    ) -> Generator[None, None, None]:
        """Record the exception that ends a call in this block; at call, before it gave a stream."""
        try:
            yield
        except BaseException as error:
            if self.leaves_unfinished(bound, error):
                raise
            self.raised(call, bound, as_answer(error) if inbound else error, at_call=at_call)
            raise

    def give(self, passing: ValueChannel, value: Any) -> tuple[Plain, Any]:
        """The stored form of a value, and the value for the other side.

        A value that cannot be stored still crosses: closing the cassette fails, not the program.
        """
        try:
            return passing.give(value)
        except UsageError as error:  # the other side cannot get it at all
            self.tape.fail(error)
            raise
        except Exception as error:
            self.tape.fail(error)
        except BaseException as error:  # an interrupt, which the program may handle
            self.tape.fail(error)
            raise
        try:
            return None, passing.forward(value)
        except UsageError:
            raise
        except Exception:
            return None, value

    def leaves_unfinished(self, bound: Bound, error: BaseException) -> bool:
        """Whether an exception stops the program rather than ends a call.

        A program may handle the Ctrl-C that reached it in an outbound call, such as a prompt.
        """
        if isinstance(error, KeyboardInterrupt):
            return bound.method.inbound
        return isinstance(error, GeneratorExit)

    def raised(
        self,
        call: int,
        bound: Bound,
        error: BaseException,
        *,
        goes_on: bool = False,
        at_call: bool = False,
    ) -> None:
        """Record the exception that ended a call, or a step of a stream that may continue."""
        stored = self.give(bound.raised, error)[0]
        if goes_on:
            self.tape.item(call, stored, raised=True)
        else:
            self.tape.end(call, "raised", stored, at_call=at_call)

    def _start(
        self, operation: Operation, *, inbound: bool, soon: Soon | None = None
    ) -> tuple[int, Mapping[str, object]]:
        bound = operation.bound
        timers = self._loops.begin()  # from the first use on, the loop's clock is the session's
        stored, forwarded = bound.take(operation.arguments, self.give)
        call = self.tape.start(
            bound.method.name, operation.on, stored, inbound=inbound, soon=soon, timers=timers
        )
        return call, forwarded

    def _result(self, call: int, bound: Bound, value: Any, *, inbound: bool) -> Any:
        kind = bound.kind
        if kind is Kind.VALUE:
            stored, result = self.give(bound.value, value)
            self.tape.end(call, "returned", stored)
            return result
        if kind is Kind.ITERABLE:
            items = bound.items(value)
            if items is not None:
                stream = RecordedStream(self, call, bound, items, inbound=inbound)
                once = inbound or isinstance(value, Iterator)
                return stream if once else OnePass(stream, bound.method.name)
            stored, result = self.give(bound.whole, value)
            self.tape.end(call, "returned", stored)
            return result
        match kind:
            case Kind.STREAM:
                return RecordedStream(self, call, bound, value, inbound=inbound)
            case Kind.ASYNC_STREAM:
                return RecordedAsyncStream(self, call, bound, value, inbound=inbound)
            case Kind.AWAITABLE if inbound:
                return self._await_in(call, bound, value)
            case Kind.AWAITABLE:
                begin = partial(self._await_out, call, bound, value)
                return awaitable_of(bound.method.result, begin)

    def _let_the_last_one_begin(self) -> None:
        """Wait until the inbound call before this one is over, or has had time to do something.

        Threads may stop anywhere: one that is called later could overtake it before its first
        line, and put something into a queue first. The tape has the order of the calls alone.
        """
        while library_here() is None:
            call, since = self._last_served
            left = since + _TIME_TO_BEGIN - time.monotonic()
            if self._served.get(call) in (None, threading.current_thread()) or left <= 0:
                return
            self._one_served.wait(left)

    @block
    def _serving(self, call: int) -> Generator[None, None, None]:
        """Run the application's answer to an inbound call in this thread."""
        try:
            yield
        finally:
            with self._one_served:
                del self._served[call]
                self._one_served.notify_all()

    async def _await_out(self, call: int, bound: Bound, real: Awaitable[Any]) -> Any:
        try:
            value = await self.hear(call, bound, real)
        except StopAsyncIteration as error:  # an iterator's `__anext__` is a call like any other
            self.raised(call, bound, error)
            raise
        stored, result = self.give(bound.value, value)
        self.tape.end(call, "returned", stored)
        return result

    async def _await_in(self, call: int, bound: Bound, application: Awaitable[Any]) -> Any:
        def cancelled() -> None:
            self.tape.signal(call, "cancel")

        served = self._serve(call, bound, application)
        try:
            return await running_library().watch_for_cancel(served, cancelled)
        finally:
            self._promptness.begin(call)

    async def _serve(self, call: int, bound: Bound, application: Awaitable[Any]) -> Any:
        with self.inside(call, inbound=True):
            with self.ending(call, bound, inbound=True):
                value = await application
            stored, result = self.give(bound.value, value)
            self.tape.end(call, "returned", stored)
            return result

    def _turn_of_answer(self, call: int, *, cancelled: bool) -> Awaitable[None]:
        """Wait until an answer may enter the program."""
        return self._turn_in_spite_of_cancel(call) if cancelled else self.turn()

    async def _turn_in_spite_of_cancel(self, call: int) -> None:
        """Wait until the answer to a cancelled call may enter, and record the cancellation."""
        await self._turn_after_cancel()
        self.tape.signal(call, "cancel")

    async def _turn_after_cancel(self) -> None:
        """Wait for a turn in which a cancelled call leaves; further cancellations are ignored."""
        if self._loops.hook() is not None:
            await self.turns.turn(patient=True)


async def _environment(real: Awaitable[Any]) -> Any:
    """Await code of the real environment, whose executor jobs are its own business."""
    with setting(in_environment, True):
        return await real


@final
class _CallbackTiming:
    """Records when synchronous callbacks came, which do not wait for their turn.

    Such a callback runs in the middle of whatever the environment does in the loop. Mostly that
    began when the loop was idle, so the callback counts as a turn. But the environment may
    call back before the loop was idle again: then the tape says after which call of the same strand
    that was, and how often the loop had gone round.
    """

    def __init__(self, strands: Strands, turns: RecordingTurns) -> None:
        self._strands = strands
        self._turns = turns
        self._since: WeakKeyDictionary[Strand, tuple[int, int, int]] = WeakKeyDictionary()

    def begin(self, call: int) -> None:
        """The environment goes to work for a call, or has just called back."""
        if (library := library_here()) is not None:
            turns = self._turns.here
            rounds = library.rounds(turns.rounds)
            self._since[self._strands.here()] = (call, turns.idles, rounds)

    def here(self) -> Soon | None:
        """How soon a callback came; None if the loop was idle before it."""
        library = library_here()
        if library is None:
            return None
        call, idles, rounds = self._since.get(self._strands.here(), (0, -1, 0))
        turns = self._turns.here
        if idles != turns.idles:
            return None
        return Soon(call, library.rounds(turns.rounds) - rounds)
