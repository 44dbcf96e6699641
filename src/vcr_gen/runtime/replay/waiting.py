"""The tasks and threads that wait for the tape, how they are woken, and how long it takes."""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from itertools import count
from types import FrameType
from typing import Final, final

from vcr_gen.runtime.context_blocks import block
from vcr_gen.runtime.loops.backends import Parked, library_here
from vcr_gen.runtime.strands.stack_frames import coroutine_frames, frame_of_thread, frames_from
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot

INTERRUPT_AGAIN: Final = 0.05
"""Seconds after which a main thread that was inside our code is interrupted again."""

TICK: Final = 0.02
"""Seconds after which a waiting thread, or a loop whose tape is used up, looks again."""

LONG_WAIT: Final = 1.0
"""Seconds after which a thread that waits for its answer looks again; not the watcher."""

POLL: Final = 0.002
"""Seconds after which a loop, or a callback that is due, looks again for other threads."""

BLOCKED_GRACE: Final = 0.2
"""Seconds to wait for threads that all sit in a wait of the standard library."""

SLOWER_NOW: Final = 2.0
"""How much longer than in the recording work may take: this machine may be slower, or busy."""

AT_WORK: Final = 0.05
"""Seconds that a thread at work has before a callback comes: it may not get a CPU at once."""

MOST_OVERTIME: Final = 60.0
"""Seconds, on the session's clock, that tasks of an application have after the end of the tape."""

UNEXPECTED: Final = 10
"""How many times `patience` a program may wait for something that is not on the tape."""


SECONDS_TO_END: Final = 1.0
"""Seconds to wait at the end for a thread of the runtime that still runs application code."""

_NUMBERS = count()


@final
class Waiter:
    """A task or thread that waits for the next event of a call."""

    __slots__ = (
        "_library",
        "begins",
        "call",
        "cancelled",
        "future",
        "hand_back",
        "impatient",
        "leaves",
        "number",
        "strand",
        "task",
        "thread",
    )

    def __init__(self, call: int, *, begins: bool = False, cancelled: bool = False) -> None:
        self.call = call
        self.begins = begins
        """Whether it waits for its turn to begin the call."""
        self.cancelled = cancelled
        """Whether the application has cancelled the call."""
        self.leaves = False
        """Whether it waits only for its turn to leave, and for no answer."""
        self.future: Parked[Event] | None = None
        self.impatient = False
        """Whether it continues out of turn, because otherwise it blocks its loop forever."""
        self.hand_back: Callable[[], None] | None = None
        """Lets the result of an executor job enter, if the waiter is a job."""
        self.strand = ""
        """The recorded strand that it corresponds to, if it reads a stream."""
        self.number = next(_NUMBERS)
        """Its place in the order in which waiters came."""
        self.thread = threading.current_thread()
        self._library = library_here()
        self.task: object = None if self._library is None else self._library.task()

    @property
    def is_in_loop(self) -> bool:
        """Whether a loop runs in the thread that waits, or in which the task waits."""
        return self._library is not None

    @property
    def name(self) -> str:
        """The task or thread in words."""
        if self._library is not None and self.task is not None:
            return f"task {self._library.name(self.task)}"
        return f"thread {self.thread.name}"

    def frames(self) -> Iterator[FrameType]:
        """The frames it is in, innermost first."""
        if self.future is not None and self._library is not None and self.task is not None:
            yield from coroutine_frames(self._library.coroutine(self.task))
        else:
            yield from frames_from(frame_of_thread(self.thread))


@final
class Waiters:
    """All waiters by their call. Several may read one stream: first come, first served."""

    def __init__(self) -> None:
        self._calls: dict[int, list[Waiter]] = {}

    def __iter__(self) -> Iterator[Waiter]:
        return (waiter for waiters in list(self._calls.values()) for waiter in waiters)

    def __bool__(self) -> bool:
        return bool(self._calls)

    def of(self, call: int) -> Sequence[Waiter]:
        """The waiters of a call."""
        return self._calls.get(call, ())

    def add(self, waiter: Waiter) -> None:
        """It waits, and has waited since it was created."""
        waiters = self._calls.setdefault(waiter.call, [])
        waiters.append(waiter)
        waiters.sort(key=lambda waiter: waiter.number)

    @block
    def having(self, waiter: Waiter) -> Generator[None, None, None]:
        """Run the body while it waits."""
        self.add(waiter)
        try:
            yield
        finally:
            self.remove(waiter)

    def remove(self, waiter: Waiter) -> None:
        """It no longer waits, if it did."""
        waiters = [other for other in self.of(waiter.call) if other is not waiter]
        if waiters:
            self._calls[waiter.call] = waiters
        else:
            self._calls.pop(waiter.call, None)


