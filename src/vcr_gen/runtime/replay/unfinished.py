"""Handles calls and jobs that were still under way when the recording was closed."""

import threading
from typing import final

from vcr_gen.runtime.loops.backends import library_here
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.thread_driver import ThreadDriver
from vcr_gen.runtime.replay.waiting import Waiter
from vcr_gen.runtime.strands.strands import Strand
from vcr_gen.runtime.tape.events import Signal
from vcr_gen.runtime.tape.window import Slot

__all__ = ["Unfinished"]


@final
class Unfinished:
    """Holds threads that go further than the recording, until the replay is closed too."""

    def __init__(self, state: ReplayState, thread_driver: ThreadDriver, matcher: Matcher) -> None:
        self._state = state
        self._thread_driver = thread_driver
        self._window = state.window
        self._matcher = matcher
        self._calls: set[int] = set()
        """The callbacks that the recording gave up, according to the tape."""

    def hold_job(self, strand: Strand) -> None:
        """Hold an executor job that outlived the recording: its calls are not on the tape."""
        # Asked in this order: its next call is near, its end may be far away.
        if not strand.job_number or self._matcher.next_of(strand) is not None:
            return
        if self._window.next_of_call(strand.job_number) is None:
            self._wait_for_close()

    def hold_callback(self, call: int | None) -> None:
        """Hold a thread in a callback that outlived the recording before it goes further."""
        if call is None or library_here() is not None:
            return
        slot = self._window.next_of_call(call)
        if call in self._calls or (slot is not None and self._gives_up(slot)):
            self._wait_for_close()

    def head(self) -> Slot | None:
        """The oldest event that is not done, past those that only give callbacks up."""
        head = self._window.head()
        while head is not None and self._gives_up(head):
            self._calls.add(head.event.call)
            self._state.take(head)
            head = self._window.head()
        return head

    def used_up(self) -> bool:
        """Whether every recorded event is done."""
        with self._state.monitor:
            held = all(waiter.call < 0 for waiter in self._state.waiters)
            return held and self.head() is None

    def drain(self) -> None:
        """Let threads that are about to use the tape do so before it is closed.

        A callback must end, unless the tape says that the recording was closed before its end.
        """
        state = self._state
        with state.monitor:
            state.strands.expect_no_more()
            while state.failure is None:
                head = self.head()
                endless = head is None and bool(self._being_served() - self._calls)
                if head is None and not endless:
                    return
                if not self._thread_driver.others_move(in_loop=True):
                    if endless:
                        state.note_failure(state.stall())
                    return

    def _being_served(self) -> set[int]:
        """The callbacks that threads of ours make."""
        receiver = self._state.receiver
        return set() if receiver is None else receiver.aside

    def _gives_up(self, slot: Slot) -> bool:
        """Whether an event says that a callback was not over when the recording was closed."""
        event = slot.event
        if not isinstance(event, Signal) or event.kind != "cancel":
            return False
        return self._window.is_last_of_call(slot)

    def _wait_for_close(self) -> None:
        waiter = Waiter(-threading.get_ident())
        self._state.waiters.add(waiter)
        while not self._state.closed and self._state.failure is None:
            self._state.monitor.wait()
        self._state.waiters.remove(waiter)
        self._state.check()
