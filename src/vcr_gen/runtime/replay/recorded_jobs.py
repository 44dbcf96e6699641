"""Executor jobs in a replay: each result comes back at its recorded moment."""

from collections.abc import Callable
from typing import final

from vcr_gen.runtime.loops.backends import running_library
from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.replay_state import Stage
from vcr_gen.runtime.replay.waiters import Waiter
from vcr_gen.runtime.tape.events import End

__all__ = ["ReplayedJobs"]

_ROUNDED = 1e-6
"""How far a recorded time may be from the clock's that it was."""


@final
class ReplayedJobs:
    """Gates the jobs that the recording has; any other runs as it likes."""

    def __init__(self, stage: Stage, matcher: Matcher, loops: Loops) -> None:
        self._stage = stage
        self._matcher = matcher
        self._loops = loops
        self.strands = stage.strands

    def job_begins(self) -> int:
        """The application hands a job to an executor: gated where the recording has it."""
        with self._stage.changed:
            if self._stage.failure is not None or self._stage.closed:
                return 0
            slot = self._matcher.job(self.strands.here(), until=self._loops.clock.now + _ROUNDED)
            if slot is None:
                return 0
            self._stage.threads.see()
            start = self._stage.take(slot).start
            end = self._stage.window.next_of_call(start.call)
            if end is not None:
                self._stage.recorded_jobs[start.call] = end.event.at - start.at
            self._loops.hook(start.at, start.timers)
            return start.call

    def job_may_run(self, job: int) -> bool:
        """Whether the job ran in the recording."""
        with self._stage.changed:
            slot = self._stage.window.next_of_call(job)
        upcoming = None if slot is None else slot.event
        return not isinstance(upcoming, End) or upcoming.outcome != "cancelled"

    def job_may_be_dropped(self, job: int) -> bool:
        """The application cancelled a job that has not begun: dropped if it was before."""
        with self._stage.changed:
            slot = self._stage.window.next_of_call(job)
            if slot is None or self.job_may_run(job):
                return False
            self._stage.take(slot)
            return True

    def job_is_over(
        self, job: int, wanted: Callable[[], bool], hand_back: Callable[[], None]
    ) -> None:
        """Let the result of a job enter in its turn."""
        with self._stage.changed:
            self._stage.recorded_jobs.pop(job, None)
            if self._stage.failure is not None or self._stage.closed or not wanted():
                hand_back()
            else:
                waiter = Waiter(job)
                waiter.future = running_library().park()
                waiter.hand_back = hand_back
                waiter.wanted = wanted
                self._stage.waiters.add(waiter)
