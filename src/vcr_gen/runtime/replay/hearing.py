"""Waiting, in a thread or a task, for what the tape has next for a call."""

from typing import final

from vcr_gen.runtime.event_loops.idling import ReplayTurns
from vcr_gen.runtime.event_loops.libraries import library_here, running_library
from vcr_gen.runtime.event_loops.loops import Loops
from vcr_gen.runtime.replay.readers import NOTHING_MORE, Readers
from vcr_gen.runtime.replay.stage import Stage, is_answer, is_for
from vcr_gen.runtime.replay.waiting import Waiter
from vcr_gen.runtime.strands.lines import Strand, Strands
from vcr_gen.runtime.tape.events import End, Event, Signal
from vcr_gen.runtime.tape.window import Slot

__all__ = ["Hearing"]


@final
class Hearing:
    """Gives each event to who waits for it, when everything before it is done."""

    def __init__(self, stage: Stage, strands: Strands, loops: Loops, turns: ReplayTurns) -> None:
        self._stage = stage
        self._window = stage.window
        self._strands = strands
        self._loops = loops
        self._turns = turns

    def hear(self, call: int, readers: Readers | None, *, pulls: bool) -> Event:
        """Wait in this thread for the next event of a call."""
        waiter = Waiter(call, pulls=pulls)
        waiter.readers, waiter.strand = readers, self._reader(readers)
        alone = library_here() is not None  # nobody else can come, whose turn it might be
        with self._stage.changed:
            waiter.impatient = self._answer_out_of_turn(call) is not None
            self._stage.waiters.add(waiter)
            begun = self._stage.running.get(call)
            strand = None if begun is None else begun.start.strand
            try:
                while True:
                    self._stage.check()
                    if readers is not None and begun and call not in self._stage.running:
                        return NOTHING_MORE
                    head = self._stage.due()
                    if head is not None and self._is_for(head, waiter, alone=alone):
                        return (
                            self._stage.give(head, readers, waiter.strand).event
                            if not head.driven_by_application
                            else head.event
                        )
                    self._stage.waiters.remove(waiter)  # who serves a callback does not wait
                    served = self._stage.run_here(head, strand)
                    self._stage.waiters.add(waiter)
                    if served:
                        continue
                    if not self._stage.somebody_may_move():
                        answer = self._answer_out_of_turn(call)
                        if answer is not None:
                            return self._stage.take(answer).event
                        answer = self._stage.released()
                        if answer is not None and answer.event.call == call:
                            return self._stage.release(answer).event
                    self._stage.wait_or_stall()
            finally:
                self._stage.waiters.remove(waiter)

    def _is_for(self, head: Slot, waiter: Waiter, *, alone: bool) -> bool:
        """Whether the oldest event is what a thread waits for, rather than another reader's."""
        if not is_for(head, waiter):
            return False
        if self._stage.taker(head, at_last=alone) is waiter:
            return True
        if self._stage.somebody_else_may_move():
            return False
        return self._stage.taker(head, at_last=True) is waiter

    def _reader(self, readers: Readers | None) -> Strand | None:
        return None if readers is None else self._strands.here()

    async def hear_async(self, call: int, readers: Readers | None, *, pulls: bool) -> Event:
        """Wait in this task for the next event of a call."""
        library = running_library()
        reader = self._reader(readers)
        with self._stage.changed:
            self._stage.check()
            hook = self._loops.hook()
            event = None
            if not self._stage.waiters.of(call):
                event = self._turns.at_once(call, hook, readers, reader, pulls=pulls)
        if event is not None:
            return event
        cancelled: BaseException | None = None
        while True:
            waiter = Waiter(call, pulls=pulls, cancelled=cancelled is not None)
            waiter.future = library.park(patient=waiter.cancelled)
            waiter.readers, waiter.strand = readers, reader
            with self._stage.changed:
                self._stage.check()
                self._loops.hook()
                self._stage.waiters.add(waiter)
            try:
                if cancelled is None and self._stage.receiver is not None:
                    await self._stage.receiver.serve_soon(call)
                event = await waiter.future
            except library.cancelled as error:
                if not self._cancels(call):
                    raise
                cancelled = error
                continue
            finally:
                self._stage.waiters.remove(waiter)
            if cancelled is not None and isinstance(event, End) and event.outcome == "cancelled":
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

    def _cancels(self, call: int) -> bool:
        """Whether the tape has the cancellation that just came.

        The call is then left in its turn, or answered, where the environment did so nevertheless.
        """
        with self._stage.changed:
            if self._stage.failure is not None or self._stage.closed:
                return False
            slot = self._window.next_of_call(call)
            if slot is None:
                return True  # the recording ended before the call was left
            event = slot.event
            if isinstance(event, Signal) and event.kind == "cancel" and not slot.start.inbound:
                self._stage.take(slot)
            elif not isinstance(event, End) or event.outcome != "cancelled":
                self._stage.fail(self._stage.reporter.cancelled(slot, self._window))
            return True
