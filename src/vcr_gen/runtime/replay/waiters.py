"""The tasks and threads that wait for the tape, and what each of them may be given."""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import count
from math import inf
from types import FrameType
from typing import Final, final
from weakref import WeakValueDictionary

from vcr_gen.runtime.context_blocks import block
from vcr_gen.runtime.loops.backends import Parked, library_here
from vcr_gen.runtime.strands.frames import (
    coroutine_frames,
    frame_of_thread,
    frames_from,
)
from vcr_gen.runtime.strands.strands import Strand
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = [
    "NOTHING_MORE",
    "Readers",
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
        "readers",
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
        self.readers: Readers | None = None
        """The readers of the stream, if it waits for a stream."""
        self.strand: Strand | None = None
        """The strand that waits, among those readers."""
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

    def stands_for(self, recorded: str) -> bool:
        """Whether it reads a stream, and its recorded strand has this name."""
        if self.readers is None or self.strand is None:
            return False
        return self.readers.name_of(self.strand) == recorded

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

_AHEAD = 50
"""How many events of a stream tell whether it had several readers."""


@final
class Readers:
    """The tasks and threads that read a stream, each in the place of a recorded one.

    The tape has the strand that got each item. A live reader takes the place of such a strand
    when it gets its first item: by its label or its name, or else because it came first.
    """

    def __init__(self, window: Window, name_of: Callable[[Strand], str]) -> None:
        self._window = window
        self.name_of = name_of
        """The recorded strand of a live one."""
        self._live: WeakValueDictionary[str, Strand] = WeakValueDictionary()

    def choose(self, head: Slot, waiters: Sequence[Waiter], *, at_last: bool) -> Waiter | None:
        """The waiter that gets an item, or the end; None while the intended one may still come.

        With `at_last` no other reader can come: the first waiting reader gets it.
        """
        known = self._live.get(head.strand)
        if known is not None and not known.is_over:
            likely = [waiter for waiter in waiters if waiter.strand is known]
            others: Sequence[Waiter] = waiters
        else:
            taken = list(self._live.values())
            fresh = [waiter for waiter in waiters if waiter.strand not in taken]
            likely = [waiter for waiter in fresh if self._is_it(waiter, head)]
            others = fresh or waiters
        if likely:
            return likely[0]
        return others[0] if at_last or not self._is_shared(head) else None

    def next_of(self, call: int, reader: Strand) -> Slot | None:
        """What the tape has next of a stream for one reader, as far as that is near."""
        name = next((known for known, live in self._live.items() if live is reader), None)
        name = self.name_of(reader) if name is None else name
        upcoming = self._window.upcoming_of_call(call, _AHEAD)
        return next((slot for slot in upcoming if slot.strand == name), None)

    def leave_soon(self, call: int) -> float:
        """How many readers leave a stream within the next events.

        Infinite if the stream or the recording ends then: not all readers may be recorded.
        """
        events = [slot.event for slot in self._window.upcoming_of_call(call, _AHEAD)]
        left = [event for event in events if isinstance(event, Signal) and event.kind == "left"]
        ends = any(isinstance(event, End) and event.outcome == "cancelled" for event in events)
        return inf if ends or len(left) == len(events) else len(left)

    def is_of_another(self, slot: Slot, reader: Strand, waiters: Sequence[Waiter]) -> bool:
        """Whether another waiting reader got this event in the recording."""
        others = [other for other in waiters if other.strand is not reader and not other.leaves]
        known = self._live.get(slot.strand)
        return any(other.strand is known or self._is_it(other, slot) for other in others)

    def note(self, recorded: str, reader: Strand | None) -> None:
        """Note that a reader got the item of a recorded reader."""
        known = self._live.get(recorded)
        if reader is not None and (known is None or known.is_over):
            self._live[recorded] = reader

    def _is_it(self, waiter: Waiter, head: Slot) -> bool:
        """Whether a reader has the label of the recorded one or, without a label, its name."""
        if waiter.strand is None:
            return False
        if isinstance(head.event, Item) and head.event.begins:
            return waiter.strand.label == head.event.begins
        return self.name_of(waiter.strand) == head.strand

    def _is_shared(self, head: Slot) -> bool:
        """Whether the recording had several readers from here on."""
        upcoming = self._window.upcoming_of_call(head.event.call, _AHEAD)
        return any(slot.strand != head.strand for slot in upcoming)
