"""Replaying: feeds what the environment said, asserts what the application does.

What the application does is checked at once, in the order of its strand; what the environment did
is delivered one event at a time, each when everything before it is done and, in a loop, when the
loop is idle. When nothing can move any more, the replay ends with an error that says who waits for
what.
"""

import threading
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, TypeVar, final

from vcr_gen.errors import DecodeError, DivergenceError
from vcr_gen.runtime.binding import Passing
from vcr_gen.runtime.courier import Courier
from vcr_gen.runtime.event_loops.idling import POLL, ReplayTurns
from vcr_gen.runtime.event_loops.libraries import library_here, running_library
from vcr_gen.runtime.event_loops.loops import Loops
from vcr_gen.runtime.event_loops.replayed_jobs import ReplayedJobs
from vcr_gen.runtime.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.failures.divergence import Reporter
from vcr_gen.runtime.lock_order import ReplayedLocks
from vcr_gen.runtime.matching import Matcher
from vcr_gen.runtime.objects import Objects
from vcr_gen.runtime.orders import Orders
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.screening import Screen
from vcr_gen.runtime.session import Operation
from vcr_gen.runtime.stage import Receiver, Stage, is_answer, is_for
from vcr_gen.runtime.strands import Strand, Strands
from vcr_gen.runtime.templates import Templates
from vcr_gen.runtime.waiting import Waiter
from vcr_gen.runtime.window import Slot, Window

__all__ = ["Player"]

_E = TypeVar("_E", bound=Event)


