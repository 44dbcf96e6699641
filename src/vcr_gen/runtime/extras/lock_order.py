"""Records the order in which threads take the application's locks, and replays it.

The tape has an event for each change of hands, with how often the strand before took the lock in a
row: a lock that a single thread takes a thousand times is one event. A lock is no boundary, so a
replay asserts nothing of it. Where a program takes a lock in a different order, it is left alone.
"""

from typing import final

from vcr_gen.runtime.extras.locks import Acquire, LockRun
from vcr_gen.runtime.loops.environment import in_environment
from vcr_gen.runtime.record.tape_writer import Tape
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.session_view import anything_may_move
from vcr_gen.runtime.replay.strand_matching import StrandMatching
from vcr_gen.runtime.replay.waiters import Waiter
from vcr_gen.runtime.replay.waiting import TICK
from vcr_gen.runtime.strands.strands import Strands
from vcr_gen.runtime.tape.events import LOCK, End
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = ["RecordedLocks", "ReplayedLocks"]


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
        """Do nothing: the first event of a lock has all that a replay needs."""

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


@final
class ReplayedLocks:
    """Lets each strand take a lock when it took it in the recording."""

    def __init__(self, state: ReplayState, strand_matching: StrandMatching) -> None:
        self._state = state
        self._window = state.window
        self._strand_matching = strand_matching
        self.runs: dict[str, LockRun] = {}

    def know(self, name: str) -> None:
        """Watch a lock: its turns count from now on."""
        with self._state.monitor:
            self._window.ordered_locks.add(name)

    def take(self, name: str, acquire: Acquire, blocking: bool, timeout: float) -> bool:
        """Take a lock when it is this strand's turn."""
        with self._state.monitor:
            turn = self._turn(name)
            if isinstance(turn, Slot):
                if not _was_taken(turn, self._window):
                    self._done(turn)
                    if not blocking or timeout >= 0:
                        return False
                    self._give_up(name)
                    turn = None
                elif not self._came(name, turn):
                    turn = None
        if isinstance(turn, Slot):  # in the recording it was free by then, so it will be
            blocking, timeout = True, -1 if blocking and timeout < 0 else self._state.patience
        taken = acquire(blocking, timeout)
        if turn is not None:
            with self._state.monitor:
                self._note(name, turn)
        return taken

    def _turn(self, name: str) -> Slot | LockRun | None:
        """The next event of this strand for the lock, or its run that goes on, if it has one."""
        if name not in self._window.ordered_locks or not self._state.goes_on:
            return None
        if in_environment.get():
            return None
        self._state.threads.see()
        strand = self._state.strands.here()
        own = self._strand_matching.next_lock_of(strand, name)
        run, due = self.runs.get(name), self._due(name)
        if run is None or run.strand != self._strand_matching.name_of(strand):
            return own
        return own if due is not None and run.times >= _after(due) else run

    def _due(self, name: str) -> Slot | None:
        """The next change of hands of a lock."""
        waiting = self._window.locks.get(name)
        if not waiting:
            return None
        if waiting[0].done:  # passed over: its strand did not take the lock
            self._give_up(name)
            return None
        return waiting[0]

    def _came(self, name: str, slot: Slot) -> bool:
        """Wait in this thread until every strand that took the lock before has done so."""

        def is_next() -> bool:
            run = self.runs.get(name)
            return self._due(name) is slot and (run.times if run else 0) >= _after(slot)

        waiter = Waiter(slot.event.call)
        waiter.may_go = is_next
        self._state.waiters.add(waiter)
        try:
            while self._state.goes_on and name in self._window.ordered_locks:
                if is_next():
                    return True
                if not anything_may_move(self._state):
                    self._give_up(name)
                else:
                    self._state.monitor.wait(TICK)
        finally:
            self._state.waiters.remove(waiter)
        return False

    def _note(self, name: str, turn: Slot | LockRun) -> None:
        """Note that a strand has the lock."""
        if isinstance(turn, LockRun):
            turn.times += 1
        elif not turn.done:
            self._done(turn)
            self.runs[name] = LockRun(turn.strand, 1)
        self._state.moved()

    def _done(self, slot: Slot) -> None:
        self._state.take(slot)
        end = self._window.next_of_call(slot.event.call)
        if end is not None:
            self._state.take(end)
        waiting = self._window.locks.get(str(slot.start.arguments["lock"]))
        if waiting and waiting[0] is slot:
            waiting.popleft()

    def _give_up(self, name: str) -> None:
        """Leave alone a lock that the program takes in a different order."""
        self._window.ordered_locks.discard(name)
        self._state.moved()


def _after(slot: Slot) -> int:
    after = slot.start.arguments.get("after")
    return after if isinstance(after, int) else 0


def _was_taken(slot: Slot, window: Window) -> bool:
    """Whether the lock was taken in the recording, and no timeout ended the wait for it."""
    end = window.next_of_call(slot.event.call)
    return end is not None and isinstance(end.event, End) and end.event.value is True
