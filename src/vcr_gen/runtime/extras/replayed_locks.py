"""The order in which threads took the application's locks, had again.

A lock is no boundary, so nothing of it is asserted; where a program takes its locks otherwise than
it did, they are left alone.
"""

from typing import final

from vcr_gen.runtime.extras.locks import Acquire, LockRun
from vcr_gen.runtime.loops.environment import in_environment
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.session_view import anything_may_move
from vcr_gen.runtime.replay.strand_matching import StrandMatching
from vcr_gen.runtime.replay.waiters import Waiter
from vcr_gen.runtime.replay.waiting import TICK
from vcr_gen.runtime.tape.events import End
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = ["ReplayedLocks"]


@final
class ReplayedLocks:
    """Lets each strand have a lock when it had it."""

    def __init__(self, state: ReplayState, counterparts: StrandMatching) -> None:
        self._state = state
        self._window = state.window
        self._counterparts = counterparts
        self.runs: dict[str, LockRun] = {}

    def know(self, name: str) -> None:
        """A lock is watched: its turns count from now on."""
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
        """The event that is due for this strand, its run that goes on, or nothing of either."""
        if name not in self._window.ordered_locks or not self._state.goes_on:
            return None
        if in_environment.get():
            return None
        self._state.threads.see()
        strand = self._state.strands.here()
        own = self._counterparts.next_lock_of(strand, name)
        run, due = self.runs.get(name), self._due(name)
        if run is None or run.strand != self._counterparts.name_of(strand):
            return own
        return own if due is not None and run.times >= _after(due) else run

    def _due(self, name: str) -> Slot | None:
        """The next change of hands."""
        waiting = self._window.locks.get(name)
        if not waiting:
            return None
        if waiting[0].done:  # passed over: its strand did not take the lock
            self._give_up(name)
            return None
        return waiting[0]

    def _came(self, name: str, slot: Slot) -> bool:
        """Wait in this thread until everybody had the lock who had it before."""

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
        """A strand has the lock."""
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
        """Leave a lock alone that is taken otherwise than it was."""
        self._window.ordered_locks.discard(name)
        self._state.moved()


def _after(slot: Slot) -> int:
    after = slot.start.arguments.get("after")
    return after if isinstance(after, int) else 0


def _was_taken(slot: Slot, window: Window) -> bool:
    """Whether a lock was taken, rather than somebody gave up waiting for it."""
    end = window.next_of_call(slot.event.call)
    return end is not None and isinstance(end.event, End) and end.event.value is True
