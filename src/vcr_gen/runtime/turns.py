"""Taking turns with an asyncio loop: what the environment says enters only when the loop is idle.

A program reacts to each result before it sees the next one, so that the order of its reactions can
be had again. The same hook serves both ways: a recording releases one waiting result at each idle
point, a replay delivers the next recorded one. The loop's clock is the session's: it stands still
while callbacks run and moves only at idle points, so timers fire where they fired, and a replay
takes no wall time.
"""

import asyncio
import heapq
import selectors
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol, TypeAlias, TypeVar, final

from vcr_gen.runtime.jobs import JobGate, run_job

__all__ = [
    "FORCE_AFTER",
    "FORCE_AFTER_ROUNDS",
    "Clock",
    "Idle",
    "LoopHook",
    "LoopSession",
    "Patient",
    "RecordingTurns",
]

_T = TypeVar("_T")
_Events: TypeAlias = "list[tuple[selectors.SelectorKey, int]]"

_GLANCE = 0.001
"""Seconds a loop really waits that has nothing to do but to cancel a task again."""

FORCE_AFTER = 0.2
"""Seconds a result may wait for a busy loop before it is handed back anyway."""

FORCE_AFTER_ROUNDS = 50
"""How often the loop must have gone round by then: a process that was held up is not busy."""


@final
class Clock:
    """The session's clock: seconds since it began, in whole microseconds so that files keep it."""

    __slots__ = ("_origin", "now")

    def __init__(self) -> None:
        self._origin = time.monotonic()
        self.now = 0.0
        """Where the loops of the session stand."""

    def real(self) -> float:
        """Real seconds since the session began."""
        return round(time.monotonic() - self._origin, 6)

    def advance(self, to: float) -> None:
        """Move forward; the clock never runs back."""
        self.now = max(self.now, to)


class Idle(Protocol):
    """What a session does when a loop has nothing ready."""

    def idle(self, timer: float | None) -> float | None:
        """React to an idle loop whose next timer is due at `timer`.

        Returns how long the loop may really wait: 0 when something was made ready.
        """

    def busy(self) -> None:
        """The loop goes round and still has callbacks ready."""

    def woken(self, timer: float | None) -> None:
        """The loop really waited and goes on."""


class LoopSession(Idle, Protocol):
    """What a hooked loop needs from a session."""

    def job_gate(self) -> JobGate:
        """Who hands the results of executor jobs back."""


@final
class LoopHook:
    """Stands between one standard asyncio loop and its selector until it is removed."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        session: LoopSession,
        timers: Sequence[float] = (),
    ) -> None:
        self.loop = loop
        self._loop = _internals(loop)
        self._clock = clock
        self._session = session
        self._selector: selectors.BaseSelector = self._loop._selector
        self._installed = True
        self.timers = self._adopt_timers(timers)
        """How long the timers that were there already had to run."""
        self._ordinals = count()
        self._saved: dict[str, object] = {}
        self._override("time", self._time)
        self._override("call_at", self._call_at)
        self._submit = self._loop.run_in_executor
        self._override("run_in_executor", self._run_in_executor)
        self._loop._selector = _HookedSelector(self._selector, self._select)

    @staticmethod
    def fits(loop: asyncio.AbstractEventLoop) -> bool:
        """Whether the loop is one of the standard ones, whose idle point can be seen."""
        return isinstance(loop, asyncio.BaseEventLoop) and isinstance(
            getattr(loop, "_selector", None), selectors.BaseSelector
        )

    @property
    def ready(self) -> bool:
        """Whether the loop has callbacks waiting to run."""
        return bool(self._loop._ready)

    @property
    def watches_files(self) -> bool:
        """Whether something besides the loop itself waits for input or output."""
        return len(self._selector.get_map()) > 1

    def remove(self) -> None:
        """Leave the loop as it was found."""
        if not self._installed:
            return
        self._installed = False
        if self._loop._selector is not None:
            self._loop._selector = self._selector
        for name in self._saved:
            self._restore(name)
        now = self._loop.time()
        for timer in self._loop._scheduled:
            timer._when += now - self._clock.now

    def _override(self, name: str, value: object) -> None:
        self._saved[name] = vars(self._loop).get(name)
        setattr(self._loop, name, value)

    def _restore(self, name: str) -> None:
        """Put back what an earlier session left there, or else the loop's own method."""
        if self._saved[name] is None:
            delattr(self._loop, name)
        else:
            setattr(self._loop, name, self._saved[name])

    def _time(self) -> float:
        return self._clock.now

    def _run_in_executor(
        self, executor: Any, function: Callable[..., Any], *arguments: Any
    ) -> "asyncio.Future[Any]":
        gate = self._session.job_gate()
        return run_job(gate, self._submit, executor, function, arguments)

    def _call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *arguments: Any,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Schedule as the loop does, but keep the order of timers that are due together."""
        self._loop._check_closed()
        timer = _OrderedTimer(when, callback, arguments, self.loop, context)
        timer.ordinal = next(self._ordinals)
        heapq.heappush(self._loop._scheduled, timer)
        timer.mark_scheduled()
        return timer

    def _adopt_timers(self, recorded: Sequence[float]) -> tuple[float, ...]:
        """Put the timers of the loop on the session's clock, as they stood in the recording.

        Between their making and the first use of the session passed a time that is never twice
        the same, so in a replay the recorded rest counts.
        """
        now = self._loop.time()
        found = sorted(self._loop._scheduled, key=lambda timer: timer.when())
        rests = [round(timer.when() - now, 6) for timer in found]
        if len(recorded) == len(rests):
            rests = list(recorded)
        for timer, rest in zip(found, rests, strict=True):
            timer._when = self._clock.now + rest
        self._loop._scheduled[:] = found
        return tuple(rests)

    def _select(self, timeout: float | None) -> _Events:
        ready = self._loop._ready  # a thread may add to it
        redelivers = bool(ready) and all(_redelivers(handle) for handle in ready)
        if ((timeout is not None and timeout <= 0) or ready) and not redelivers:
            self._session.busy()
            return self._selector.select(0)
        if redelivers:
            timer = min((timer.when() for timer in self._loop._scheduled), default=None)
        else:
            timer = None if timeout is None else self._clock.now + timeout
        wait = self._session.idle(timer)
        if redelivers:
            wait = _GLANCE if wait is None else min(wait, _GLANCE)
        events = self._selector.select(wait)
        if wait != 0:
            self._session.woken(timer)
        return events


def _redelivers(handle: Any) -> bool:
    """Whether a callback is anyio's, which cancels a task again and again until it gives in.

    A loop with nothing else to do is idle: the task waits for its turn to leave.
    """
    return getattr(handle._callback, "__name__", "") == "_deliver_cancellation"


@final
class Patient(asyncio.Future[_T]):
    """What a task that was cancelled waits for until it may leave: it cannot be cancelled again."""

    def cancel(self, msg: object = None) -> bool:
        """Have it that the task was told, for it was."""
        del msg
        return True


@final
class _OrderedTimer(asyncio.TimerHandle):
    """A timer that comes after those made earlier for the same instant.

    The loop's heap leaves open which of them fires first, and a recording has more timers in it
    than its replay: those of the real environment.
    """

    __slots__ = ("ordinal",)

    ordinal: int

    def mark_scheduled(self) -> None:
        """Tell the loop that its heap holds this timer, as its own `call_at` does."""
        self._scheduled = True

    def __lt__(self, other: object) -> bool:
        if isinstance(other, _OrderedTimer) and other.when() == self.when():
            return self.ordinal < other.ordinal
        if isinstance(other, asyncio.TimerHandle):
            return self.when() < other.when()
        return NotImplemented


def _internals(loop: asyncio.AbstractEventLoop) -> Any:
    """The loop with its selector and timers, which the typed API does not show."""
    return loop


class _HookedSelector(selectors.BaseSelector):
    """The loop's own selector with another `select`."""

    def __init__(
        self, real: selectors.BaseSelector, select: Callable[[float | None], _Events]
    ) -> None:
        self._real = real
        self._select = select

    def select(self, timeout: float | None = None) -> _Events:
        return self._select(timeout)

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


