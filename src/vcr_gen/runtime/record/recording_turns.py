"""Taking turns with a loop in a recording: the environment's events enter when it is idle.

A program reacts to each result before it sees the next one, so that a replay can repeat the order
of its reactions. At each idle point, one waiting result is released; a replay delivers the next
recorded one there (`replay/loop_driver.py`).
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, final

from vcr_gen.runtime.loops.backends import Loop, running_library, running_loop
from vcr_gen.runtime.loops.clock import FORCE_AFTER, FORCE_AFTER_ROUNDS, TOGETHER, Clock

if TYPE_CHECKING:
    from vcr_gen.runtime.loops.hook import Hook
    from vcr_gen.runtime.loops.jobs import JobGate

LAG = 0.02
"""Seconds that the clock of a recording may be behind the real one when the program reads it."""

_JUST_BEFORE = 2e-6
"""Seconds by which an event precedes a timer: enough to stay earlier in whole microseconds."""


@final
@dataclass(frozen=True, slots=True)
class _Turn:
    """Something that waits to enter the program."""

    arrival: float
    wanted: Callable[[], bool]
    enter: Callable[[], None]


@final
class _LoopTurns:
    """The results that wait to enter the program on one loop, and the rounds of that loop."""

    def __init__(self) -> None:
        self.waiting: deque[_Turn] = deque()
        self.rounds = 0
        """The number of loop iterations."""
        self.idles = 0
        """How often it was idle."""
        self.rounds_busy = 0
        """Rounds since the loop was idle, or since a result was forced on it."""

    def is_idle(self) -> None:
        """The loop has nothing else to do."""
        self.idles += 1
        self.rounds_busy = 0


@final
class RecordingTurns:
    """Hands finished real calls back one at a time, each when its loop is idle.

    What the environment's input wakes begins at an idle point too, so that a callback which cannot
    wait for its turn does not come while the program is at work.
    """

    one_by_one = True
    jobs: "JobGate"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._loops: dict[Loop, _LoopTurns] = {}
        self.note_tick: Callable[[float, int, int], None] = lambda *_: None
        """Records from what time the clock caught up, and at which reading or round."""
        self.forced = 0
        """How many results were handed back to a loop that was never idle."""

    @property
    def here(self) -> _LoopTurns:
        """The turns of the running loop."""
        return self._of(running_loop() or running_library().loop())

    @property
    def idle_point(self) -> tuple[int, int]:
        """The loop that runs here, and how often it was idle."""
        turns = self.here
        return id(turns), turns.idles

    def _of(self, loop: Loop) -> _LoopTurns:
        turns = self._loops.get(loop)
        if turns is None:
            turns = self._loops[loop] = _LoopTurns()
        return turns

    def has_come(self, hook: "Hook") -> bool:
        """Whether a result that is available now is next, and need not wait for its turn."""
        turns = self._loops.get(hook.loop)
        if turns is None or turns.waiting:
            return False
        arrival = self._clock.real()
        if not hook.nothing_before(arrival):
            return False
        turns.is_idle()
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
        """Deliver something to the program at its turn, if the program still wants it."""
        self._of(loop).waiting.append(_Turn(self._clock.real(), wanted, enter))

    def close(self) -> None:
        """Hand back every result that still waits: the loops are no longer watched."""
        for loop, turns in list(self._loops.items()):
            while turns.waiting:
                turn = turns.waiting.popleft()
                if not loop.is_closed():
                    loop.call_soon_threadsafe(turn.enter)

    def idle(self, timer: float | None, *, hears: bool, lag: float = 0.0) -> float | None:
        """Release the oldest result, unless a timer is due before it came."""
        del hears
        turns = self.here
        turns.is_idle()
        waiting = turns.waiting
        while waiting and not waiting[0].wanted():  # cancelled while it waited
            waiting.popleft()
        if waiting:
            arrival = waiting[0].arrival
            if timer is not None:
                before = round(timer - _JUST_BEFORE, 6)
                if timer + lag <= arrival + TOGETHER or before <= self._clock.now:
                    self._clock.advance(timer)
                    return 0
                arrival = min(arrival, before)
            self._clock.advance(arrival)
            waiting.popleft().enter()
            return 0
        if timer is None:
            return None
        left = timer + lag - self._clock.real()
        if left <= 0:
            self._clock.advance(timer)
            return 0
        return left

    def busy(self, timer: float | None = None) -> bool:
        """Do for a loop that is never idle what else happens at idle points: now and then."""
        turns = self.here
        turns.rounds += 1
        turns.rounds_busy += 1
        if timer is not None:
            self._clock.rounds += 1
            if timer <= self._clock.real() and self.lag > LAG:
                self._catch_up(0, self._clock.rounds)
        if turns.rounds_busy < FORCE_AFTER_ROUNDS:
            return False
        real = self._clock.real()
        if turns.waiting:
            if real - turns.waiting[0].arrival > FORCE_AFTER:
                turns.rounds_busy = 0
                turn = turns.waiting.popleft()
                if turn.wanted():
                    self.forced += 1
                    self._clock.advance(turn.arrival)
                    turn.enter()
        elif real - self._clock.now > FORCE_AFTER:  # it may wait for time to pass
            turns.rounds_busy = 0
            self._clock.advance(real)
        return True

    @property
    def lag(self) -> float:
        """How far the clock is behind the real one."""
        return max(0.0, self._clock.real() - self._clock.now)

    def clock_is_read(self, before: float = inf) -> None:
        """Let the clock catch up before its lag is noticeable."""
        self._clock.readings += 1
        if self.lag > LAG:
            self._catch_up(self._clock.readings, 0, before - _JUST_BEFORE)

    def _catch_up(self, readings: int, rounds: int, most: float = inf) -> None:
        since, to = self._clock.now, min(self._clock.real(), most)
        if to > since:
            self._clock.advance(to)
            self.note_tick(since, readings, rounds)

    def woken(self, timer: float | None) -> None:
        """Let the session's clock follow the real one, but not to a timer."""
        real = self._clock.real()
        self._clock.advance(real if timer is None else min(real, timer - _JUST_BEFORE))

    def told_by_thread(self) -> None:
        """Do nothing: the thread may be the real environment's."""
