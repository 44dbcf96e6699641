"""How the threads of a replay wait and wake each other, and how long each wait takes."""

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final, final

from vcr_gen.runtime.context_blocks import block
from vcr_gen.runtime.replay.waiters import Waiter

__all__ = [
    "AT_WORK",
    "BLOCKED_GRACE",
    "INTERRUPT_AGAIN",
    "LONG_WAIT",
    "LOOK_AGAIN",
    "MOMENT",
    "POLL",
    "SLOWER_NOW",
    "TICK",
    "UNEXPECTED",
    "Monitor",
]

INTERRUPT_AGAIN: Final = 0.05
"""Seconds after which a main thread that was inside our code is interrupted again."""

TICK: Final = 0.02
"""Seconds after which a waiting thread looks again, even if nothing moved."""

LONG_WAIT: Final = 1.0
"""Seconds after which a thread that waits for its answer looks again; not the watcher."""

POLL: Final = 0.002
"""Seconds that a loop really waits while other threads may still do something."""

LOOK_AGAIN: Final = 0.05
"""Seconds that a loop really waits once the tape is used up: a thread may still diverge."""

BLOCKED_GRACE: Final = 0.2
"""Seconds to wait for threads that all sit in a wait of the standard library."""

SLOWER_NOW: Final = 2.0
"""How much longer than in the recording work may take: this machine may be slower, or busy."""

MOMENT: Final = 0.001
"""Seconds after which the callback thread looks again whether the program waits."""

AT_WORK: Final = 0.05
"""Seconds that a thread at work has before a callback comes: it may not get a CPU at once."""

UNEXPECTED: Final = 10
"""How many times `patience` a program may wait for something that is not on the tape."""


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
        self.wake_takers: Callable[[], None] = _nothing
        """Wakes those among them whose turn may have come."""
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
        """Something happened: every waiting thread that may go on looks again."""
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


def _nothing() -> None:
    pass