def is_answer(slot: Slot) -> bool:
    """Whether an event is what an outbound call returned or raised."""
    event = slot.event
    return isinstance(event, End) and event.outcome != "cancelled" and not slot.start.inbound


def is_for(head: Slot, waiter: Waiter) -> bool:
    """Whether a task or thread waits for the oldest event."""
    return is_due(head, waiter.call, begins=waiter.begins, leaves=waiter.leaves)


def is_due(head: Slot, call: int, *, begins: bool, leaves: bool = False) -> bool:
    """Whether an event is for a caller: what it waits for, or what a cancelled one leaves with."""
    if head.event.call != call:
        return False
    if type(head.event) is Item:
        return not leaves and not head.driven_by_application
    if isinstance(head.event, Start):
        return begins and not head.event.inbound
    if isinstance(head.event, Signal) and head.event.kind == "cancel":
        return False
    if is_leave(head.event):
        return leaves
    return not leaves and not head.driven_by_application


def is_leave(event: Event) -> bool:
    """Whether an event says that a waiter was cancelled, and had no answer."""
    match event:
        case End(outcome="cancelled") | Signal(kind="left"):
            return True
    return False


NOTHING_MORE: Final = End(call=0, outcome="returned")
"""The event for a reader that still waits when another reader has seen the end."""


@final
class Monitor:
    """The lock of a replay. Its threads wait here for each other, and are woken here.

    Of the threads that wait for an answer, only those whose turn may have come are woken. The
    first of them is the watcher: it checks whether anything can still move.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._waiting = 0
        """How many threads wait for any change."""
        self._answers: dict[Waiter, threading.Condition] = {}
        """Wakes each thread that waits for an answer."""
        self.wake_takers: Callable[[], None] = lambda: None
        """Wakes the waiters whose turn may have come."""
        self.moved_at = time.monotonic()
        """When something happened last."""

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def still_for(self) -> float:
        """Seconds since anything moved."""
        return time.monotonic() - self.moved_at

    def moved(self) -> None:
        """Something happened: every waiting thread that may continue looks again."""
        self.moved_at = time.monotonic()
        if self._waiting:
            self._changed.notify_all()
        if self._answers:
            self.wake_takers()

    def wait(self, seconds: float | None = None) -> None:
        """Wait in this thread until something moved."""
        self._waiting += 1
        try:
            self._changed.wait(seconds)
        finally:
            self._waiting -= 1

    @block
    def left(self) -> Generator[None, None, None]:
        """Run the body without the lock."""
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()

    @block
    def awaiting_answer(self, waiter: Waiter) -> Generator[None, None, None]:
        """Let this thread be woken when the answer that it waits for may be due."""
        self._answers[waiter] = threading.Condition(self._lock)
        try:
            yield
        finally:
            watched = self.watches(waiter)
            del self._answers[waiter]
            if watched and self._answers:
                next(iter(self._answers.values())).notify()

    def wait_for_answer(self, waiter: Waiter, seconds: float) -> None:
        """Wait in this thread until its answer may be due, or it has to look after the others."""
        if self.still_for >= TICK:
            self.wake_takers()
        self._answers[waiter].wait(seconds)

    def watches(self, waiter: Waiter) -> bool:
        """Whether a thread is the first of those that wait for an answer."""
        return next(iter(self._answers)) is waiter

    @property
    def awaiting(self) -> Iterator[Waiter]:
        """The threads that wait for an answer."""
        return iter(self._answers)

    def wake(self, waiters: Iterable[Waiter]) -> None:
        """Let those of these waiters look again that are threads waiting for an answer."""
        for waiter in waiters:
            if waiter in self._answers:
                self._answers[waiter].notify()

    def wake_all(self) -> None:
        """Let every thread look again."""
        self._changed.notify_all()
        self.wake(self._answers)
