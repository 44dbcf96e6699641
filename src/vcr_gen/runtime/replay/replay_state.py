"""The state of a replay: the tape, who waits for it, and whether anything can still move."""

import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import NoReturn, Protocol, final

from vcr_gen.errors import Divergence, DivergenceError, UsageError, ValueCodecError
from vcr_gen.runtime.context_blocks import block
from vcr_gen.runtime.failures.divergence import Reporter
from vcr_gen.runtime.failures.divergence_text import message_of
from vcr_gen.runtime.loops.backends import Parked
from vcr_gen.runtime.loops.turns import Clock
from vcr_gen.runtime.privacy import Secrets, without_secrets
from vcr_gen.runtime.replay.decide import (
    Decision,
    LastResort,
    Others,
    Skip,
    Step,
    View,
    Wait,
    may_move,
    patience_with_recorded_gap,
    when_thread_waits,
)
from vcr_gen.runtime.replay.liveness import Threads
from vcr_gen.runtime.replay.strategies import Orders
from vcr_gen.runtime.replay.waiters import NOTHING_MORE, Readers, Waiter, Waiters, is_answer, is_for
from vcr_gen.runtime.replay.waiting import TICK
from vcr_gen.runtime.replay.watchdog import Watchdog
from vcr_gen.runtime.strands.strands import Strand, Strands
from vcr_gen.runtime.tape.events import End, Event, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = [
    "Receiver",
    "ReplayState",
]


class Receiver(Protocol):
    """Takes the inbound calls of a replay."""

    aside: set[int]
    """The calls that are made from threads in the environment's place, and are not over."""

    @property
    def given(self) -> tuple[int, ...]:
        """The calls of the application's streams that the environment reads step by step."""

    def in_loop(self, slot: Slot) -> Callable[[], None] | None:
        """What serves an event from an idle loop; None where nobody can take it."""

    def in_thread(self, slot: Slot) -> Callable[[], None] | None:
        """What serves an inbound call, or a step of a stream, from a thread that waits."""

    def serves(self, slot: Slot) -> bool:
        """Whether there is who can take an inbound call, or a step of a stream."""

    async def serve_soon(self, call: int) -> None:
        """Serve, in this task, the callbacks that came after a call before the loop was idle."""

    def takes(self, head: Slot | None) -> bool:
        """Whether an inbound call will be made from a thread of its own, sooner or later."""

    def finishes(self, *, failed: bool = False) -> bool:
        """Nothing can move: whether somebody waits for the end, and this is it."""

    def finish(self) -> None:
        """Release who waits for the end."""


