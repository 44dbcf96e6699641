"""Threads in a replay: how they wait for the tape, and how threads without an event are held."""

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar, final

from vcr_gen.runtime.loops.backends import library_here
from vcr_gen.runtime.replay.decide import (
    Asker,
    Decision,
    Deliver,
    Loosen,
    Release,
    Serve,
    Skip,
    Step,
    Wait,
    Wake,
    when_thread_asks,
    when_thread_waits,
)
from vcr_gen.runtime.replay.live_peer import peer_when_thread_asks, peer_when_thread_waits
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.session_view import (
    anything_may_move,
    decide,
    due_from,
    served_in,
    serves_here,
    taker,
    view_of,
)
from vcr_gen.runtime.replay.waiting import (
    NOTHING_MORE,
    TICK,
    Waiter,
    is_answer,
    is_due,
)
from vcr_gen.runtime.strands.strands import Strand
from vcr_gen.runtime.tape.events import Event, Signal
from vcr_gen.runtime.tape.window import Slot

_T = TypeVar("_T")


@final
class ThreadDriver:
    """Lets threads wait for the tape, each until it is its turn."""

    def __init__(self, state: ReplayState) -> None:
        self._state = state
        self._window = state.window
        state.monitor.wake_takers = self._wake_takers

    def wait_until(self, find: Callable[[], _T | None]) -> _T:
        """Wait in this thread until there is something; when nothing can move, the replay ends."""
        while True:
            self._state.check()
            found = find()
            if found is not None:
                return found
            self.wait_for_others()

    def others_move(self, *, in_loop: bool = False) -> bool:
        """Wait a moment for other threads; False where nothing can move.

        A loop is blocked meanwhile, so its thread waits only where that is asked for.
        """
        if library_here() is not None and not in_loop:
            return False
        if not anything_may_move(self._state):
            return False
        self._state.monitor.wait(TICK)
        return True

    def wait_for_others(self) -> None:
        """Wait in this thread until something moved; when nothing can, the replay ends."""
        waits = when_thread_waits if self._state.peer is None else peer_when_thread_waits
        decision = decide(self._state, waits, view_of(self._state))
        if isinstance(decision, Wait):
            self._state.monitor.wait(decision.seconds)
        else:
            self._skip_or_fail(decision)

    def take_due(self, call: int) -> Event | None:
        """The next event of a call, if it is due and no other thread waits for one of this call."""
        with self._state.monitor:
            self._state.check()
            slot = self._due_at_once(call, None)
            return None if slot is None else self._state.take(slot).event

    def _due_at_once(self, call: int, waiter: Waiter | None) -> Slot | None:
        """The next event of a call, if it is due and for this waiter alone.

        Then `when_thread_asks` would deliver it too, from a view that costs more than the rest.
        """
        state = self._state
        if self._window.has_loose or state.pace:
            return None
        head = self._window.head()
        if head is not None and head.event.call != call and state.may_come_later(head):
            head = self._due_alone(call)
        if head is None or not is_due(head, call, begins=False):
            return None
        waiters = state.waiters.of(call)
        if waiters and any(other is not waiter for other in waiters):
            return None
        return head if call in state.running else None

    def _due_alone(self, call: int) -> Slot | None:
        """The next event of a call, if nothing waits and the environment calls nothing before it.

        The oldest event is a call that may be made later.
        """
        state = self._state
        begun = state.running.get(call)
        if begun is None or state.waiters or state.dispatcher.given:
            return None
        following = self._window.next_of_call(call)  # reads all that comes before it
        if self._window.next_inbound_of(begun.start.strand) is not None:
            return None
        return following

    def hear(self, call: int, strand: str) -> Event:
        """Wait in this thread for the next event of a call; a reader of a stream has a strand."""
        state = self._state
        waiter = Waiter(call)
        waiter.strand = strand
        with state.monitor, state.monitor.awaiting_answer(waiter), state.waiters.having(waiter):
            waiter.impatient = self._answer_out_of_turn(waiter) is not None
            begun = state.running.get(call)
            while True:
                state.check()
                due = self._due_at_once(call, waiter)
                if due is not None:
                    return state.take(due).event
                view = view_of(state)
                asker = self._asker(waiter, begun, view.due)
                asks = when_thread_asks if state.peer is None else peer_when_thread_asks
                decision = decide(state, partial(asks, asker=asker), view)
                match decision:
                    case Deliver(slot):
                        return state.give(slot, waiter).event
                    case Release(Slot() as slot, is_suspicious):
                        return (state.release if is_suspicious else state.take)(slot).event
                    case Step.END_STREAM:
                        return NOTHING_MORE
                    case Serve(slot):
                        state.waiters.remove(waiter)  # while it serves, it does not wait
                        self._serve(slot)
                        state.waiters.add(waiter)
                    case Wake(other, seconds):
                        state.monitor.wake(state.waiters.of(other))
                        state.monitor.wait_for_answer(waiter, seconds)
                    case Wait(seconds):
                        state.monitor.wait_for_answer(waiter, seconds)
                    case _:
                        self._skip_or_fail(decision)

    def _asker(self, waiter: Waiter, begun: Slot | None, due: Slot | None) -> Asker:
        """The facts of a thread that waits for the next event of its call."""
        state, call = self._state, waiter.call
        strand = None if begun is None else begun.start.strand
        return Asker(
            call,
            takes=due is not None and taker(state, due) is waiter,
            serves=due is not None and serves_here(state, due, strand),
            stream_is_over=begun is not None and call not in state.running,
            holds_up_loop=waiter.is_in_loop,
            answer=self._answer_out_of_turn(waiter),
            watches=state.monitor.watches(waiter),
        )

    def _answer_out_of_turn(self, waiter: Waiter) -> Slot | None:
        """The end of a call that is made in a loop's thread, and so cannot wait for other tasks.

        What the tape has before it may be theirs to do; it still has to happen.
        """
        if not waiter.is_in_loop:
            return None
        slot = self._window.next_of_call(waiter.call)
        return slot if slot is not None and is_answer(slot) else None

    def _serve(self, slot: Slot) -> None:
        """Make an inbound call, or a step of a stream, in this thread, which waits."""
        run = self._state.dispatcher.in_thread(slot)
        if run is not None:
            with self._state.monitor.left():
                run()

    def _skip_or_fail(self, decision: Decision) -> None:
        """Leave out what need not happen again, or not now; otherwise the replay ends."""
        if isinstance(decision, Skip):
            self._state.skip(decision.call)
        elif isinstance(decision, Loosen):
            self._state.loosen(decision.slot)
        else:
            self._state.note_stall()

    def _wake_takers(self) -> None:
        """Wake the threads that may take what is due, or serve it."""
        state = self._state
        with suppress(Exception):  # a broken tape is reported where it is read
            due = due_from(state, self._window.head())
            if due is None:
                return
            state.monitor.wake(state.waiters.of(due.event.call))
            strand = served_in(state, due)
            if strand is not None:
                state.monitor.wake(
                    waiter
                    for waiter in list(state.monitor.awaiting)
                    if (begun := state.running.get(waiter.call)) is not None
                    and begun.start.strand == strand
                )


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
                endless = head is None and bool(state.dispatcher.aside - self._calls)
                if head is None and not endless:
                    return
                if not self._thread_driver.others_move(in_loop=True):
                    if endless:
                        state.note_failure(state.stall())
                    return

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
