"""Replaying: feeds what the environment said, asserts what the application does.

The player keeps the recorded tape and everyone who waits for it. What the application does is
checked at once, in the order of its strand; what the environment did is delivered one event at a
time, each when everything before it is done and, in a loop, when the loop is idle. When nothing can
move any more, the replay ends with an error that says who waits for what.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from typing import NoReturn, Protocol, final

from vcr_gen.errors import Divergence, DivergenceError, UsageError
from vcr_gen.runtime.binding import Passing
from vcr_gen.runtime.divergence import Reporter
from vcr_gen.runtime.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.jobs import JOB
from vcr_gen.runtime.loops import Loops
from vcr_gen.runtime.matching import Matcher
from vcr_gen.runtime.objects import Objects
from vcr_gen.runtime.orders import Orders
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.session import Operation
from vcr_gen.runtime.strands import Strand, Strands
from vcr_gen.runtime.waiting import Threads, Waiter
from vcr_gen.runtime.window import Slot, Window

__all__ = ["Player", "Receiver"]

_POLL = 0.002
"""Seconds a loop really waits while other threads may still do something."""


class Receiver(Protocol):
    """Takes the inbound calls of a replay."""

    def in_loop(self, slot: Slot) -> Callable[[], None] | None:
        """What serves an event from an idle loop; None where nobody can take it."""

    def in_thread(self, slot: Slot, waiting_in: str | None) -> Callable[[], None] | None:
        """What serves an inbound call from a thread, which may wait in a strand."""

    def finish(self, *, failed: bool = False) -> bool:
        """Nothing can move: whether somebody only waited for the end and is released."""


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
        reporter: Reporter,
        orders: Orders,
        patience: float,
    ) -> None:
        self.window = window
        self.strands = strands
        self.objects = objects
        self._loops = loops
        self._orders = orders
        self._matcher = Matcher(window, objects, orders)
        self._reporter = reporter
        self._patience = patience
        self._waiters: dict[int, Waiter] = {}
        self._threads = Threads()
        self._strands_of_calls: dict[int, str] = {}
        self._receiver: Receiver | None = None
        self._moved_at = time.monotonic()
        self._changed = threading.Condition(threading.RLock())
        loops.serve(self, self)
        self._closed = False
        self.failure: DivergenceError | None = None
        """The first divergence: application code may have swallowed it."""

    def receive_with(self, receiver: Receiver) -> None:
        """Say who takes inbound calls."""
        self._receiver = receiver

    # What the application does ------------------------------------------------------------------

    def start(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """An outbound call begins: it must be the one that is due."""
        with self._changed:
            slot = self._expected(operation, stored)
            if self._orders.of(operation.bound.method.name) == "total":
                while self.window.head() is not slot:
                    self._check()
                    self._wait_or_stall()
            return self._begin(slot)

    async def start_async(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """The same for a call that can wait until everything before it has happened."""
        with self._changed:
            slot = self._expected(operation, stored)
            if self._orders.of(operation.bound.method.name) != "total":
                return self._begin(slot)
            due = self.window.head() is slot
            self._loops.hook(slot.start.at, slot.start.timers)
        if not due:
            await self.hear_async(slot.start.call, pulls=True)
        with self._changed:
            return self._begin(slot)

    def _expected(self, operation: Operation, stored: Mapping[str, Plain]) -> Slot:
        """The recorded start that an outbound call stands for."""
        strand = self.strands.here()
        self._check()
        self._threads.see()
        if strand.job and self._outlives(strand):
            self._wait_for_close()
        found = self._matcher.start(strand, operation, stored)
        if found.slot is None or found.differences:
            self._fail(self._reporter.call(operation, stored, found, self.window))
        return found.slot

    def _begin(self, slot: Slot) -> int:
        self._check()
        start = self._take(slot).start
        self._loops.hook(start.at, start.timers)  # from now on, the clock is the session's
        self._strands_of_calls[start.call] = start.strand
        return start.call

    def job_begins(self) -> int:
        """The application hands a job to an executor: gated where the recording has it."""
        with self._changed:
            if self.failure is not None or self._closed:
                return 0
            slot = self._matcher.job(self.strands.here())
            if slot is None:
                return 0
            start = self._take(slot).start
            self._loops.hook(start.at, start.timers)
            return start.call

    def job_may_run(self, job: int) -> bool:
        """Whether the job ran in the recording."""
        upcoming = self.upcoming(job)
        return not isinstance(upcoming, End) or upcoming.outcome != "cancelled"

    def job_may_be_dropped(self, job: int) -> bool:
        """The application cancelled a job that has not begun: dropped if it was before."""
        with self._changed:
            slot = self.window.next_of_call(job)
            if slot is None or self.job_may_run(job):
                return False
            self._take(slot)
            return True

    def job_is_over(
        self, job: int, wanted: Callable[[], bool], hand_back: Callable[[], None]
    ) -> None:
        """Let the result of a job enter in its turn."""
        with self._changed:
            if self.failure is not None or self._closed or not wanted():
                hand_back()
            else:
                self._waiters[job] = waiter = Waiter(job)
                waiter.future = asyncio.get_running_loop().create_future()
                waiter.hand_back = hand_back
                waiter.wanted = wanted

    def produce(self, call: int, event: Item | End, passing: Passing) -> None:
        """The application answers an inbound call: with the recorded item or end."""
        with self._changed:
            self._check()
            found = self._matcher.produced(self.strands.here(), call, event, passing)
            if found.slot is None or found.differences:
                self._fail(self._reporter.answer(call, event, found, self.window))
            self._take(found.slot)

    def signal(self, event: Signal, passing: Passing | None) -> None:
        """The application does something to a stream it consumes."""
        with self._changed:
            self._check()
            found = self._matcher.signalled(self.strands.here(), event, passing)
            if found.slot is None or found.differences:
                self._fail(self._reporter.answer(event.call, event, found, self.window))
            self._take(found.slot)

    def upcoming(self, call: int) -> Event | None:
        """What the tape has next for a call."""
        with self._changed:
            slot = self.window.next_of_call(call)
            return None if slot is None else slot.event

    # What the environment does ------------------------------------------------------------------

    def hear(self, call: int, *, pulls: bool = False) -> Event:
        """Wait in this thread for the next event of a call.

        Who `pulls` an application's stream is also told, without taking it, that an item is due.
        """
        waiter = Waiter(call, pulls=pulls)
        with self._changed:
            self._waiters[call] = waiter
            strand = self._strands_of_calls.get(call)
            try:
                while True:
                    self._check()
                    head = self.window.head()
                    if head is not None and _is_for(head, waiter):
                        return (
                            self._take(head).event if not head.driven_by_application else head.event
                        )
                    if not self._run_here(head, strand):
                        self._wait_or_stall()
            finally:
                self._waiters.pop(call, None)

    async def hear_async(self, call: int, *, pulls: bool = False) -> Event:
        """Wait in this task for the next event of a call."""
        cancelled = False
        while True:
            waiter = Waiter(call, pulls=pulls, cancelled=cancelled)
            waiter.future = asyncio.get_running_loop().create_future()
            with self._changed:
                self._check()
                hooked = self._loops.hook() is not None
                self._waiters[call] = waiter
                if not hooked:
                    self._poll_unhooked()
            try:
                event = await waiter.future
            except asyncio.CancelledError:
                if not self._cancels(call):
                    raise
                cancelled = True
                continue
            finally:
                if self._waiters.get(call) is waiter:
                    del self._waiters[call]
            return event

    def enter(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """The environment's side is played by the test itself: its call must be the one due."""
        while True:
            with self._changed:
                self._check()
                head = self.window.head()
                if head is not None and isinstance(head.event, Start) and head.event.inbound:
                    found = self._matcher.entered(head, operation, stored)
                    if found.differences:
                        self._fail(self._reporter.call(operation, stored, found, self.window))
                    return self._take(head).event.call
                if not self._run_here(head, None):
                    self._wait_or_stall()

    def play(self, event: Signal, passing: Passing | None) -> None:
        """The test itself does something to a stream of the application: it must be due."""
        with self._changed:
            while True:
                self._check()
                head = self.window.head()
                if head is not None and head.event.call == event.call:
                    found = self._matcher.played(head, event, passing)
                    if found.differences:
                        self._fail(self._reporter.answer(event.call, event, found, self.window))
                    self._take(head)
                    return
                if not self._run_here(head, None):
                    self._wait_or_stall()

    def announce(self, slot: Slot) -> None:
        """An inbound call is delivered."""
        with self._changed:
            self._take(slot)

    def due(self) -> Slot | None:
        """The oldest event that is not done."""
        with self._changed:
            return self.window.head()

    def wait_for_change(self) -> None:
        """Wait in this thread until something moved; a stall ends the replay."""
        with self._changed:
            self._check()
            self._wait_or_stall()

    def wait_for_callback(self, seconds: float) -> Slot | None:
        """A callback that is due while no thread waits for the tape, if one comes in that time."""
        with self._changed:
            head = self.window.head()
            if head is None or not self._is_callback(head) or self._waiters:
                self._changed.wait(seconds)
                return None
            return head

    def _is_callback(self, slot: Slot) -> bool:
        return isinstance(slot.event, Start) and slot.event.inbound and slot.event.on[:1] == "#"

    def take_inbound(self, of: str) -> Start:
        """Wait in this thread for an inbound call to be due, and take it."""
        with self._changed:
            while True:
                self._check()
                head = self.window.head()
                if head is not None and isinstance(head.event, Start) and head.event.inbound:
                    if head.event.of != of:
                        self._fail(self._reporter.another_inbound(of, head, self.window))
                    self._take(head)
                    return head.event
                self._wait_or_stall()

    def used_up(self) -> bool:
        """Whether every recorded event is done."""
        with self._changed:
            return self.window.head() is None and not self._waiters

    def count_left(self) -> int:
        """How many recorded events are not done."""
        with self._changed:
            self.window.read_all()
            return sum(1 for _ in self.window.left())

    def inbound_left(self) -> bool:
        """Whether the tape has inbound calls that were not delivered."""
        with self._changed:
            self.window.read_all()
            return any(
                isinstance(slot.event, Start) and slot.event.inbound for slot in self.window.left()
            )

    def attend(self) -> None:
        """Serve the running loop from now on, even while no call waits in it."""
        with self._changed:
            self._check()
            if self._loops.hook() is None:
                self._poll_unhooked()

    def close(self) -> None:
        """The session is over: whoever still waits is cancelled."""
        with self._changed:
            self._closed = True
            for waiter in self._waiters.values():
                future = waiter.future
                if future is not None and not future.get_loop().is_closed():
                    future.get_loop().call_soon_threadsafe(future.cancel)
            self._changed.notify_all()

    def check(self) -> None:
        """Raise the divergence that ended the replay, if one did."""
        with self._changed:
            self._check()

    def fail(self, divergence: Divergence) -> NoReturn:
        """End the replay."""
        with self._changed:
            self._fail(divergence)

    # The loop's idle point ----------------------------------------------------------------------

    def idle(self, timer: float | None) -> float | None:
        """Deliver the next event to the idle loop, or let its next timer come due."""
        with self._changed:
            if self.failure is not None:
                return self._after_failure(timer)
            head = self.window.head()
            deliver = None if head is None else self._delivery(head)
            if head is not None and deliver is not None:
                if timer is not None and timer <= head.event.at:
                    self._loops.clock.advance(timer)
                    return 0
                self._loops.clock.advance(head.event.at)
                deliver()
                self._moved()
                return 0
            if timer is not None and head is not None and timer <= head.event.at:
                self._loops.clock.advance(timer)
                return 0
            if self._somebody_may_move():
                return _POLL
            if timer is not None:
                self._loops.clock.advance(timer)
                return 0
            return self._idle_for_good(head)

    def busy(self) -> None:
        """A loop that runs is fine."""

    def woken(self, timer: float | None) -> None:
        """Real time does not count in a replay."""

    # Inside -------------------------------------------------------------------------------------

    def _delivery(self, head: Slot) -> Callable[[], None] | None:
        """What delivers the oldest event in an idle loop; None where nobody can take it."""
        if isinstance(head.event, Start) and head.event.inbound:
            return self._received(head)
        waiter = self._waiters.get(head.event.call)
        if waiter is None or waiter.future is None or not _is_for(head, waiter):
            if isinstance(head.event, Signal) and head.event.kind == "cancel":
                return self._received(head)
            return None
        future = waiter.future
        if future.get_loop() is not asyncio.get_running_loop():
            return None

        def deliver() -> None:
            if not head.driven_by_application:
                self._take(head)
            if waiter.hand_back is not None:
                self._waiters.pop(waiter.call, None)
                waiter.hand_back()
            elif not future.done():
                future.set_result(head.event)

        return deliver

    def _received(self, head: Slot) -> Callable[[], None] | None:
        return None if self._receiver is None else self._receiver.in_loop(head)

    def _run_here(self, head: Slot | None, strand: str | None) -> bool:
        """Serve an inbound call that is due while this thread waits."""
        if head is None or not isinstance(head.event, Start) or not head.event.inbound:
            return False
        run = None if self._receiver is None else self._receiver.in_thread(head, strand)
        if run is None:
            return False
        self._changed.release()
        try:
            run()
        finally:
            self._changed.acquire()
        return True

    def _wait_or_stall(self) -> None:
        """Wait in this thread for somebody to move; when nobody can, the replay ends."""
        if not self._somebody_may_move():
            head = self.window.head()
            if head is not None and head.start.of == JOB:
                self.window.skip(head.event.call)
                return
            self._fail(self._reporter.stall(self.window, self._waiters.values()))
        self._changed.wait(0.02)

    def _somebody_may_move(self) -> bool:
        head = self.window.head()
        if head is not None:
            waiter = self._waiters.get(head.event.call)
            if waiter is not None and waiter.future is None and _is_for(head, waiter):
                return True  # a thread that has been told, and is about to go on
        grace = self._threads.grace(self._waiters.values(), self._patience)
        if self._jobs_run():
            grace = self._patience
        return grace > 0 and time.monotonic() - self._moved_at <= grace

    def _outlives(self, strand: Strand) -> bool:
        """Whether a job was still at work when the recording was closed, so that its calls are not
        on the tape."""
        unfinished = self.window.next_of_call(strand.job) is None
        return unfinished and self._matcher.next_of(strand) is None

    def _wait_for_close(self) -> None:
        """Hold a thread that had come no further when the recording was closed."""
        waiter = Waiter(-threading.get_ident())
        self._waiters[waiter.call] = waiter
        while not self._closed and self.failure is None:
            self._changed.wait()
        del self._waiters[waiter.call]
        self._check()

    def drain(self) -> None:
        """Let threads that are about to use the tape do so before it is closed."""
        with self._changed:
            while self.failure is None and self.window.head() is not None:
                if not self._somebody_may_move():
                    return
                self._changed.wait(_POLL)

    def _jobs_run(self) -> bool:
        """Whether an executor job is on its way that does not wait for the tape."""
        waiting = [waiter.thread for waiter in self._waiters.values() if waiter.future is None]
        return self.strands.jobs_besides(waiting)

    def _idle_for_good(self, head: Slot | None) -> float | None:
        """The loop is idle, nothing is due to it, and no timer can change that."""
        if head is not None and head.start.of == JOB:
            self.window.skip(head.event.call)
            return 0
        if self._leave_cancelled():
            return 0
        if self._receiver is not None and self._receiver.finish():
            return 0
        if head is None and not self._waiters:
            return None  # the tape is used up: the program waits for something of its own
        self._note_failure(self._reporter.stall(self.window, self._waiters.values()))
        return self._after_failure(None)

    def _leave_cancelled(self) -> bool:
        """Let a call go that was cancelled, and whose end the recording did not live to see.

        So too a job: in the recording nobody wanted its result any more.
        """
        for waiter in list(self._waiters.values()):
            future = waiter.future
            if waiter.hand_back is not None and self.window.next_of_call(waiter.call) is None:
                del self._waiters[waiter.call]
                waiter.hand_back()
                return True
            if not waiter.cancelled or future is None or future.done():
                continue
            if self.window.next_of_call(waiter.call) is None:
                future.set_result(End(call=waiter.call, outcome="cancelled"))
                return True
        return False

    def _after_failure(self, timer: float | None) -> float | None:
        if self._fail_waiters():
            return 0
        if self._receiver is not None and self._receiver.finish(failed=True):
            return 0
        if timer is not None:
            self._loops.clock.advance(timer)
            return 0
        return self._give_up()

    def _give_up(self) -> NoReturn:
        """Nobody is left to tell: the loop itself ends with the divergence."""
        assert self.failure is not None
        raise self.failure

    def _cancels(self, call: int) -> bool:
        """Whether the tape has the cancellation that just came; it is then left in its turn."""
        with self._changed:
            if self.failure is not None or self._closed:
                return False
            slot = self.window.next_of_call(call)
            if slot is None:
                return True  # the recording ended before the call was left
            event = slot.event
            if not isinstance(event, End) or event.outcome != "cancelled":
                self._fail(self._reporter.cancelled(slot, self.window))
            return True

    def _poll_unhooked(self) -> None:
        """A loop whose idle point cannot be seen: look again and again."""
        loop = asyncio.get_running_loop()

        def look() -> None:
            with self._changed:
                if self.failure is not None:
                    self._fail_waiters()
                    return
                head = self.window.head()
                deliver = None if head is None else self._delivery(head)
                if deliver is not None:
                    deliver()
                    self._moved()
                elif not self._somebody_may_move() and time.monotonic() - self._moved_at > 1:
                    self._note_failure(self._reporter.stall(self.window, self._waiters.values()))
                    self._fail_waiters()
                if self._waiters:
                    loop.call_later(0.001, look)

        loop.call_later(0.001, look)

    def _take(self, slot: Slot) -> Slot:
        self.window.take(slot)
        if isinstance(slot.event, End):
            self._strands_of_calls.pop(slot.event.call, None)
        self._moved()
        return slot

    def _moved(self) -> None:
        self._moved_at = time.monotonic()
        self._changed.notify_all()

    def _check(self) -> None:
        if self.failure is not None:
            raise self.failure
        if self._closed:
            raise UsageError("a boundary was used after its cassette was closed")

    def _fail(self, divergence: Divergence) -> NoReturn:
        self._note_failure(divergence)
        assert self.failure is not None
        raise self.failure

    def _note_failure(self, divergence: Divergence) -> None:
        if self.failure is None:
            self.failure = DivergenceError(divergence, self._reporter.text(divergence))
        self._changed.notify_all()
        self._fail_waiters()

    def _fail_waiters(self) -> bool:
        told = False
        for waiter in self._waiters.values():
            future = waiter.future
            if future is not None and not future.done():
                loop = future.get_loop()
                if not loop.is_closed():
                    loop.call_soon_threadsafe(_tell, future, self.failure)
                    told = True
        return told


def _tell(future: "asyncio.Future[Event]", failure: DivergenceError | None) -> None:
    if failure is not None and not future.done():
        future.set_exception(failure)


def _is_for(head: Slot, waiter: Waiter) -> bool:
    """Whether the oldest event is what someone waits for."""
    if head.event.call != waiter.call:
        return False
    if isinstance(head.event, Start):
        return waiter.pulls and not head.event.inbound  # a call that waits to begin
    if isinstance(head.event, Signal) and head.event.kind == "cancel":
        return False
    if isinstance(head.event, End) and head.event.outcome == "cancelled":
        return waiter.cancelled
    return waiter.pulls or not head.driven_by_application