@final
@dataclass(frozen=True, slots=True)
class _Turn:
    """Something that waits to enter the program."""

    arrival: float
    wanted: Callable[[], bool]
    enter: Callable[[], None]
    loop: asyncio.AbstractEventLoop


@final
class RecordingTurns:
    """Hands finished real calls back one at a time, each when the loop is idle."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: deque[_Turn] = deque()
        self._rounds = 0
        self.forced = 0
        """How many results were handed back to a loop that was never idle."""

    async def turn(self, *, patient: bool = False) -> None:
        """Wait until it is this result's turn to enter the program; `patient` once cancelled."""
        loop = asyncio.get_running_loop()
        future = Patient[None](loop=loop) if patient else loop.create_future()
        self.queue(lambda: not future.done(), lambda: _release(future), future.get_loop())
        await future

    def queue(
        self,
        wanted: Callable[[], bool],
        enter: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Let something enter the program in its turn, if it is still wanted then."""
        self._waiting.append(_Turn(self._clock.real(), wanted, enter, loop))

    def close(self) -> None:
        """Hand back every result that still waits: nobody watches the loop any more."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.loop.is_closed():
                turn.loop.call_soon_threadsafe(turn.enter)

    def idle(self, timer: float | None) -> float | None:
        """Release the oldest result, unless a timer is due before it came."""
        self._rounds = 0
        while self._waiting and not self._waiting[0].wanted():  # cancelled while it waited
            self._waiting.popleft()
        if self._waiting:
            arrival = self._waiting[0].arrival
            if timer is not None and timer <= arrival:
                self._clock.advance(timer)
                return 0
            self._clock.advance(arrival)
            self._waiting.popleft().enter()
            return 0
        if timer is None:
            return None
        left = timer - self._clock.real()
        if left <= 0:
            self._clock.advance(timer)
            return 0
        return left

    def busy(self) -> None:
        """Do for a loop that is never idle what else happens at idle points: now and then."""
        self._rounds += 1
        if self._rounds < FORCE_AFTER_ROUNDS:
            return
        real = self._clock.real()
        if self._waiting:
            if real - self._waiting[0].arrival > FORCE_AFTER:
                self._rounds = 0
                turn = self._waiting.popleft()
                if turn.wanted():
                    self.forced += 1
                    self._clock.advance(turn.arrival)
                    turn.enter()
        elif real - self._clock.now > FORCE_AFTER:  # it may wait for time to pass
            self._rounds = 0
            self._clock.advance(real)

    def woken(self, timer: float | None) -> None:
        """Let the session's clock follow the real one, but not past a timer."""
        real = self._clock.real()
        self._clock.advance(real if timer is None else min(real, timer))


def _release(future: "asyncio.Future[None]") -> None:
    if not future.done():
        future.set_result(None)
