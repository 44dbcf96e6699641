"""Waiting, in a thread or a task, for what the tape has next for a call."""

from functools import partial
from typing import final

from vcr_gen.errors import Divergence
from vcr_gen.runtime.loops.backends import library_here, running_library
from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.replay.decide import (
    Asker,
    Deliver,
    Release,
    Serve,
    Step,
    Wait,
    Wake,
    when_thread_asks,
)
from vcr_gen.runtime.replay.loop_driver import LoopDriver
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.waiters import (
    NOTHING_MORE,
    Readers,
    Waiter,
    is_answer,
    is_for,
    is_leave,
)
from vcr_gen.runtime.strands.strands import Strand, Strands
from vcr_gen.runtime.tape.events import Event, Signal
from vcr_gen.runtime.tape.window import Slot

__all__ = ["ThreadDriver"]


@final
class ThreadDriver:
    """Gives each event to who waits for it, when everything before it is done."""

    def __init__(
        self, state: ReplayState, strands: Strands, loops: Loops, turns: LoopDriver
    ) -> None:
        self._state = state
        self._window = state.window
        self._strands = strands
        self._loops = loops
        self._turns = turns

    def hear(self, call: int, readers: Readers | None, *, pulls: bool) -> Event:
        """Wait in this thread for the next event of a call."""
        state = self._state
        waiter = Waiter(call, pulls=pulls)
        waiter.readers, waiter.strand = readers, self._reader(readers)
        with state.changed, state.awaiting_answer(waiter):
            waiter.impatient = self._answer_out_of_turn(call) is not None
            begun = state.running.get(call)
            while True:
                state.check()
                view = state.view()
                asker = self._asker(waiter, begun, view.due)
                decision = state.decide(partial(when_thread_asks, asker=asker), view)
                match decision:
                    case Deliver(slot) if slot.driven_by_application:
                        return slot.event
                    case Deliver(slot):
                        return state.give(slot, readers, waiter.strand).event
                    case Release(Slot() as slot, is_suspicious):
                        return (state.release if is_suspicious else state.take)(slot).event
                    case Step.END_STREAM:
                        return NOTHING_MORE
                    case Serve(slot):
                        state.waiters.remove(waiter)  # while it serves, it does not wait
                        state.serve_here(slot)
                        state.waiters.add(waiter)
                    case Wake(other, seconds):
                        state.wake(other)
                        state.wait_for_answer(waiter, seconds)
                    case Wait(seconds):
                        state.wait_for_answer(waiter, seconds)
                    case _:
                        state.skip_or_fail(decision)

    def _asker(self, waiter: Waiter, begun: Slot | None, due: Slot | None) -> Asker:
        """What is known of a thread that waits for the next event of a call it has begun."""
        state, call = self._state, waiter.call
        in_loop = library_here() is not None  # where it waits, no other reader can come
        takes = takes_at_last = False
        if is_due := due is not None and is_for(due, waiter):
            takes = state.taker(due, at_last=in_loop) is waiter
            takes_at_last = takes or state.taker(due, at_last=True) is waiter
        is_read = waiter.readers is not None and begun is not None
        strand = None if begun is None else begun.start.strand
        return Asker(
            call,
            is_due=is_due,
            takes=takes,
            takes_at_last=takes_at_last,
            serves=due is not None and state.serves_here(due, strand),
            stream_is_over=is_read and call not in state.running,
            holds_up_loop=in_loop,
            answer=self._answer_out_of_turn(call),
            watches=state.watches(waiter),
        )

    def _reader(self, readers: Readers | None) -> Strand | None:
        return None if readers is None else self._strands.here()

    async def hear_async(self, call: int, readers: Readers | None, *, pulls: bool) -> Event:
        """Wait in this task for the next event of a call."""
        library = running_library()
        reader = self._reader(readers)
        with self._state.changed:
            self._state.check()
            hook = self._loops.hook()
            event = None
            if not self._state.waiters.of(call):
                event = self._turns.at_once(call, hook, readers, reader, pulls=pulls)
        if event is not None:
            return event
        cancelled: BaseException | None = None
        leaves = False
        while True:
            waiter = Waiter(call, pulls=pulls, cancelled=cancelled is not None)
            waiter.leaves = leaves
            waiter.future = library.park(patient=waiter.cancelled)
            waiter.readers, waiter.strand = readers, reader
            with self._state.changed:
                self._state.check()
                self._loops.hook()
                self._state.waiters.add(waiter)
            try:
                if cancelled is None and self._state.receiver is not None:
                    await self._state.receiver.serve_soon(call)
                event = await waiter.future
            except library.cancelled as error:
                with self._state.changed:
                    if not self._state.goes_on:
                        raise
                    leaves = self._leaves(call, readers, reader)
                cancelled = error
                continue
            finally:
                self._state.waiters.remove(waiter)
            if cancelled is not None and is_leave(event):
                raise cancelled
            return event

    def _answer_out_of_turn(self, call: int) -> Slot | None:
        """The end of a call that is made in a loop's thread, and so cannot wait for other tasks.

        What the tape has before it may be theirs to do; it still has to happen.
        """
        if library_here() is None:
            return None
        slot = self._window.next_of_call(call)
        return slot if slot is not None and is_answer(slot) else None

    def _leaves(self, call: int, readers: Readers | None, reader: Strand | None) -> bool:
        """Whether who was just cancelled leaves, in its turn; the tape must have the cancellation.

        Else it is answered: the environment did so nevertheless.
        """
        slot = self._window.next_of_call(call)
        if slot is not None and readers is not None and reader is not None:
            slot = self._next_of_reader(slot, readers, reader)
        if slot is None or is_leave(slot.event):
            return True  # where there is none, the recording ended before the call was left
        event = slot.event
        if not isinstance(event, Signal) or event.kind != "cancel" or slot.start.inbound:
            self._state.fail(self._why_cancelled(slot))
        self._state.take(slot)
        return False

    def _why_cancelled(self, slot: Slot) -> Divergence:
        """What to tell who was cancelled, and was not in the recording.

        Where the program has not come to what was due before, and so time went on to its next
        timer, that is the cause, and what the timer did but a consequence.
        """
        if self._turns.something_is_overdue():
            return self._state.stall()
        return self._state.reporter.cancelled(slot, self._window)

    def _next_of_reader(self, first: Slot, readers: Readers, reader: Strand) -> Slot | None:
        """What the tape has next for one of those who read a stream, and was just cancelled."""
        call = first.event.call
        waiters = self._state.waiters.of(call)
        own = readers.next_of(call, reader)
        leaving = sum(waiter.leaves for waiter in waiters)
        if is_leave(first.event) and leaving < readers.leave_soon(call):
            return first  # where tasks are spawned otherwise, who was cancelled has another name
        if own is None and readers.is_of_another(first, reader, waiters):
            return None
        return own or first