@final
class ReplayState:
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
        self.ending = Watchdog(self)
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
        self.window.take_both(start, end)
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

    def wait_for_answer(self, waiter: Waiter, seconds: float) -> None:
        """Wait in this thread until its answer may be due, or it has to look after the others.

        Of many threads, only those are woken whose turn may have come. The watcher looks whether
        anything can still move, once nothing has for a moment.
        """
        if self.still_for >= TICK:
            self._wake_takers()
        self._answers[waiter].wait(seconds)

    def watches(self, waiter: Waiter) -> bool:
        """Whether a thread is the first of those that wait for an answer."""
        return next(iter(self._answers)) is waiter

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

    def fail_waiters(self) -> None:
        """Tell the divergence to every task that waits."""
        for future in self._untold():
            future.get_loop().call_soon_threadsafe(_tell, future, self.failure)

    def somebody_is_untold(self) -> bool:
        """Whether a task waits that can be told of the divergence."""
        return any(True for _ in self._untold())

    def _untold(self) -> Iterator[Parked[Event]]:
        for waiter in self.waiters:
            future = waiter.future
            if future is not None and not future.done() and not future.get_loop().is_closed():
                yield future

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

    def serves_here(self, due: Slot, strand: str | None) -> bool:
        """Whether what is due is made in the thread that waits in a strand."""
        if strand is None or self.receiver is None or self._served_in(due) != strand:
            return False
        return self.receiver.serves(due)

    def serve_here(self, slot: Slot) -> None:
        """Make an inbound call, or a step of a stream, in this thread, which waits."""
        run = None if self.receiver is None else self.receiver.in_thread(slot)
        if run is None:
            return
        self.changed.release()
        try:
            run()
        finally:
            self.changed.acquire()

    def wait_or_stall(self) -> None:
        """Wait in this thread for somebody to move; when nobody can, the replay ends."""
        decision = self.decide(when_thread_waits, self.view())
        if isinstance(decision, Wait):
            self.changed.wait(decision.seconds)
        else:
            self.skip_or_fail(decision)

    def skip_or_fail(self, decision: Decision) -> None:
        """Leave out what need not happen again; where there is nothing of it, the replay ends."""
        if isinstance(decision, Skip):
            self.window.skip(decision.call)
        else:
            self.fail(self.stall())

    # What is known ------------------------------------------------------------------------------

    def decide(
        self,
        choose: Callable[[View], Decision],
        view: View,
        last_resort: Callable[[View], LastResort] | None = None,
    ) -> Decision:
        """What is chosen, with no more looking than that needs."""
        while (decision := choose(view)) is Step.LOOK:
            if view.others is None:
                view = replace(view, others=self.look_at_others())
            else:
                view = replace(view, last=(last_resort or self._last_resort)(view))
        return decision

    def view(self) -> View:
        """What is known of the session, without looking far."""
        head = self.window.head()
        return View(
            patience=self.patience,
            still_for=self.still_for,
            head=head,
            due=self._due_from(head),
            recorded_gap=self._recorded_gap(head),
            stuck=head is not None and head is self._stuck_at,
            failed_for=None if self.failure is None else time.monotonic() - self._failed_at,
            anyone_waits=bool(self.waiters),
        )

    def look_at_others(self) -> Others:
        """What threads and jobs can still do."""
        head, due = self.window.head(), self.due()
        jobs = self.strands.jobs_besides(self._waiting_threads())
        return Others(
            takes=self._is_told(due, at_last=False) or any(one.may_go() for one in self.waiters),
            takes_at_last=self._is_told(due, at_last=True),
            serves=(self.receiver is not None and self.receiver.takes(head))
            or (due is not None and self._is_served(due)),
            jobs=jobs,
            longest_job=max(self.recorded_jobs.values(), default=0.0),
            threads="none" if jobs else self.threads.activity(self.waiters),
            locks=bool(self.window.ordered_locks),
        )

    def _last_resort(self, _: View) -> LastResort:
        """What can still be done for a thread that waits."""
        here = threading.current_thread()
        calls = [one.call for one in self.waiters if one.future is None and one.call > 0]
        ahead = [self.window.next_of_call(call) for call in calls]
        return LastResort(
            answers=tuple(slot for slot in ahead if slot is not None and is_answer(slot)),
            impatient=any(one.impatient and one.thread is not here for one in self.waiters),
            idle_workers=self.threads.idle(self.waiters),
        )

    def may_move(self) -> bool:
        """Whether a thread or a job may still do something that the tape waits for."""
        return may_move(replace(self.view(), others=self.look_at_others()))

    def program_gap(self) -> float | None:
        """Seconds in which the program did the oldest event; None where that is not its to do."""
        head = self.window.head()
        if head is None or not head.driven_by_application:
            return None
        return patience_with_recorded_gap(self.view())

    def _recorded_gap(self, head: Slot | None) -> float:
        """Seconds in which the program did what is due, besides those the clock has passed."""
        if head is None or not head.driven_by_application:
            return 0.0
        return max(0.0, head.event.at - max(self.window.done_at, self._clock.now))

    def stall(self) -> Divergence:
        """Nothing can move: who waits for what."""
        waiters = list(self.waiters)
        found = self.reporter.stall(self.window, waiters, self.others())
        if not self.threads.somebody_works(waiters):
            return found
        slow = f"if a thread is only slower than {self.patience:g} s, pass a larger patience="
        return replace(found, hint=f"{found.hint}; {slow}")

    def waiting(self) -> tuple[str, ...]:
        """What every task and thread of the program waits for, in words."""
        with self.changed:
            return without_secrets(self.stall(), self._secrets).waiting

    def others(self) -> list[threading.Thread]:
        """The threads of the program that are not at the tape."""
        with self.changed:
            return self.threads.busy(self.waiters)

    def _is_told(self, due: Slot | None, *, at_last: bool) -> bool:
        """Whether a thread has been told what is due, and is about to go on."""
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

    def works_aside(self) -> bool:
        """Whether an executor job is at work that the recording does not have."""
        return self.strands.works_aside(self._waiting_threads)

    def release(self, slot: Slot) -> Slot:
        """Give an answer before its turn, and remember why: that may be what went wrong."""
        head = self.window.head()
        if head is not self._stuck_at:
            self._stuck_at = head
            self.suspicion = self.stall()
        return self.take(slot)

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
