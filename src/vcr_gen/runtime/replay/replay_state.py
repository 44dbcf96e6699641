"""The state of a replay: the tape, the tasks and threads that wait for it, and its failure."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NoReturn, TypeVar, final

from vcr_gen.errors import Divergence, DivergenceError, UsageError, ValueCodecError
from vcr_gen.runtime.failures.headlines import Reporter
from vcr_gen.runtime.failures.message_layout import message_of
from vcr_gen.runtime.loops.backends import Parked
from vcr_gen.runtime.loops.clock import Clock
from vcr_gen.runtime.privacy import Secrets, without_secrets
from vcr_gen.runtime.replay.collecting import Collected
from vcr_gen.runtime.replay.dependents import Dependents
from vcr_gen.runtime.replay.liveness import Threads
from vcr_gen.runtime.replay.repeats import Repeats
from vcr_gen.runtime.replay.shifted_streams import ShiftedStreams
from vcr_gen.runtime.replay.strategies import Orders
from vcr_gen.runtime.replay.waiting import NOTHING_MORE, Monitor, Waiter, Waiters
from vcr_gen.runtime.replay.watchdog import Watchdog
from vcr_gen.runtime.strands.strands import Strands
from vcr_gen.runtime.tape.events import End, Event, Start
from vcr_gen.runtime.tape.window import Slot, Window

if TYPE_CHECKING:
    from vcr_gen.runtime.replay.inbound import Dispatcher
    from vcr_gen.runtime.replay.live_peer import Patience

_V = TypeVar("_V", bound=ValueCodecError)


@final
class ReplayState:
    """The shared state of a replay. Every access holds `monitor`."""

    dispatcher: "Dispatcher"
    """Makes the inbound calls; it sets itself here before the session begins."""

    def __init__(
        self,
        window: Window,
        strands: Strands,
        reporter: Reporter,
        *,
        clock: Clock,
        orders: Orders,
        repeats: Repeats,
        patience: float,
        pace: float,
        secrets: Secrets,
    ) -> None:
        self.window = window
        self.repeats = repeats
        self._orders = orders
        self.strands = strands
        self.reporter = reporter
        self._secrets = secrets
        self.waiters = Waiters()
        self.shifted = ShiftedStreams(window, self.waiters)
        self.running: dict[int, Slot] = {}
        """The recorded start of each outbound call that runs."""
        self.threads = Threads()
        self.when_moved: Callable[[], None] | None = None
        """Tells the thread that makes the environment's calls to look again, once there is one."""
        self.monitor = Monitor()
        self.closed = False
        self.over = threading.Event()
        """Set with `closed`, for the watchdog."""
        self.failure: DivergenceError | None = None
        """The first divergence: application code may have swallowed it."""
        self.fault: ValueCodecError | None = None
        """The first value that fits no type: later differences only follow from it."""
        self.suspicion: Divergence | None = None
        """The wait of every task and thread when an answer was given before its turn."""
        self.stuck_at: Slot | None = None
        """The oldest event when an answer was given before its turn."""
        self.failure_type: type[DivergenceError] = DivergenceError
        self.failed_at = 0.0
        self.clock = clock
        self.patience = patience
        self.pace = pace
        """How long the environment takes, as a multiple of the recorded time."""
        self._last_step = (0.0, time.monotonic())
        """The recorded and the real time of the program's last step, if there is a pace."""
        self.peer: Patience | None = None
        """How long to wait for a program outside the process, where there is one."""
        self.dependents = Dependents(window)
        """The dependents of the outbound calls that run."""
        self.leftovers = False
        """Whether calls that may come in any order need not come at all."""
        self.collected: Collected | None = None
        """The differences, where the replay continues after each."""
        self.refused: list[DivergenceError] = []
        """The calls and answers that the tape does not have, where it continues after each."""
        self.recorded_jobs: dict[int, float] = {}
        """The executor jobs that run, and the seconds that each took in the recording."""
        self.watchdog = Watchdog(self)

    @property
    def goes_on(self) -> bool:
        """Whether the replay has neither failed nor ended."""
        return self.failure is None and not self.closed

    def has_raised(self, error: object) -> bool:
        """Whether an exception that the program has is from this replay, not from the tape."""
        return error is not None and any(
            error is ours for ours in (self.failure, self.fault, *self.refused)
        )

    def take(self, slot: Slot) -> Slot:
        """Mark an event as done."""
        self.window.take(slot)
        if self.pace and slot.driven_by_application:
            self._last_step = (slot.event.at, time.monotonic())
        self.repeats.note(slot)
        if isinstance(slot.event, End) and self.running.pop(slot.event.call, None) is not None:
            self.dependents.forget(slot.event.call)
            self.shifted.forget(slot.event.call)
        self.moved()
        return slot

    def skip(self, call: int) -> None:
        """Do without the oldest event, which is the start of this call."""
        head = self.window.head()
        if head is not None and self.repeats.may_be_left(head):
            self.repeats.leave_out(head)
        else:
            self.window.skip(call)

    def loosen(self, slot: Slot) -> None:
        """Let an event of a shifted stream come whenever the stream is read."""
        self.window.loosen(slot)
        self.moved()

    def leave_unread(self, call: int) -> Slot | None:
        """Leave out items of a shifted stream that its consumer, who leaves it, did not reach.

        Returns the end of the stream if the consumer had read all of it when it was recorded.
        """
        rest = self.shifted.rest_of(call)
        for slot in rest[:-1]:
            self.take(slot)
        is_end = rest and isinstance(rest[-1].event, End) and rest[-1].event.outcome == "returned"
        return rest[-1] if is_end else None

    def take_both(self, start: Slot, end: Slot) -> None:
        """Mark a call and its answer as done together."""
        self.window.take(start)
        self.window.take(end)
        self.repeats.note(start)
        self.repeats.note(end)
        self.moved()

    def give(self, slot: Slot, receiver: Waiter) -> Slot:
        """Mark an event as done for the call that receives it; all readers see a stream end."""
        if isinstance(slot.event, End):
            for waiter in self.waiters.of(slot.event.call):
                if waiter is not receiver and waiter.future is not None:
                    leave = partial(_leave, waiter.future, waiter.call)
                    tell = leave if waiter.cancelled else partial(_end, waiter.future)
                    waiter.future.get_loop().call_soon_threadsafe(tell)
        return self.take(slot)

    def moved(self) -> None:
        """Something happened: every waiting thread that may continue looks again."""
        self.monitor.moved()
        if self.when_moved is not None:
            self.when_moved()

    def check(self) -> None:
        """Raise what ended the replay, if anything did; refuse use after the close."""
        ended = self.fault or self.failure
        if ended is not None:
            # A program that tries again and again would make the traceback longer each time.
            raise ended.with_traceback(None)
        if self.closed:
            raise UsageError(
                f"{self.reporter.advice.path}: a boundary was used after the cassette was closed"
                "\n\nhint: make all calls before its `with` block or test ends, and await every "
                "task they start"
            )

    def keep(self, error: _V) -> _V:
        """Keep an error if it is the first: the application may take it for the environment's."""
        with self.monitor:
            if self.failure is None:  # what comes after a divergence only follows from it
                self.fault = self.fault or error
        return error

    def fail(self, divergence: Divergence) -> NoReturn:
        """End the replay, here and for every task and thread that waits."""
        self.note_failure(divergence)
        assert self.failure is not None
        raise self.failure

    def note_failure(self, divergence: Divergence, *, all_wait: bool = False) -> None:
        """End the replay for every task and thread that waits.

        With `all_wait` all threads wait for things not on the tape, so the watchdog begins at once.
        """
        if self.failure is None:
            divergence = without_secrets(divergence, self._secrets)
            self.failure = self.failure_type(divergence, message_of(divergence))
            self.failed_at = time.monotonic()
            if self.peer is None:  # otherwise the program may still tell the peer about it
                self.watchdog.begin(at_once=all_wait)
        self.monitor.wake_all()
        self.fail_waiters()

    def collects(self, divergence: Divergence) -> bool:
        """Keep a difference for the report at the end; False where it ends the replay."""
        if self.collected is None:
            return False
        self.collected.divergences.append(without_secrets(divergence, self._secrets))
        return True

    def refuses_alone(self, method: str) -> bool:
        """Whether a call that the tape does not have fails alone."""
        return self.leftovers and self._orders.of(method) == "lanes"

    def refuse(self, divergence: Divergence) -> NoReturn:
        """Fail a call that the tape does not have; the cassette raises it again at its end."""
        raise self.note_refused(divergence)

    def note_refused(self, divergence: Divergence) -> DivergenceError:
        """Keep a difference that concerns nothing else, for the report at the end."""
        divergence = without_secrets(divergence, self._secrets)
        self.refused.append(self.failure_type(divergence, message_of(divergence)))
        return self.refused[-1]

    def note_stall(self, *, all_wait: bool = False) -> None:
        """Nothing can move: skip what is missing, or end the replay."""
        head = self.window.head()
        if head is not None and self.collects(self.stall()):
            assert self.collected is not None
            self.collected.misses[self.in_flight] += 1
            self.collected.pass_over(head)
            since = self.monitor.moved_at
            self.moved()
            if self.peer is not None:  # what depends on the missing event is missing too
                self.monitor.moved_at = since
        else:
            self.note_failure(self.stall(), all_wait=all_wait)

    def fail_waiters(self) -> None:
        """Raise the divergence in every task that waits."""
        for future in self._untold():
            future.get_loop().call_soon_threadsafe(_tell, future, self.failure)

    def a_task_is_untold(self) -> bool:
        """Whether a task waits in which the divergence can be raised."""
        return any(True for _ in self._untold())

    def _untold(self) -> Iterator[Parked[Event]]:
        for waiter in self.waiters:
            future = waiter.future
            if future is not None and not future.done() and not future.get_loop().is_closed():
                yield future

    def may_come_later(self, slot: Slot) -> bool:
        """Whether the program is free to do this in any order: to make a call, or to answer one."""
        if slot.start.inbound:
            return slot.driven_by_application and self._orders.of(slot.start.of) == "lanes"
        return isinstance(slot.event, Start) and self.comes_in_any_order(slot)

    def comes_in_any_order(self, slot: Slot) -> bool:
        """Whether an event is of an outbound call that is free to be made in any order."""
        return not slot.start.inbound and self._orders.of(slot.start.of) == "lanes"

    def only_leftovers(self) -> bool:
        """Whether nothing is left but calls that need not come, and what belongs to them."""
        head = self.window.head()
        may_stay = head is None or self.may_come_later(head)
        return self.leftovers and may_stay and not self.in_flight

    def stall(self) -> Divergence:
        """The divergence of a replay in which nothing can move."""
        waiters = list(self.waiters)
        found = self.reporter.stall(self.window, waiters, self.others())
        if self.peer is not None or self.threads.activity(waiters) != "working":
            return found
        slow = f"if a thread is only slower than {self.patience:g} s, pass a larger patience="
        return replace(found, hint=f"{found.hint}; {slow}")

    def waiting(self) -> tuple[str, ...]:
        """The wait of every task and thread of the program, in words."""
        with self.monitor:
            return without_secrets(self.stall(), self._secrets).waiting

    def seconds_early(self, slot: Slot | None) -> float:
        """Seconds that an event of the environment has to wait, to keep the recorded pace."""
        if slot is None or slot.driven_by_application:
            return 0.0
        recorded, real = self._last_step
        passed = time.monotonic() - real
        return max(0.0, self.pace * (slot.event.at - recorded) - passed)

    @property
    def in_flight(self) -> bool:
        """Whether a call waits for its answer: from the tape, or from the program."""
        waits = any(waiter.call > 0 and waiter.hand_back is None for waiter in self.waiters)
        return waits or self.dispatcher.is_busy

    def others(self) -> list[threading.Thread]:
        """The threads of the program that are not at the tape."""
        with self.monitor:
            return self.threads.busy(self.waiters)

    def release(self, slot: Slot) -> Slot:
        """Give an answer before its turn, and remember why: that may be what went wrong."""
        head = self.window.head()
        if head is not self.stuck_at:
            self.stuck_at = head
            self.suspicion = self.stall()
        return self.take(slot)

    def close(self) -> None:
        """End the session: every task and thread that still waits is cancelled."""
        with self.monitor:
            self.closed = True
            self.over.set()
            for waiter in self.waiters:
                future = waiter.future
                if future is None or future.get_loop().is_closed():
                    continue
                leave = partial(_leave, future, waiter.call) if waiter.cancelled else future.cancel
                future.get_loop().call_soon_threadsafe(leave)
            self.monitor.wake_all()
            self.watchdog.stop()
        self.watchdog.join()


def _tell(future: Parked[Event], failure: DivergenceError | None) -> None:
    if failure is not None and not future.done():
        future.set_exception(failure)


def _end(future: Parked[Event]) -> None:
    if not future.done():
        future.set_result(NOTHING_MORE)


def _leave(future: Parked[Event], call: int) -> None:
    if not future.done():
        future.set_result(End(call=call, outcome="cancelled"))
