"""What the hooks of all loops have in common."""

import asyncio
import heapq
from collections.abc import Callable, Coroutine, Generator
from itertools import count
from typing import Any, Protocol, cast, final

from vcr_gen.runtime.loops.environment import in_environment

__all__ = [
    "GLANCE",
    "DetachedTimer",
    "Hook",
    "NumberedTasks",
    "OrderedTimer",
    "Overrides",
    "apart",
    "may_catch_up",
    "move_timer",
    "redelivers",
]

GLANCE = 0.001
"""Seconds a loop really waits that has nothing to do but to cancel a task again."""


class Hook(Protocol):
    """What holds a loop for a session until it is removed."""

    loop: Any
    timers: tuple[float, ...]
    """How long the timers that were there already had to run."""
    shares: bool
    """Whether another session took turns with the loop already."""

    def nothing_before(self, when: float) -> bool:
        """Whether the running task alone has something to do, and no timer is due by then.

        The loop would be idle at once if it waited; so it need not. False where that is not known.
        """

    def catch_up(self, when: float) -> None:
        """The program does what comes next on the tape, then: let the clock go there.

        Only where something woke the loop of which the tape knows nothing, such as a thread: it
        took its time in the recording, and the timers that were set since began later there.
        """

    def remove(self) -> None:
        """Leave the loop as it was found."""


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
    """Has one loop make tasks whose place in a set is no chance, unless it makes its own kind.

    Task groups, and whoever has the sets that `asyncio.wait` gives, cancel tasks in the order of a
    set: by their address in memory, which is another in every run.
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
        # A replay has no tasks of the environment, so those of the program count for themselves.
        number = next(self._beside if in_environment.get() else self._numbers)
        # Whoever makes tasks is asked to take generators too, which tasks are made of no longer.
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


@final
class DetachedTimer(OrderedTimer):
    """A timer that the loop knows nothing of."""

    __slots__ = ()

    def cancel(self) -> None:
        """Cancel it, and not tell the loop."""
        asyncio.Handle.cancel(self)

    def fire(self) -> None:
        """Run what it was made for, unless it was cancelled."""
        if not self.cancelled():
            self._run()


def apart(when: float, ordinal: int) -> float:
    """When a timer is due: one of the environment's never together with others.

    It would call back before the program has done with what the other one caused.
    """
    return when + (1 + ordinal % 1000) * 1e-8 if in_environment.get() else when


def redelivers(callback: object) -> bool:
    """Whether a callback is anyio's, which cancels a task again and again until it gives in.

    A loop with nothing else to do is idle: the task waits for its turn to leave.
    """
    return getattr(callback, "__name__", "") == "_deliver_cancellation"


def may_catch_up(timers: list[Any], since: int | None, *, now: float, when: float) -> bool:
    """Whether a clock may go on to a time; the timers made since a count of them go with it.

    Not past a timer that is older: it would have come first.
    """
    if since is None or when <= now:
        return False
    fresh: list[OrderedTimer] = []
    for one in timers:
        if isinstance(one, OrderedTimer) and one.ordinal >= since:
            fresh.append(one)
        elif one.when() <= when and not one.cancelled():
            return False
    for one in fresh:
        move_timer(one, one.when() + when - now)
    heapq.heapify(timers)
    return True


def move_timer(timer: Any, when: float) -> None:
    """Have a timer of a loop due at another time, as when the loop's clock is another.

    A scope of anyio looks at the clock again when its timer fires, and waits for its own deadline.
    """
    scope: Any = getattr(timer._callback, "__self__", None)
    if getattr(scope, "_deadline", None) == timer._when:
        scope._deadline = when
    timer._when = when
