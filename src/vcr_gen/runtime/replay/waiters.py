"""The tasks and threads that wait for the tape, and what each of them may be given."""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import count
from types import FrameType
from typing import Final, final

from vcr_gen.runtime.context_blocks import block
from vcr_gen.runtime.loops.backends import Parked, library_here
from vcr_gen.runtime.strands.frames import (
    coroutine_frames,
    frame_of_thread,
    frames_from,
)
from vcr_gen.runtime.tape.events import End, Event, Signal, Start
from vcr_gen.runtime.tape.window import Slot

__all__ = [
    "NOTHING_MORE",
    "Waiter",
    "Waiters",
    "is_answer",
    "is_due",
    "is_for",
    "is_leave",
]

_NUMBERS = count()


@final
class Waiter:
    """A task or thread that waits for the next event of a call."""

    __slots__ = (
        "_library",
        "call",
        "cancelled",
        "future",
        "hand_back",
        "impatient",
        "leaves",
        "number",
        "pulls",
        "strand",
        "task",
        "thread",
        "wanted",
    )

    def __init__(self, call: int, *, pulls: bool = False, cancelled: bool = False) -> None:
        self.call = call
        self.pulls = pulls
        self.cancelled = cancelled
        """Whether the application has cancelled the call."""
        self.leaves = False
        """Whether it waits only for its turn to leave, and for no answer."""
        self.future: Parked[Event] | None = None
        self.impatient = False
        """Whether it goes on out of turn, because otherwise it holds up its loop for ever."""
        self.hand_back: Callable[[], None] | None = None
        """Lets the result of an executor job enter, if the waiter is a job."""
        self.wanted: Callable[[], bool] = lambda: True
        self.strand = ""
        """The recorded strand that it stands for, if it reads a stream."""
        self.number = next(_NUMBERS)
        """Its place in the order in which waiters came."""
        self.thread = threading.current_thread()
        self._library = library_here()
        self.task: object = None if self._library is None else self._library.task()

    @property
    def name(self) -> str:
        """The task or thread in words."""
        if self._library is not None and self.task is not None:
            return f"task {self._library.name(self.task)}"
        return f"thread {self.thread.name}"

    def frames(self) -> Iterator[FrameType]:
        """Where it stands, innermost first."""
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
        """It waits, and has since it was made."""
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
    return is_due(head, waiter.call, pulls=waiter.pulls, leaves=waiter.leaves)


def is_due(head: Slot, call: int, *, pulls: bool, leaves: bool = False) -> bool:
    """Whether an event is for a caller: what it waits for, or what a cancelled one leaves with."""
    if head.event.call != call:
        return False
    if isinstance(head.event, Start):
        return pulls and not head.event.inbound  # a call that waits to begin
    if isinstance(head.event, Signal) and head.event.kind == "cancel":
        return False
    if is_leave(head.event):
        return leaves
    return not leaves and (pulls or not head.driven_by_application)


def is_leave(event: Event) -> bool:
    """Whether an event says that a waiter was cancelled, and had no answer."""
    match event:
        case End(outcome="cancelled") | Signal(kind="left"):
            return True
    return False


NOTHING_MORE: Final = End(call=0, outcome="returned")
"""The event for a reader that still waits when another reader has seen the end."""
