"""Records the order in which threads take the application's locks.

The tape has an event for each change of hands, with how often the strand before took the lock in a
row: a lock that a single thread takes a thousand times is one event.
"""

from typing import final

from vcr_gen.runtime.extras.locks import Acquire, LockRun
from vcr_gen.runtime.loops.environment import in_environment
from vcr_gen.runtime.record.tape_writer import Tape
from vcr_gen.runtime.strands.strands import Strands
from vcr_gen.runtime.tape.events import LOCK

__all__ = ["RecordedLocks"]


@final
class RecordedLocks:
    """Records which strand takes a lock."""

    def __init__(
        self, tape: Tape, strands: Strands, runs: dict[str, LockRun] | None = None
    ) -> None:
        self._tape = tape
        self._strands = strands
        self.runs = {} if runs is None else runs

    def know(self, name: str) -> None:
        """Nothing to do: the first event of a lock says all that a replay needs."""

    def take(self, name: str, acquire: Acquire, blocking: bool, timeout: float) -> bool:
        """Take a lock, and record that while no other thread can take it."""
        taken = acquire(blocking, timeout)
        if in_environment.get():
            return taken
        strand = self._strands.here().name
        run = self.runs.setdefault(name, LockRun())
        if not taken:
            self._tape.note(LOCK, {"lock": name}, False)
        elif run.strand == strand:
            run.times += 1
        else:
            self._tape.note(LOCK, {"lock": name, "after": run.times}, True)
            run.strand, run.times = strand, 1
        return taken
