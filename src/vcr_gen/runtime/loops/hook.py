"""The shared parts of the hooks of all loops."""

import asyncio
import heapq
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from itertools import count
from typing import Any, Protocol, TypeVar, cast, final

from vcr_gen.runtime.loops.backends import in_environment
from vcr_gen.runtime.loops.jobs import run_job
from vcr_gen.runtime.loops.session_loops import Loops

GLANCE = 0.001
"""Seconds that a loop really waits when its only work is to cancel a task again."""


class Hook(Protocol):
    """Connects a loop to a session until it is removed."""

    loop: Any
    timers: tuple[float, ...]
    """The remaining seconds of the timers that the loop already had."""
    shares: bool
    """Whether another session took turns with the loop already."""
    stirred: int | None
    """The number of timers when something that is not on the tape woke the loop.

    None if nothing did since the loop was idle.
    """

    def nothing_before(self, when: float) -> bool:
        """Whether the running task alone has something to do, and no timer is due by then.

        If the task waited, the loop would be idle at once, so it need not wait. False if unknown.
        """

    def catch_up(self, when: float) -> None:
        """Move the clock to `when`, the time of the program's next step on the tape.

        This happens only where the loop was `stirred`, by a thread for example. In the recording
        that took time, and the timers set since then began later.
        """

    def remove(self) -> None:
        """Restore the loop."""


@final
class Overrides:
    """Methods of one loop that are replaced for a while."""

    def __init__(self, loop: object, **methods: Callable[..., Any]) -> None:
        self._loop = loop
        self._before = {name: vars(loop).get(name) for name in methods}
        for name, method in methods.items():
            setattr(loop, name, method)

    def undo(self) -> None:
        """Put back what an earlier session left there, or else the loop's own method."""
        for name, before in self._before.items():
            if before is None:
                delattr(self._loop, name)
            else:
                setattr(self._loop, name, before)


@final
class NumberedTasks:
    """Makes the order of tasks in a set repeatable, for a loop without its own task factory.

    Task groups cancel tasks in the order of a set, and so do programs that use the sets of
    `asyncio.wait`. By default that order depends on addresses in memory, which differ in each run.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._numbers = count(1)
        self._beside = count(1 << 40)
        if loop.get_task_factory() is None:
            loop.set_task_factory(self._make)

    def undo(self) -> None:
        """Let the loop make tasks as it did."""
        if self._loop.get_task_factory() == self._make:
            self._loop.set_task_factory(None)

    def _make(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        **options: Any,
    ) -> "asyncio.Task[Any]":
        # A replay has no tasks of the environment, so those of the program have their own numbers.
        number = next(self._beside if in_environment.get() else self._numbers)
        # The type of a task factory still allows generators; Python no longer makes tasks of them.
        return _NumberedTask(cast("Coroutine[Any, Any, Any]", work), number, loop=loop, **options)


@final
class _NumberedTask(asyncio.Task[Any]):
    def __init__(self, work: Coroutine[Any, Any, Any], number: int, **options: Any) -> None:
        self._number = number
        super().__init__(work, **options)

    def __hash__(self) -> int:
        return self._number


class OrderedTimer(asyncio.TimerHandle):
    """A timer that comes after those made earlier for the same instant.

    The loop's heap leaves open which of them fires first, and a recording has more timers in it
    than its replay: those of the real environment.
    """

    __slots__ = ("lag", "ordinal")

    ordinal: int
    lag: float
    """How far the session's clock was behind the real one when it was made."""

    def mark_scheduled(self) -> None:
        """Tell the loop that its heap holds this timer, as its own `call_at` does."""
        self._scheduled = True

    def __lt__(self, other: object) -> bool:
        if isinstance(other, OrderedTimer) and other.when() == self.when():
            return self.ordinal < other.ordinal
        if isinstance(other, asyncio.TimerHandle):
            return self.when() < other.when()
        return NotImplemented


_Timer = TypeVar("_Timer", bound=OrderedTimer)


@final
class DetachedTimer(OrderedTimer):
    """A timer that is not in the loop's heap."""

    __slots__ = ()

    def cancel(self) -> None:
        """Cancel it without notifying the loop."""
        asyncio.Handle.cancel(self)

    def fire(self) -> None:
        """Run its callback, unless it was cancelled."""
        if not self.cancelled():
            self._run()


