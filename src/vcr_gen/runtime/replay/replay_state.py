"""The stage of a replay: the tape, who waits for it, and whether anything can still move."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NoReturn, final

from vcr_gen.errors import Divergence, DivergenceError, UsageError, ValueCodecError
from vcr_gen.runtime.context_blocks import block
from vcr_gen.runtime.failures.divergence import Reporter
from vcr_gen.runtime.failures.divergence_text import message_of
from vcr_gen.runtime.loops.backends import Parked
from vcr_gen.runtime.loops.turns import Clock
from vcr_gen.runtime.privacy import Secrets, without_secrets
from vcr_gen.runtime.replay.delivery_rules import is_answer, is_for
from vcr_gen.runtime.replay.failure_watchdog import FailureWatchdog
from vcr_gen.runtime.replay.orders import Orders
from vcr_gen.runtime.replay.receiver import Receiver
from vcr_gen.runtime.replay.stream_readers import NOTHING_MORE, Readers
from vcr_gen.runtime.replay.waiters import BLOCKED_GRACE, Threads, Waiter, Waiters
from vcr_gen.runtime.strands.strands import Strand, Strands
from vcr_gen.runtime.tape.events import INTERNAL, End, Event, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = ["TICK", "Stage"]

TICK = 0.02
"""Seconds after which a thread that waits looks again."""


_LONG = 1.0
"""Seconds after which a thread looks again that waits for its answer, and is not the watcher."""

_MARGIN = 2.0
"""How much longer than in the recording work may take: this machine may be slower, or busy."""


@final
class Stage:
    """What the parts of a replay share; whoever looks at it holds `changed`."""

    def __init__(
        self,
        window: Window,
        strands: Strands,
        reporter: Reporter,
        *,
        clock: Clock,
        orders: Orders,
        patience: float,
        secrets: Secrets,
    ) -> None:
        self.window = window
        self._orders = orders
        self.strands = strands
        self.reporter = reporter
        self._secrets = secrets
        self.waiters = Waiters()
        self.running: dict[int, Slot] = {}
        """The recorded start of each outbound call that runs."""
        self.threads = Threads()
        self.receiver: Receiver | None = None
        """Who takes inbound calls."""
        self.when_moved: Callable[[], None] | None = None
        """Tells the thread that makes the environment's calls to look again, once there is one."""
        self._lock = threading.RLock()
        self.changed = threading.Condition(self._lock)
        self._answers: dict[Waiter, threading.Condition] = {}
        """Wakes each thread that waits for an answer. The first of them is the watcher."""
        self.closed = False
        self.over = threading.Event()
        """Set with `closed`, for who waits for that alone."""
        self.failure: DivergenceError | None = None
        """The first divergence: application code may have swallowed it."""
        self.fault: ValueCodecError | None = None
        """The first value that fits no type: what the program does after that is no behaviour."""
        self.suspicion: Divergence | None = None
        """Who waited for what when an answer was given before its turn."""
        self._stuck_at: Slot | None = None
        self._failed_at = 0.0
        self._clock = clock
        self.patience = patience
        self.recorded_jobs: dict[int, float] = {}
        """The executor jobs that run, and the seconds that each took in the recording."""
        self.ending = FailureWatchdog(self)
        self.moved_at = time.monotonic()
        """When something happened last."""

    @property
    def goes_on(self) -> bool:
        """Whether the replay has neither failed nor ended."""
        return self.failure is None and not self.closed

    @property
    def still_for(self) -> float:
        """Seconds since anything moved."""
        return time.monotonic() - self.moved_at

    def take(self, slot: Slot) -> Slot:
        """An event is done."""
        self.window.take(slot)
        if isinstance(slot.event, End):
            self.running.pop(slot.event.call, None)
        self.moved()
        return slot

    def take_both(self, start: Slot, end: Slot) -> None:
        """A call and its answer are done, and nobody saw the moment between them."""
        self.window.take(start)
        self.window.take(end)
        self.moved()

    def give(self, slot: Slot, readers: Readers | None, reader: Strand | None) -> Slot:
        """An event is done that one reader of a stream gets; its end is all others', too."""
        if readers is not None:
            readers.note(slot.strand, reader)
            if isinstance(slot.event, End):
                for waiter in self.waiters.of(slot.event.call):
                    if waiter.strand is not reader and waiter.future is not None:
                        loop = waiter.future.get_loop()
                        leave = partial(_leave, waiter.future, waiter.call)
                        tell = leave if waiter.cancelled else partial(_end, waiter.future)
                        loop.call_soon_threadsafe(tell)
        return self.take(slot)

    def taker(self, head: Slot, *, at_last: bool) -> Waiter | None:
        """Who gets the oldest event; None while nobody should, who might if nobody else comes."""
        waiters = [one for one in self.waiters.of(head.event.call) if is_for(head, one)]
        readers = waiters[0].readers if waiters else None
        if readers is None:
            return waiters[0] if waiters else None
        return readers.choose(head, waiters, at_last=at_last)

    def moved(self) -> None:
        """Something happened: whoever may go on now looks again."""
        self.moved_at = time.monotonic()
        self.changed.notify_all()
        self._wake_takers()
        if self.when_moved is not None:
            self.when_moved()

    @block
    def awaiting_answer(self, waiter: Waiter) -> Generator[None, None, None]:
        """Let this thread be woken when the answer that it waits for is due."""
        self.waiters.add(waiter)
        self._answers[waiter] = threading.Condition(self._lock)
        try:
            yield
        finally:
            self.waiters.remove(waiter)
            watched = next(iter(self._answers)) is waiter
            del self._answers[waiter]
            if watched and self._answers:
                next(iter(self._answers.values())).notify()

    def wait_for_answer(self, waiter: Waiter) -> None:
        """Wait in this thread until its answer may be due, or it has to look after the others.

        Of many threads, only those are woken whose turn may have come. The watcher looks whether
        anything can still move, once nothing has for a moment.
        """
        watches = next(iter(self._answers)) is waiter
        if self.is_quiet():
            self._wake_takers()
            self.wait_or_stall(self._answers[waiter])
        else:
            self._answers[waiter].wait(TICK if watches else _LONG)

    def is_quiet(self) -> bool:
        """Whether nothing has moved for a moment: time to look whether anything can."""
        return self.still_for >= TICK

    def wake(self, call: int) -> None:
        """Let the threads that wait for a call look again."""
        for waiter in self.waiters.of(call):
            if waiter in self._answers:
                self._answers[waiter].notify()

    def _wake_takers(self) -> None:
        """Wake the threads that may take what is due, or serve it."""
        if not self._answers:
            return
        with suppress(Exception):  # where the tape is broken, whoever reads on is told
            due = self._due_from(self.window.peek())
            if due is None:
                return
            self.wake(due.event.call)
            strand = self._served_in(due)
            for waiter in self._answers if strand is not None else ():
                begun = self.running.get(waiter.call)
                if begun is not None and begun.start.strand == strand:
                    self._answers[waiter].notify()

    def _wake_all(self) -> None:
        self.changed.notify_all()
        for condition in self._answers.values():
            condition.notify()

    def check(self) -> None:
        """Raise what ended the replay, if anything did; refuse use after the close."""
        if self.fault is not None:
            raise self.fault.with_traceback(None)
        if self.failure is not None:
            # Who tries again and again would make its traceback longer each time.
            raise self.failure.with_traceback(None)
        if self.closed:
            raise UsageError(
                f"{self.reporter.advice.path}: a boundary was used after the cassette was closed"
                "\n\nhint: make all calls inside the `with` block, and await every task it starts"
            )

    def fail(self, divergence: Divergence) -> NoReturn:
        """End the replay, here and for everyone who waits."""
        self.note_failure(divergence)
        assert self.failure is not None
        raise self.failure

    def note_failure(self, divergence: Divergence, *, all_wait: bool = False) -> None:
        """End the replay for everyone who waits.

        Where `all_wait` for something else than the tape, nobody meets the failure by going on.
        """
        if self.failure is None:
            divergence = without_secrets(divergence, self._secrets)
            self.failure = DivergenceError(divergence, message_of(divergence))
            self._failed_at = time.monotonic()
            self.ending.begin(at_once=all_wait)
        self._wake_all()
        self.fail_waiters()

    def fail_waiters(self) -> bool:
        """Tell the divergence to every task that waits; whether there was one."""
        told = False
        for waiter in self.waiters:
            future = waiter.future
            if future is not None and not future.done():
                loop = future.get_loop()
                if not loop.is_closed():
                    loop.call_soon_threadsafe(_tell, future, self.failure)
                    told = True
        return told

    def due(self) -> Slot | None:
        """What is to be delivered next: the oldest event.

        Where that is a call that nobody has made yet, and may be made in any order, it is what
        somebody waits for.
        """
        return self._due_from(self.window.head())

    def _due_from(self, head: Slot | None) -> Slot | None:
        if head is None or not self.may_come_later(head):
            return head
        ahead = (self._next_for(waiter) for waiter in self.waiters)
        awaited = (slot for slot in ahead if slot is not None)
        return min(awaited, key=lambda slot: slot.index, default=head)

    def _next_for(self, waiter: Waiter) -> Slot | None:
        """What the tape has for who waits: its answer, or a callback that came before in its call.

        None where it has to do something first.
        """
        slot = self.window.next_of_call(waiter.call)
        begun = self.running.get(waiter.call)
        if waiter.future is None and begun is not None:
            callback = self._callback_in(begun.start.strand)
            if callback is not None and (slot is None or callback.index < slot.index):
                return callback
        return slot if slot is not None and is_for(slot, waiter) else None

    def _callback_in(self, strand: str) -> Slot | None:
        """What the environment does next in a strand: a call, or a step of a stream it has."""
        streams = () if self.receiver is None else self.receiver.given
        steps = (self.window.next_of_call(call) for call in streams)
        own = (slot for slot in steps if slot is not None and self._served_in(slot) == strand)
        call = self.window.next_inbound_of(strand)
        return min(filter(None, (call, *own)), key=lambda slot: slot.index, default=None)

    def _served_in(self, head: Slot) -> str | None:
        """The strand in whose thread, while it waits, something of the environment's is served.

        A stream is read where the environment read it, or else where it began to.
        """
        event = head.event
        if not head.start.inbound or not isinstance(event, Start | Signal):
            return None
        if isinstance(event, Start):
            return event.strand
        waiting = {slot.start.strand for slot in self.running.values()}
        return event.strand if event.strand in waiting else head.start.strand

    def may_come_later(self, slot: Slot) -> bool:
        """Whether an event is the start of a call that is free to be made in any order."""
        event = slot.event
        return (
            isinstance(event, Start) and not event.inbound and self._orders.of(event.of) == "lanes"
        )

    def run_here(self, head: Slot | None, strand: str | None) -> bool:
        """Serve what the environment does in a strand, if it is due, while this thread waits."""
        if head is None or strand is None or self._served_in(head) != strand:
            return False
        run = None if self.receiver is None else self.receiver.in_thread(head)
        if run is None:
            return False
        self.changed.release()
        try:
            run()
        finally:
            self.changed.acquire()
        return True

    def wait_or_stall(self, condition: threading.Condition | None = None) -> None:
        """Wait in this thread for somebody to move; when nobody can, the replay ends."""
        if not self.somebody_may_move():
            head = self.window.head()
            if head is not None and head.start.of in INTERNAL:
                self.window.skip(head.event.call)
                return
            here = threading.current_thread()
            impatient = any(one.impatient and one.thread is not here for one in self.waiters)
            if not impatient and self.released() is None and not self.somebody_idles():
                self.fail(self.stall())
        (condition or self.changed).wait(TICK)

    def stall(self) -> Divergence:
        """Nothing can move: who waits for what."""
        waiters = list(self.waiters)
        found = self.reporter.stall(self.window, waiters, self.others())
        if not self.threads.somebody_works(waiters):
            return found
        slow = f"if a thread is only slower than {self.patience:g} s, pass a larger patience="
        return replace(found, hint=f"{found.hint}; {slow}")

    def others(self) -> list[threading.Thread]:
        """The threads of the program that are not at the tape."""
        with self.changed:
            return self.threads.busy(self.waiters)

    def somebody_may_move(self, *, soon: bool = False) -> bool:
        """Whether a thread or a job may still do something that the tape waits for.

        `soon` asks for no more time than the program took in the recording.
        """
        return self.somebody_else_may_move(soon=soon) or self._is_told(at_last=True)

    def somebody_else_may_move(self, *, soon: bool = False) -> bool:
        """Like `somebody_may_move`, without readers that take over what another should have."""
        head, due = self.window.head(), self.due()
        if self._is_told(at_last=False):
            return True
        if any(waiter.may_go() for waiter in self.waiters):
            return True
        if self.receiver is not None and self.receiver.takes(head):
            return True
        if due is not None and self._is_served(due):
            return True
        grace = self._grace()
        if grace and self.window.ordered_locks:
            grace = self.patience  # who seems to wait may only have had no time from the system
        elif soon:
            grace = min(grace, BLOCKED_GRACE + self.patience_with_recorded_gap() - self.patience)
        if head is not None and head is self._stuck_at:
            grace = min(grace, TICK)
        return grace > 0 and time.monotonic() - self.moved_at <= grace

    def _is_told(self, *, at_last: bool) -> bool:
        """Whether a thread has been told what is due, and is about to go on."""
        due = self.due()
        taker = None if due is None else self.taker(due, at_last=at_last)
        return taker is not None and taker.future is None

    def _is_served(self, head: Slot) -> bool:
        """Whether another thread, which waits in its strand, is about to serve what is due."""
        strand = self._served_in(head)
        if strand is None:
            return False
        here = threading.current_thread()
        others = (one.call for one in self.waiters if one.future is None and one.thread is not here)
        begun = (self.running.get(call) for call in others)
        if all(slot is None or slot.start.strand != strand for slot in begun):
            return False
        return self.receiver is not None and self.receiver.serves(head)

    def somebody_idles(self) -> bool:
        """Whether a pool's worker may just have got something to do, before a stall is certain."""
        grace = min(BLOCKED_GRACE, self.patience)
        return self.still_for <= grace and self.threads.idle(self.waiters)

    def is_defied(self) -> bool:
        """Whether the program goes on after a divergence, for longer than anybody is waited for."""
        if self.failure is None:
            return False
        return time.monotonic() - self._failed_at > self.patience

    def is_given_up(self) -> bool:
        """Whether somebody waits, and longer than anybody is waited for."""
        return bool(self.waiters) and self.is_still()

    def is_still(self) -> bool:
        """Whether nothing has moved for longer than anybody is waited for."""
        return self.still_for > self.patience

    def work_is_under_way(self) -> bool:
        """Whether an executor job is at work that the recording does not have.

        It took no time there, so none passes until it is over.
        """
        if not self.strands.works_aside(self._waiting_threads):
            return False
        return self.still_for <= self.patience

    def released(self) -> Slot | None:
        """The answer that a thread gets before its turn, when nobody has moved for too long.

        A thread that is alive but not at the tape may wait for a lock which that one holds: in
        the recording the locks were taken in another order. What is left out still has to happen;
        no lock explains why a thread waits that should itself have done something before.
        """
        if not self._grace():
            return None
        head = self.window.head()
        due = None if head is None else head.start.strand
        calls = [one.call for one in self.waiters if one.future is None]
        ahead = [self.window.next_of_call(call) for call in calls if call > 0]
        ends = [
            slot
            for slot in ahead
            if slot is not None and is_answer(slot) and slot.start.strand != due
        ]
        return min(ends, key=lambda slot: slot.index, default=None)

    def release(self, slot: Slot) -> Slot:
        """Give an answer before its turn, and remember why: that may be what went wrong."""
        head = self.window.head()
        if head is not self._stuck_at:
            self._stuck_at = head
            self.suspicion = self.stall()
        return self.take(slot)

    def _grace(self) -> float:
        if self._jobs_run():
            return self.patience + _MARGIN * max(self.recorded_jobs.values(), default=0.0)
        return self.threads.grace(self.waiters, self.patience_with_recorded_gap())

    def program_is_due(self) -> bool:
        """Whether the oldest event is something that the program has to do."""
        head = self.window.head()
        return head is not None and head.driven_by_application

    def patience_with_recorded_gap(self) -> float:
        """Seconds in which the program does what is due, if it takes as long as in the recording.

        Time that the loop's clock has passed since then does not count.
        """
        head = self.window.head()
        if head is None or not head.driven_by_application:
            return self.patience
        gap = head.event.at - max(self.window.done_at, self._clock.now)
        return self.patience + _MARGIN * max(0.0, gap)

    def _jobs_run(self) -> bool:
        """Whether an executor job is on its way that does not wait for the tape."""
        return self.strands.jobs_besides(self._waiting_threads())

    def _waiting_threads(self) -> list[threading.Thread]:
        return [waiter.thread for waiter in self.waiters if waiter.future is None]

    def close(self) -> None:
        """The session is over: whoever still waits is cancelled."""
        with self.changed:
            self.closed = True
            self.over.set()
            for waiter in self.waiters:
                future = waiter.future
                if future is None or future.get_loop().is_closed():
                    continue
                leave = partial(_leave, future, waiter.call) if waiter.cancelled else future.cancel
                future.get_loop().call_soon_threadsafe(leave)
            self._wake_all()
            self.ending.stop()
        self.ending.join()


def _tell(future: Parked[Event], failure: DivergenceError | None) -> None:
    if failure is not None and not future.done():
        future.set_exception(failure)


def _end(future: Parked[Event]) -> None:
    if not future.done():
        future.set_result(NOTHING_MORE)


def _leave(future: Parked[Event], call: int) -> None:
    if not future.done():
        future.set_result(End(call=call, outcome="cancelled"))