@final
class Player:
    """One replay: the tape, and who waits for it."""

    def __init__(
        self,
        window: Window,
        *,
        strands: Strands,
        loops: Loops,
        objects: Objects,
        screen: Screen,
        reporter: Reporter,
        orders: Orders,
        templates: Templates | None,
        patience: float,
    ) -> None:
        self.window = window
        self.strands = strands
        self.objects = objects
        self._screen = screen
        self._loops = loops
        self._orders = orders
        self._templates = templates
        self._matcher = Matcher(window, objects, orders, screen.secrets.vault)
        self._stage = Stage(
            window, strands, reporter, orders=orders, patience=patience, secrets=screen.secrets
        )
        self._unfinished: set[int] = set()
        self._turns = ReplayTurns(self._stage, loops.clock)
        self.locks = ReplayedLocks(self._stage, self._matcher.counterparts)
        loops.serve(self._turns, ReplayedJobs(self._stage, self._matcher, loops))

    @property
    def failure(self) -> DivergenceError | None:
        """The first divergence: application code may have swallowed it."""
        return self._stage.failure

    @property
    def told_by_threads(self) -> bool:
        """Whether threads made a loop go on at moments that the tape does not have."""
        return self._turns.told_by_threads

    def suspect(self) -> None:
        """Fail with what was seen when an answer came before its turn, if there was such a time."""
        with self._stage.changed:
            if self._stage.suspicion is not None:
                self._stage.fail(self._stage.suspicion)

    def receive_with(self, receiver: Receiver) -> None:
        """Say who takes inbound calls."""
        self._stage.receiver = receiver

    def courier(self, is_mine: Callable[[Slot], bool], deliver: Callable[[Slot], bool]) -> Courier:
        """Who makes the calls of this tape that come from threads of the environment's own."""
        return Courier(self._stage, self._loops, is_mine=is_mine, deliver=deliver)

    # What the application does ------------------------------------------------------------------

    def start(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """An outbound call begins: it must be the one that is due."""
        stored = self._screen.arguments(operation.bound.method.name, stored)
        with self._stage.changed:
            slot = self._expected(operation, stored)
            if self._orders.of(operation.bound.method.name) == "total":
                while self.window.head() is not slot:
                    self._stage.check()
                    self._stage.wait_or_stall()
            return self._begin(slot)

    async def start_async(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """The same for a call that can wait until everything before it has happened."""
        stored = self._screen.arguments(operation.bound.method.name, stored)
        with self._stage.changed:
            slot = self._expected(operation, stored)
            if self._orders.of(operation.bound.method.name) != "total":
                return self._begin(slot)
            due = self.window.head() is slot
            self._loops.hook(slot.start.at, slot.start.timers)
        if not due:
            await self.hear_async(slot.start.call, pulls=True)
        with self._stage.changed:
            return self._begin(slot)

    def _expected(self, operation: Operation, stored: Mapping[str, Plain]) -> Slot:
        """The recorded start that an outbound call stands for."""
        strand = self.strands.here()
        self._stage.check()
        self._stage.threads.see()
        if strand.job and self._outlives(strand):
            self._wait_for_close()
        found = self._matcher.start(strand, operation, stored)
        if found.slot is None or found.differences:
            self._hold_if_unfinished(strand.within)
            self._stage.fail(self._stage.reporter.call(operation, stored, found, self.window))
        if self._templates is not None:
            self._templates.begin(found.slot.start.call, stored)
        return found.slot

    def _begin(self, slot: Slot) -> int:
        self._stage.check()
        start = self._stage.take(slot).start
        self._loops.hook(start.at, start.timers)  # from now on, the clock is the session's
        self._stage.running[start.call] = slot
        return start.call

    def produce(self, call: int, event: Item | End, passing: Passing) -> None:
        """The application answers an inbound call: with the recorded item or end."""
        event = self._screen.event(event, passing.of)
        with self._stage.changed:
            self._stage.check()
            found = self._matcher.produced(self.strands.here(), call, event, passing)
            if found.slot is None or found.differences:
                self._hold_if_unfinished(call)
                self._stage.fail(self._stage.reporter.answer(call, event, found, self.window))
            self._stage.take(found.slot)

    def signal(self, event: Signal, passing: Passing | None) -> None:
        """The application does something to a stream it consumes."""
        event = event if passing is None else self._screen.event(event, passing.of)
        with self._stage.changed:
            self._stage.check()
            found = self._matcher.signalled(self.strands.here(), event, passing)
            if found.slot is None or found.differences:
                self._stage.fail(self._stage.reporter.answer(event.call, event, found, self.window))
            self._stage.take(found.slot)

    def upcoming(self, call: int) -> Event | None:
        """What the tape has next for a call."""
        with self._stage.changed:
            slot = self.window.next_of_call(call)
            return None if slot is None else slot.event

    # What the environment does ------------------------------------------------------------------

    def hear(self, call: int, *, pulls: bool = False) -> Event:
        """Wait in this thread for the next event of a call.

        Who `pulls` an application's stream is also told, without taking it, that an item is due.
        """
        return self.rendered(self._hear(call, pulls=pulls))

    def rendered(self, event: _E) -> _E:
        """What the environment said, with what its templates make of it now."""
        return event if self._templates is None else self._templates.rendered(event)

    def _hear(self, call: int, *, pulls: bool) -> Event:
        waiter = Waiter(call, pulls=pulls)
        with self._stage.changed:
            waiter.impatient = self._answer_out_of_turn(call) is not None
            self._stage.waiters[call] = waiter
            begun = self._stage.running.get(call)
            strand = None if begun is None else begun.start.strand
            try:
                while True:
                    self._stage.check()
                    head = self._stage.due()
                    if head is not None and is_for(head, waiter):
                        return (
                            self._stage.take(head).event
                            if not head.driven_by_application
                            else head.event
                        )
                    if self._stage.run_here(head, strand):
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
                self._stage.waiters.pop(call, None)

    async def hear_async(self, call: int, *, pulls: bool = False) -> Event:
        """Wait in this task for the next event of a call."""
        library = running_library()
        with self._stage.changed:
            self._stage.check()
            event = self._turns.at_once(call, self._loops.hook(), pulls=pulls)
        if event is not None:
            return self.rendered(event)
        cancelled: BaseException | None = None
        while True:
            waiter = Waiter(call, pulls=pulls, cancelled=cancelled is not None)
            waiter.future = library.park(patient=waiter.cancelled)
            with self._stage.changed:
                self._stage.check()
                self._loops.hook()
                self._stage.waiters[call] = waiter
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
                if self._stage.waiters.get(call) is waiter:
                    del self._stage.waiters[call]
            if cancelled is not None:
                raise cancelled
            return self.rendered(event)

    def enter(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """The environment's side is played by the test itself: its call must be the one due."""
        stored = self._screen.arguments(operation.bound.method.name, stored)
        while True:
            with self._stage.changed:
                self._stage.check()
                head = self.window.head()
                if head is not None and isinstance(head.event, Start) and head.event.inbound:
                    found = self._matcher.entered(head, operation, stored)
                    if found.differences:
                        self._stage.fail(
                            self._stage.reporter.call(operation, stored, found, self.window)
                        )
                    return self._stage.take(head).event.call
                if not self._stage.run_here(head, None):
                    self._stage.wait_or_stall()

    def play(self, event: Signal, passing: Passing | None) -> None:
        """The test itself does something to a stream of the application: it must be due."""
        event = event if passing is None else self._screen.event(event, passing.of)
        with self._stage.changed:
            while True:
                self._stage.check()
                head = self.window.head()
                if head is not None and head.event.call == event.call:
                    found = self._matcher.played(head, event, passing)
                    if found.differences:
                        self._stage.fail(
                            self._stage.reporter.answer(event.call, event, found, self.window)
                        )
                    self._stage.take(head)
                    return
                if not self._stage.run_here(head, None):
                    self._stage.wait_or_stall()

    def soon_after(self, call: int) -> Slot | None:
        """The callback that came after a call before the loop was idle again, if one is due."""
        with self._stage.changed:
            if self._stage.failure is not None:
                return None
            return self.window.soon_after(call, self._loops.clock.now)

    def announce(self, slot: Slot) -> bool:
        """An inbound call is delivered; False where somebody else has done that."""
        with self._stage.changed:
            if slot.done:
                return False
            self._stage.take(slot)
            return True

    def due(self) -> Slot | None:
        """The oldest event that is not done."""
        with self._stage.changed:
            return self.window.head()

    def wait_for_change(self) -> None:
        """Wait in this thread until something moved; a stall ends the replay."""
        with self._stage.changed:
            self._stage.check()
            self._stage.wait_or_stall()

    def take_inbound(self, of: str) -> Start:
        """Wait in this thread for an inbound call to be due, and take it."""
        with self._stage.changed:
            while True:
                self._stage.check()
                head = self.window.head()
                if head is not None and isinstance(head.event, Start) and head.event.inbound:
                    if head.event.of != of:
                        self._stage.fail(
                            self._stage.reporter.another_inbound(of, head, self.window)
                        )
                    self._stage.take(head)
                    return head.event
                self._stage.wait_or_stall()

    def restore(self, passing: Passing, event: Item | Signal | End) -> Any:
        """The live value of an event."""
        try:
            return passing.restore(event.value)
        except DecodeError as error:
            raise self.unreadable(error, event) from None

    def unreadable(self, error: DecodeError, event: Event) -> DecodeError:
        """The same error, with the place of the event in the cassette."""
        slot = next((slot for slot in reversed(self.window.recent) if slot.event is event), None)
        if slot is None:
            return error
        return self._stage.reporter.unreadable(error, slot.start.of, slot.line)

    # The whole of it ----------------------------------------------------------------------------

    def used_up(self) -> bool:
        """Whether every recorded event is done."""
        with self._stage.changed:
            held = all(call < 0 for call in self._stage.waiters)
            return held and self._skip_unfinished() is None

    def count_left(self) -> int:
        """How many recorded events are not done."""
        with self._stage.changed:
            self.window.read_all()
            return sum(1 for _ in self.window.left())

    def inbound_left(self) -> bool:
        """Whether the tape has inbound calls that were not delivered."""
        with self._stage.changed:
            self.window.read_all()
            return any(
                isinstance(slot.event, Start) and slot.event.inbound for slot in self.window.left()
            )

    def enter_block(self, block: FrameType, *, alone: bool = True) -> None:
        """The session is a block of this frame: after a divergence, what that calls is ended.

        `alone` says that threads which were started meanwhile are part of it, too.
        """
        self._stage.ending.within(block, alone=alone)

    def name_strands(self) -> None:
        """Give each strand the name of the recorded one that it goes on with."""
        with self._stage.changed:
            self._matcher.counterparts.name_strands()

    def attend(self) -> None:
        """Serve the running loop from now on, even while no call waits in it."""
        with self._stage.changed:
            self._stage.check()
            self._loops.hook()

    def check(self) -> None:
        """Raise the divergence that ended the replay, if one did."""
        with self._stage.changed:
            self._stage.check()

    def drain(self) -> None:
        """Let threads that are about to use the tape do so before it is closed.

        A callback must come to its end, unless the tape says that the recording did not see that.
        """
        with self._stage.changed:
            self.strands.expect_no_more()
            while self._stage.failure is None:
                head = self._skip_unfinished()
                endless = head is None and bool(self._calls_aside() - self._unfinished)
                if head is None and not endless:
                    return
                if not self._stage.somebody_may_move():
                    if endless:
                        self._stage.note_failure(self._stage.stall())
                    return
                self._stage.changed.wait(POLL)

    def _calls_aside(self) -> set[int]:
        receiver = self._stage.receiver
        return set() if receiver is None else receiver.aside

    def close(self) -> None:
        """The session is over: whoever still waits is cancelled."""
        self._stage.close()

    def _outlives(self, strand: Strand) -> bool:
        """Whether a job was still at work when the recording was closed, so that its calls are not
        on the tape."""
        # Asked in this order: its next call is near, its end may be far away.
        if self._matcher.next_of(strand) is not None:
            return False
        return self.window.next_of_call(strand.job) is None

    def _skip_unfinished(self) -> Slot | None:
        """The oldest event besides those that say which callbacks the recording did not see end."""
        head = self.window.head()
        while head is not None and self._is_unfinished(head):
            self._unfinished.add(head.event.call)
            self._stage.take(head)
            head = self.window.head()
        return head

    def _is_unfinished(self, slot: Slot) -> bool:
        event = slot.event
        if not isinstance(event, Signal) or event.kind != "cancel":
            return False
        return self.window.is_last_of_call(slot)

    def _hold_if_unfinished(self, call: int | None) -> None:
        """Hold a thread in a callback that was not over when the recording was closed."""
        if call is None or library_here() is not None:
            return
        slot = self.window.next_of_call(call)
        if call in self._unfinished or (slot is not None and self._is_unfinished(slot)):
            self._wait_for_close()

    def _wait_for_close(self) -> None:
        """Hold a thread that had come no further when the recording was closed."""
        waiter = Waiter(-threading.get_ident())
        self._stage.waiters[waiter.call] = waiter
        while not self._stage.closed and self._stage.failure is None:
            self._stage.changed.wait()
        del self._stage.waiters[waiter.call]
        self._stage.check()

    def _answer_out_of_turn(self, call: int) -> Slot | None:
        """The end of a call that is made in a loop's thread, and so cannot wait for other tasks.

        What the tape has before it may be theirs to do; it still has to happen.
        """
        if library_here() is None:
            return None
        slot = self.window.next_of_call(call)
        return slot if slot is not None and is_answer(slot) else None

    def _cancels(self, call: int) -> bool:
        """Whether the tape has the cancellation that just came; it is then left in its turn."""
        with self._stage.changed:
            if self._stage.failure is not None or self._stage.closed:
                return False
            slot = self.window.next_of_call(call)
            if slot is None:
                return True  # the recording ended before the call was left
            event = slot.event
            if not isinstance(event, End) or event.outcome != "cancelled":
                self._stage.fail(self._stage.reporter.cancelled(slot, self.window))
            return True