def redelivers(callback: object) -> bool:
    """Whether a callback is anyio's, which cancels a task repeatedly until the task ends.

    A loop with only such callbacks counts as idle: the task waits for its turn to leave.
    """
    return getattr(callback, "__name__", "") == "_deliver_cancellation"


def move_timer(timer: Any, when: float) -> None:
    """Change when a loop's timer is due, for example because the loop gets a different clock.

    A scope of anyio checks its own deadline when its timer fires, so the deadline moves too.
    """
    scope: Any = getattr(timer._callback, "__self__", None)
    if getattr(scope, "_deadline", None) == timer._when:
        scope._deadline = when
    timer._when = when


@final
class _Told:
    """What a thread lets a loop do, for example to take the result of an executor job.

    It comes between any two steps of the program, so it does not count as one.
    """

    __slots__ = ("_arguments", "_callback", "_hook")

    def __init__(
        self, hook: "AsyncioHook", callback: Callable[..., object], arguments: tuple[Any, ...]
    ) -> None:
        self._hook = hook
        self._callback = callback
        self._arguments = arguments

    def __call__(self) -> None:
        self._hook.told()
        self._callback(*self._arguments)


def is_step_of_program(handle: Any) -> bool:
    """Whether a ready callback is a step of the program, not of the environment or of the tape.

    Only such steps come in the same rounds of the loop in a recording and in its replay.
    """
    return not isinstance(handle._callback, _Told) and not handle._context.get(in_environment)


class AsyncioHook:
    """The common parts of the hooks of asyncio's loops."""

    shares: bool

    def __init__(self, loop: asyncio.AbstractEventLoop, loops: Loops) -> None:
        self.loop: Any = loop
        self._loops = loops
        self._clock = loops.clock
        self._passes = False
        """Whether its session is over; the hook may stay beneath that of another session."""
        self._made = 0
        """How many timers were made."""
        self.stirred: int | None = None
        self._retried = False
        """Whether the loop had nothing to do but to cancel tasks again."""
        self._submit = loop.run_in_executor
        self._from_thread = loop.call_soon_threadsafe
        self._tasks = NumberedTasks(loop)

    def _move_clock(self, timers: list[Any], when: float) -> None:
        """Move the clock to `when`, and with it the timers that were made since something stirred.

        The clock does not pass an older timer, which would have fired first.
        """
        now = self._clock.now
        if self.stirred is None or when <= now:
            return
        fresh: list[OrderedTimer] = []
        for timer in timers:
            if isinstance(timer, OrderedTimer) and timer.ordinal >= self.stirred:
                fresh.append(timer)
            elif timer.when() <= when and not timer.cancelled():
                return
        for timer in fresh:
            move_timer(timer, timer.when() + when - now)
        heapq.heapify(timers)
        self._clock.advance(when)

    def _make_timer(
        self,
        kind: type[_Timer],
        when: float,
        callback: Callable[..., object],
        arguments: tuple[Any, ...],
        context: Context | None,
    ) -> _Timer:
        """A new timer of the program, or of the environment.

        A timer of the environment is never due together with others: otherwise it would call back
        before the program has handled the other timer.
        """
        own = in_environment.get()
        if own:
            when += (1 + self._made % 1000) * 1e-8
        timer = kind(when, callback, arguments, self.loop, context)
        timer.ordinal = self._made
        timer.lag = 0.0 if own else self._loops.session.lag
        self._made += 1
        return timer

    def _call_soon_threadsafe(
        self, callback: Callable[..., object], *arguments: Any, context: Context | None = None
    ) -> asyncio.Handle:
        return self._from_thread(_Told(self, callback, arguments), context=context)

    def told(self) -> None:
        """Something that is not on the tape woke the loop."""
        self.stirred = self._made

    def _run_in_executor(
        self, executor: Any, function: Callable[..., Any], *arguments: Any
    ) -> "asyncio.Future[Any]":
        if self._passes:
            return self._submit(executor, function, *arguments)
        jobs, submit = self._loops.session.jobs, self._submit
        return run_job(jobs, submit, executor, function, arguments, shares=self.shares)
