"""Makes the calls of the environment's own threads in a replay, when their time has come.

It also notices when every thread of the program waits for something that cannot come.

A callback may come while the program waits for something that is not on the tape. Then no waiting
thread can run it. So a thread of the session makes the call as soon as everything before it is done
and the program is where it was in the recording: each of its threads waits.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from queue import SimpleQueue
from typing import TypeAlias, final

from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.replay.liveness import OWN_THREAD
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.session_view import program_gap, view_of
from vcr_gen.runtime.replay.waiting import (
    AT_WORK,
    BLOCKED_GRACE,
    POLL,
    SECONDS_TO_END,
    UNEXPECTED,
)
from vcr_gen.runtime.tape.window import Slot

Work: TypeAlias = Callable[[], None]

_MOST = 32
"""How many threads are kept for reuse; each job of an environment's pool is a strand."""


@final
class _Caller:
    """One thread, which runs the work it is given until it is closed."""

    def __init__(self, name: str) -> None:
        self._work: SimpleQueue[Work | None] = SimpleQueue()
        self.given = self.begun = 0
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    def give(self, work: Work | None) -> None:
        self.given += 1
        self._work.put(work)

    def _run(self) -> None:
        while (work := self._next()) is not None:
            self.begun += 1
            work()

    def _next(self) -> Work | None:
        """Wait for work; a thread in this function is known to be idle."""
        return self._work.get()


@final
class EnvironmentThreads:
    """One thread for each strand of the environment.

    Calls that came from one thread come from one thread again: the application may keep state for
    each thread, as `threading.local` and `sqlite3` do.
    """

    def __init__(self) -> None:
        self._callers: dict[str, _Caller] = {}

    def run(self, strand: str, work: Work) -> None:
        """Run work in the thread of a strand."""
        caller = self._callers.pop(strand, None) or _Caller(f"environment {strand}")
        self._callers[strand] = caller  # the last used is the last to go
        caller.give(work)
        while len(self._callers) > _MOST:
            self._callers.pop(next(iter(self._callers))).give(None)

    @property
    def begin_soon(self) -> bool:
        """Whether one of them has something to do, and has not begun."""
        return any(caller.given > caller.begun for caller in self._callers.values())

    def close(self) -> None:
        """End them all; stop waiting for a thread that is blocked in the application."""
        here = threading.current_thread()
        for caller in self._callers.values():
            caller.give(None)
        for caller in self._callers.values():
            if caller.thread is not here:
                caller.thread.join(SECONDS_TO_END)
        self._callers.clear()


@final
class CallbackThread:
    """A thread that exists from when it is of use until the session ends."""

    def __init__(
        self,
        state: ReplayState,
        loops: Loops,
        *,
        is_mine: Callable[[Slot], bool],
        deliver: Callable[[Slot], bool],
    ) -> None:
        self._state = state
        self._loops = loops
        self._is_mine = is_mine
        self._deliver = deliver
        self._thread: threading.Thread | None = None
        self._nudged = threading.Event()
        self._closing = False
        self._delivers = False
        self._all_waited: bool | None = False
        """Whether all threads of the program waited at the last look; None if there are none."""
        self._stands_since = inf

    def attend(self) -> None:
        """Make calls from now on."""
        if not self._delivers:
            self._delivers = True
            self._state.when_moved = self._nudge
            self._nudged.set()
        self.watch()

    def watch(self) -> None:
        """Be there from now on, and look at the program alone.

        It reads the tape only once the session uses it: the program may still set what it watches.
        """
        if self._thread is None and not self._closing:
            name = f"{OWN_THREAD} callbacks"
            self._thread = threading.Thread(target=self._run, name=name, daemon=True)
            self._thread.start()

    def takes(self, head: Slot | None) -> bool:
        """Whether the oldest event is one that it will deliver, sooner or later."""
        if head is None or not self._delivers or not head.start.inbound:
            return False
        strands = {slot.start.strand for slot in self._state.running.values()}
        if head.start.strand in strands or self._loops.in_use:
            return False  # the thread that waits in this strand takes it, or the loop
        return self._is_mine(head)

    def _nudge(self) -> None:
        """Wake the thread if a call that it makes is due now; called when something moved."""
        with suppress(Exception):  # a broken tape is reported where it is read
            if self.takes(self._state.window.head()):
                self._nudged.set()

    def close(self) -> None:
        """Deliver no more; the thread is gone when this returns."""
        self._closing = True
        self._nudged.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self) -> None:
        state = self._state
        while state.goes_on:
            self._nudged.clear()
            if self._closing:
                return
            with state.monitor:
                try:
                    head = state.window.head() if self._delivers else None
                except Exception:
                    return  # a broken tape is reported by the thread that reads on, or closes it
                due = self.takes(head)
                if due and head is not None and self._may_come(head) and self._deliver(head):
                    self._all_waited = False
                    continue
                if not due and self._stands_still():
                    state.note_stall(all_wait=True)
            if due:
                time.sleep(POLL)
            else:
                self._nudged.wait(BLOCKED_GRACE)

    def _may_come(self, head: Slot) -> bool:
        """Whether the program has reached the point of the recorded call.

        It has when all of its threads wait. A thread at work has as much time as it had in the
        recording; but never more than `patience`.
        """
        state = self._state
        if state.pace and state.seconds_early(head):
            return False
        if state.monitor.still_for > state.patience:
            return True
        before = max((slot.event.at for slot in state.window.recent), default=0.0)
        gap = max(head.event.at - before, 0.0)
        if state.monitor.still_for < min(gap, BLOCKED_GRACE):
            return False
        waited, self._all_waited = self._all_waited, state.threads.all_wait(state.waiters)
        if self._all_waited is False:
            return max(gap, AT_WORK) <= state.monitor.still_for
        # A thread that was just woken still seems to wait: so they have to be seen waiting twice.
        return waited is not False

    def _stands_still(self) -> bool:
        """Whether every thread has waited too long for something that cannot come.

        A wait may end by its own timeout. If the tape has something that the program should do by
        then, the program did not wait that long in the recording. Otherwise the program gets much
        longer.
        """
        state = self._state
        if state.peer is not None:
            return state.goes_on and view_of(state).withheld
        if state.pace and state.seconds_early(state.window.head()):
            return False
        now = time.monotonic()
        # Tasks get their events when their loop is idle; a loop that is blocked is seen to wait.
        parked = any(waiter.future is None for waiter in state.waiters)
        if parked or not state.threads.all_wait(state.waiters):
            self._stands_since = inf
            return False
        self._stands_since = min(self._stands_since, now)
        limit = program_gap(state)
        if limit is None:
            limit = UNEXPECTED * state.patience
        return state.goes_on and now - self._stands_since > limit < state.monitor.still_for
