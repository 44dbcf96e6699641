"""Taking turns with a loop that hides its idle point, such as uvloop's.

Whatever becomes ready in such a loop passes its `call_soon`. So a probe is put behind everything
that is ready; when nothing was added by the time it runs, the loop has nothing to do. Timers never
reach the loop: they are kept here, on the session's clock.
"""

import asyncio
import heapq
from collections.abc import Callable
from contextvars import Context
from typing import Any, Final, final

from vcr_gen.errors import DivergenceError
from vcr_gen.runtime.loops.hook import (
    GLANCE,
    AsyncioHook,
    DetachedTimer,
    Overrides,
    redelivers,
)
from vcr_gen.runtime.loops.session_loops import Loops

_INPUT: Final = (
    "add_reader",
    "add_writer",
    "connect_accepted_socket",
    "connect_read_pipe",
    "connect_write_pipe",
    "create_connection",
    "create_datagram_endpoint",
    "create_server",
    "create_unix_connection",
    "create_unix_server",
    "sock_accept",
    "sock_connect",
    "sock_recv",
    "sock_recv_into",
    "sock_sendall",
    "subprocess_exec",
    "subprocess_shell",
)
"""The methods of a loop that programs use for input and output."""


@final
class ProbingHook(AsyncioHook):
    """Watches one loop of asyncio's kind through its methods until it is removed."""

    timers: tuple[float, ...] = ()

    def __init__(self, loop: asyncio.AbstractEventLoop, loops: Loops) -> None:
        super().__init__(loop, loops)
        self._soon = loop.call_soon
        self._later = loop.call_later
        self.shares = _hook_of(loop) is not None
        self._timers: list[DetachedTimer] = []
        self._added = True
        """Whether something became ready since the probe was sent."""
        self._redelivers = False
        self._sent = False
        """Whether the probe is on its way."""
        self._alarm: asyncio.TimerHandle | None = None
        self._gave_up = False
        self._hears = False
        """Whether the loop was asked for input or output, and may get it."""
        self.beneath: list[ProbingHook] = []
        """Hooks beneath this one that are removed with it."""
        self._overrides = Overrides(
            loop,
            time=self._loops.read_clock,
            call_soon=self._call_soon,
            call_soon_threadsafe=self._call_soon_threadsafe,
            call_later=self._call_later,
            call_at=self._call_at,
            run_in_executor=self._run_in_executor,
            **{name: self._noted(getattr(loop, name)) for name in _INPUT if hasattr(loop, name)},
        )
        self._send()

    @staticmethod
    def fits(loop: asyncio.AbstractEventLoop) -> bool:
        """Whether methods of this one loop can be replaced."""
        return hasattr(loop, "__dict__")

    def nothing_before(self, when: float) -> bool:
        """Always False: only the probe can find out."""
        del when
        return False

    def catch_up(self, when: float) -> None:
        """Move the clock to the program's next step if something not on the tape woke the loop."""
        self._move_clock(self._timers, when)

    def remove(self) -> None:
        """Restore the loop; its running timers continue."""
        above = _hook_of(self.loop)
        if above is not None and above is not self:
            if self not in above.beneath:
                above.beneath.append(self)
            self._leave()
            return
        self._overrides.undo()
        self._tasks.undo()
        self._leave()
        for hook in reversed(self.beneath):
            hook.remove()
        self.beneath.clear()

    def _leave(self) -> None:
        if self._passes:
            return
        self._passes = True
        self._stop_waiting()
        for timer in sorted(self._timers):
            if not timer.cancelled():
                self._later(max(0.0, timer.when() - self._clock.now), timer.fire)
        self._timers.clear()

    def _call_soon(
        self, callback: Callable[..., object], *arguments: Any, context: Context | None = None
    ) -> asyncio.Handle:
        if not self._passes:
            if redelivers(callback):
                self._redelivers = True
            else:
                self._added = True
            self._stop_waiting()
            self._send()
        return self._soon(callback, *arguments, context=context)

    def _call_soon_threadsafe(
        self, callback: Callable[..., object], *arguments: Any, context: Context | None = None
    ) -> asyncio.Handle:
        self._added = True
        return super()._call_soon_threadsafe(callback, *arguments, context=context)

    def _call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *arguments: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        return self._call_at(
            self._loops.read_clock() + delay, callback, *arguments, context=context
        )

    def _call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *arguments: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        timer = self._make_timer(DetachedTimer, when, callback, arguments, context)
        heapq.heappush(self._timers, timer)
        self._stop_waiting()
        self._send()
        return timer

    def _noted(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self._hears = True
            return method(*arguments, **options)

        return call

    def _send(self) -> None:
        if not self._sent:
            self._sent = True
            self._soon(self._probe)

    def _probe(self) -> None:
        """Everything that was ready before has run: see whether anything is ready now."""
        self._sent = False
        if self._passes or self.loop.is_closed():
            return
        retries, self._redelivers = self._redelivers, False
        idles = retries and self._retried
        self._retried = retries
        if self._added or (retries and not idles):
            self._added = False
            try:
                self._loops.session.busy()
            except DivergenceError:
                self._end()
            self._send()
            return
        timer = self._next_timer()
        if timer is not None and timer.when() <= self._clock.now:
            heapq.heappop(self._timers)
            self._soon(timer.fire)
            self._send()
            return
        when = None if timer is None else timer.when()
        try:
            wait = self._loops.session.idle(when, hears=self._hears, lag=getattr(timer, "lag", 0.0))
        except DivergenceError:
            self._end()
            return
        if idles:
            wait = GLANCE if wait is None else min(wait, GLANCE)
        if wait == 0:
            self.stirred = None
            self._send()
        elif wait is not None:
            self._alarm = self._later(wait, self._wake, when)

    def _wake(self, when: float | None) -> None:
        """Note that the loop has waited in real time."""
        self._alarm = None
        self._loops.session.woken(when)
        self._send()

    def _stop_waiting(self) -> None:
        """Something happens before the wait is over."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
            timer = self._next_timer()
            self._loops.session.woken(None if timer is None else timer.when())

    def _next_timer(self) -> DetachedTimer | None:
        while self._timers and self._timers[0].cancelled():
            heapq.heappop(self._timers)
        return self._timers[0] if self._timers else None

    def _end(self) -> None:
        """Cancel a program in which no task waits for the tape: its close raises the divergence.

        An exception would only be logged here. If the program continues, its loop is stopped.
        """
        if self._gave_up:
            self.loop.stop()
            return
        self._gave_up = True
        for task in asyncio.all_tasks(self.loop):
            task.cancel()


def _hook_of(loop: asyncio.AbstractEventLoop) -> ProbingHook | None:
    """The topmost hook of a loop."""
    owner = getattr(vars(loop).get("call_soon"), "__self__", None)
    return owner if isinstance(owner, ProbingHook) else None
