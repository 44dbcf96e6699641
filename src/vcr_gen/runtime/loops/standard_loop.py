"""Hooks the selector of one of asyncio's own loops: a loop without work waits there."""

import asyncio
import heapq
import selectors
from collections.abc import Callable, Collection, Sequence
from contextvars import Context
from sys import _getframe
from typing import Any, Final, TypeAlias, final

from vcr_gen.runtime.loops.backends import in_environment
from vcr_gen.runtime.loops.clock import TOGETHER
from vcr_gen.runtime.loops.hook import (
    GLANCE,
    AsyncioHook,
    DetachedTimer,
    OrderedTimer,
    Overrides,
    is_step_of_program,
    move_timer,
    redelivers,
)
from vcr_gen.runtime.loops.session_loops import Loops

_Events: TypeAlias = "list[tuple[selectors.SelectorKey, int]]"

_RUN_ONCE: Final = asyncio.BaseEventLoop._run_once.__code__  # type: ignore[attr-defined]

_EAGER: "Collection[asyncio.Task[Any]]" = getattr(asyncio.tasks, "_eager_tasks", ())
"""The tasks that were started eagerly, inside the code that made them (Python 3.12 on)."""


@final
class StandardHook(AsyncioHook):
    """Sits between one standard asyncio loop and its selector until it is removed."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        loops: Loops,
        timers: Sequence[float] = (),
    ) -> None:
        super().__init__(loop, loops)
        self._selector: selectors.BaseSelector = self.loop._selector
        self.shares = isinstance(self._selector, _HookedSelector)
        self._installed = True
        self.beneath: list[StandardHook] = []
        """Hooks beneath this one that are removed with it."""
        self.timers = self._adopt_timers(timers)
        """The remaining seconds of the timers that the loop already had."""
        self._environments: list[DetachedTimer] = []
        """The timers of the real environment: they fire at idle points alone."""
        self._inputs: list[int] = []
        """The files that had input and were not taken yet, in the order in which it came."""
        self._overrides = Overrides(
            loop,
            time=self._time,
            call_at=self._call_at,
            call_soon_threadsafe=self._call_soon_threadsafe,
            run_in_executor=self._run_in_executor,
        )
        self._hooked = self.loop._selector = _HookedSelector(self._selector, self)

    @staticmethod
    def fits(loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the loop is one of the standard ones, whose idle point can be seen."""
        return isinstance(loop, asyncio.BaseEventLoop) and isinstance(
            getattr(loop, "_selector", None), selectors.BaseSelector
        )

    def nothing_before(self, when: float) -> bool:
        """Whether the running task alone has something to do, and no timer is due by then.

        False while the loop watches files, which could get input. Also False for an eagerly
        started task, whose caller has more to do, and for a cancelled task, which learns of it
        only where it waits.
        """
        loop = self.loop
        if loop._ready or _EAGER or loop._selector is not self._hooked:
            return False
        soon = when + TOGETHER
        if loop._scheduled and loop._scheduled[0]._when <= soon:
            return False
        if self._environments and self._environments[0].when() <= soon:
            return False
        task = asyncio.current_task(loop)
        return task is not None and not task.cancelling() and len(self._selector.get_map()) <= 1

    def catch_up(self, when: float) -> None:
        """Move the clock to the program's next step if something not on the tape woke the loop."""
        self._move_clock(self.loop._scheduled, when)

    def remove(self) -> None:
        """Restore the loop."""
        if not self._installed:
            return
        above = self.loop._selector
        if isinstance(above, _HookedSelector) and above.hook is not self:
            self._passes = True
            above.hook.beneath.append(self)
            return
        self._installed = False
        if self.loop._selector is not None:
            self.loop._selector = self._selector
        self._overrides.undo()
        self._tasks.undo()
        now = self.loop.time()
        for timer in self.loop._scheduled:
            move_timer(timer, timer._when + now - self._clock.now)
        for timer in self._environments:
            if not timer.cancelled():
                self.loop.call_later(max(0.0, timer.when() - self._clock.now), timer.fire)
        for hook in reversed(self.beneath):
            hook.remove()

    def _time(self) -> float:
        if _getframe(1).f_code is not _RUN_ONCE:  # the loop's own look at its timers moves nothing
            return self._loops.read_clock()
        return self._clock.now

    def _call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *arguments: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Schedule as the loop does, but keep the order of timers that are due together."""
        self.loop._check_closed()
        if in_environment.get():
            detached = self._make_timer(DetachedTimer, when, callback, arguments, context)
            heapq.heappush(self._environments, detached)
            return detached
        timer = self._make_timer(OrderedTimer, when, callback, arguments, context)
        heapq.heappush(self.loop._scheduled, timer)
        timer.mark_scheduled()
        return timer

    def _adopt_timers(self, recorded: Sequence[float]) -> tuple[float, ...]:
        """Put the timers of the loop on the session's clock, as they stood in the recording.

        The time between their making and the first use of the session differs in each run, so a
        replay uses the recorded remaining times.
        """
        now = self.loop.time()
        found = sorted(self.loop._scheduled, key=lambda timer: timer.when())
        rests = [round(timer.when() - now, 6) for timer in found]
        if len(recorded) == len(rests):
            rests = list(recorded)
        for timer, rest in zip(found, rests, strict=True):
            move_timer(timer, self._clock.now + rest)
        self.loop._scheduled[:] = found
        return tuple(rests)

    def select(self, timeout: float | None) -> _Events:
        """Wait for input; when the loop is idle, let the next event enter first."""
        if self._passes:
            return self._selector.select(timeout)
        ready = self.loop._ready  # a thread may add to it
        retries = bool(ready) and redelivers(ready[0]._callback) and self._only_redelivers()
        idles = retries and self._retried  # the task has been cancelled once by then
        self._retried = retries
        if ((timeout is not None and timeout <= 0) or ready) and not idles:
            return self._selector.select(0) if self._is_busy() else []
        when, lag = self._next_timer(timeout)
        hears = len(self._selector.get_map()) > 1  # besides the one that other threads wake
        if hears and not self._loops.session.one_by_one and (events := self._selector.select(0)):
            self._is_busy()
            self.stirred = self._made
            return events
        wait = self._loops.session.idle(when, hears=hears, lag=lag)
        self._fire_environments()
        if wait == 0:  # the task may wait again, not yet cancelled there
            self._retried = False
            self.stirred = None
        if idles:
            wait = GLANCE if wait is None else min(wait, GLANCE)
        events = self._selector.select(wait)
        if wait != 0:
            self._loops.session.woken(when)
        return self._oldest(events) if self._loops.session.one_by_one else events

    def _only_redelivers(self) -> bool:
        """Whether all ready callbacks of the loop are those of `redelivers`."""
        return all(redelivers(handle._callback) for handle in tuple(self.loop._ready))

    def _oldest(self, events: _Events) -> _Events:
        """The input that has waited longest; the other inputs are still there next time."""
        found = {key.fd: (key, mask) for key, mask in events}
        self._inputs = [fd for fd in self._inputs if fd in found]
        self._inputs += [fd for fd in found if fd not in self._inputs]
        return [found[self._inputs.pop(0)]] if self._inputs else []

    def _is_busy(self) -> bool:
        """Note a round of the loop with callbacks ready; return whether it polls for input."""
        timers, timer = self.loop._scheduled, None
        counts = timers and not self._loops.is_served  # a server takes rounds that no replay has
        if counts and any(map(is_step_of_program, tuple(self.loop._ready))):
            timer = timers[0].when()
        looks = self._loops.session.busy(timer)
        if looks:
            self._fire_environments()
        return looks

    def _next_timer(self, timeout: float | None) -> tuple[float | None, float]:
        """When the next timer is due, and the lag that the clock had when it was made.

        The topmost hook has the program's timers on its clock; a lower hook uses `timeout`.
        """
        due: list[tuple[float, float]] = []
        scheduled = self.loop._scheduled
        if self.loop._selector is not self._hooked:
            due += [] if timeout is None else [(self._clock.now + timeout, 0.0)]
        elif scheduled:
            due.append((scheduled[0].when(), getattr(scheduled[0], "lag", 0.0)))
        while self._environments and self._environments[0].cancelled():
            heapq.heappop(self._environments)
        if self._environments:
            due.append((self._environments[0].when(), 0.0))
        return min(due, default=(None, 0.0))

    def _fire_environments(self) -> None:
        """Make the next timer of the environment ready if it is due."""
        timers = self._environments
        if timers and timers[0].when() <= self._clock.now:
            self.loop._ready.append(heapq.heappop(timers))


class _HookedSelector(selectors.BaseSelector):
    """The loop's own selector with another `select`."""

    def __init__(self, real: selectors.BaseSelector, hook: StandardHook) -> None:
        self._real = real
        self.hook = hook

    def select(self, timeout: float | None = None) -> _Events:
        return self.hook.select(timeout)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_key(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.get_key(fileobj)

    def get_map(self) -> Any:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()
