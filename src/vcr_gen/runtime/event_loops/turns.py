"""Taking turns with a loop: what the environment says enters only when the loop is idle.

A program reacts to each result before it sees the next one, so that the order of its reactions can
be had again. The same hook serves both ways: a recording releases one waiting result at each idle
point, a replay delivers the next recorded one. The loop's clock is the session's: it stands still
while callbacks run and moves only at idle points, so timers fire where they fired, and a replay
takes no wall time.
"""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, final

from vcr_gen.runtime.event_loops.hooks import Hook
from vcr_gen.runtime.event_loops.jobs import JobGate
from vcr_gen.runtime.event_loops.libraries import Loop, running_library

__all__ = [
    "FORCE_AFTER",
    "FORCE_AFTER_ROUNDS",
    "TOGETHER",
    "Clock",
    "Idle",
    "LoopSession",
    "RecordingTurns",
]

TOGETHER = 2e-9
"""Seconds within which a loop takes a timer to be due: it would fire together with what enters."""

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

    @property
    def one_by_one(self) -> bool:
        """Whether input is taken in only when the loop is idle, and one at a time."""

    def idle(self, timer: float | None, *, hears: bool) -> float | None:
        """React to an idle loop whose next timer is due at `timer`, and which may get input.

        Returns how long the loop may really wait: 0 when something was made ready.
        """

    def busy(self) -> bool:
        """The loop goes round and still has callbacks ready; whether it looks for input."""

    def woken(self, timer: float | None) -> None:
        """The loop really waited and goes on."""

    def told_by_thread(self) -> None:
        """Another thread made the loop go on, and the tape does not know when."""


class LoopSession(Idle, Protocol):
    """What a hooked loop needs from a session."""

    def job_gate(self) -> JobGate:
        """Who hands the results of executor jobs back."""


@final
@dataclass(frozen=True, slots=True)
class _Turn:
    """Something that waits to enter the program."""

    arrival: float
    wanted: Callable[[], bool]
    enter: Callable[[], None]
    loop: Loop


@final
class RecordingTurns:
    """Hands finished real calls back one at a time, each when the loop is idle.

    What the environment's input wakes begins at an idle point too, so that a callback which cannot
    wait for its turn does not come while the program is at work.
    """

    one_by_one = True

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: deque[_Turn] = deque()
        self._rounds = 0
        self.rounds = 0
        """How often loops went round."""
        self.idles = 0
        """How often loops were idle."""
        self.forced = 0
        """How many results were handed back to a loop that was never idle."""

    def has_come(self, hook: Hook) -> bool:
        """Whether a result that is there now is next, so that it need not wait for its turn."""
        arrival = self._clock.real()
        if self._waiting or not hook.nothing_before(arrival):
            return False
        self._rounds = 0
        self.idles += 1
        self._clock.advance(arrival)
        return True

    async def turn(self, *, patient: bool = False) -> None:
        """Wait until it is this result's turn to enter the program; `patient` once cancelled."""
        parked = running_library().park(patient=patient)

        def enter() -> None:
            if not parked.done():
                parked.set_result(None)

        self.queue(lambda: not parked.done(), enter, parked.get_loop())
        await parked

    def queue(
        self,
        wanted: Callable[[], bool],
        enter: Callable[[], None],
        loop: Loop,
    ) -> None:
        """Let something enter the program in its turn, if it is still wanted then."""
        self._waiting.append(_Turn(self._clock.real(), wanted, enter, loop))

    def close(self) -> None:
        """Hand back every result that still waits: nobody watches the loop any more."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.loop.is_closed():
                turn.loop.call_soon_threadsafe(turn.enter)

    def idle(self, timer: float | None, *, hears: bool) -> float | None:
        """Release the oldest result, unless a timer is due before it came."""
        del hears
        self._rounds = 0
        self.idles += 1
        while self._waiting and not self._waiting[0].wanted():  # cancelled while it waited
            self._waiting.popleft()
        if self._waiting:
            arrival = self._waiting[0].arrival
            if timer is not None and timer <= arrival + TOGETHER:
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

    def busy(self) -> bool:
        """Do for a loop that is never idle what else happens at idle points: now and then."""
        self.rounds += 1
        self._rounds += 1
        if self._rounds < FORCE_AFTER_ROUNDS:
            return False
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
        return True

    def woken(self, timer: float | None) -> None:
        """Let the session's clock follow the real one, but not past a timer."""
        real = self._clock.real()
        self._clock.advance(real if timer is None else min(real, timer))

    def told_by_thread(self) -> None:
        """It may well be the real environment's."""
