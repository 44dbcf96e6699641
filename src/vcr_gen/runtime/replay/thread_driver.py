"""Threads in a replay: how one waits for what the tape has next for a call."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar, final

from vcr_gen.runtime.loops.backends import library_here
from vcr_gen.runtime.replay.decide import (
    Asker,
    Decision,
    Deliver,
    Release,
    Serve,
    Skip,
    Step,
    Wait,
    Wake,
    when_thread_asks,
    when_thread_waits,
)
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
)
from vcr_gen.runtime.tape.events import Event
from vcr_gen.runtime.tape.window import Slot

__all__ = ["ThreadDriver"]

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

        A loop is held up meanwhile, so its thread waits only where that is asked for.
        """
        if library_here() is not None and not in_loop:
            return False
        if not anything_may_move(self._state):
            return False
        self._state.monitor.wait(TICK)
        return True

    def wait_for_others(self) -> None:
        """Wait in this thread until something moved; when nothing can, the replay ends."""
        decision = decide(self._state, when_thread_waits, view_of(self._state))
        if isinstance(decision, Wait):
            self._state.monitor.wait(decision.seconds)
        else:
            self._skip_or_fail(decision)

    def hear(self, call: int, strand: str) -> Event:
        """Wait in this thread for the next event of a call; a reader of a stream has a strand."""
        state = self._state
        waiter = Waiter(call)
        waiter.strand = strand
        with state.monitor, state.monitor.awaiting_answer(waiter), state.waiters.having(waiter):
            waiter.impatient = self._answer_out_of_turn(call) is not None
            begun = state.running.get(call)
            while True:
                state.check()
                view = view_of(state)
                asker = self._asker(waiter, begun, view.due)
                decision = decide(state, partial(when_thread_asks, asker=asker), view)
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
        """What is known of a thread that waits for the next event of a call it has begun."""
        state, call = self._state, waiter.call
        strand = None if begun is None else begun.start.strand
        return Asker(
            call,
            takes=due is not None and taker(state, due) is waiter,
            serves=due is not None and serves_here(state, due, strand),
            stream_is_over=begun is not None and call not in state.running,
            holds_up_loop=library_here() is not None,
            answer=self._answer_out_of_turn(call),
            watches=state.monitor.watches(waiter),
        )

    def _answer_out_of_turn(self, call: int) -> Slot | None:
        """The end of a call that is made in a loop's thread, and so cannot wait for other tasks.

        What the tape has before it may be theirs to do; it still has to happen.
        """
        if library_here() is None:
            return None
        slot = self._window.next_of_call(call)
        return slot if slot is not None and is_answer(slot) else None

    def _serve(self, slot: Slot) -> None:
        """Make an inbound call, or a step of a stream, in this thread, which waits."""
        run = None if self._state.receiver is None else self._state.receiver.in_thread(slot)
        if run is not None:
            with self._state.monitor.left():
                run()

    def _skip_or_fail(self, decision: Decision) -> None:
        """Leave out what need not happen again; where there is nothing of it, the replay ends."""
        if isinstance(decision, Skip):
            self._window.skip(decision.call)
        else:
            self._state.fail(self._state.stall())

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
