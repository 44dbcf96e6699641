"""The part of a tape that has been read but not yet used.

Events are *driven* by one of two sides. What the environment drives (results, items, inbound calls)
is delivered in the recorded total order: only the oldest event that is not done may be delivered.
What the application drives (outbound calls, inbound results) is checked in the recorded order of
its own strand. Only what is needed to answer is read, so a sequential replay holds a few events.
"""

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from math import inf
from typing import Any, TypeVar, final

from vcr_gen.errors import VcrError
from vcr_gen.runtime.tape.event_hooks import Hook, Hooked
from vcr_gen.runtime.tape.events import (
    CLOCK,
    INTERNAL,
    LOCK,
    ROOT_STRAND,
    End,
    Event,
    Start,
    driven_by_application,
)
from vcr_gen.runtime.tape.object_origins import Origins
from vcr_gen.runtime.tape.other_side import from_other_side
from vcr_gen.runtime.tape.reading import Reading, read_events

_Key = TypeVar("_Key", str, int)

REACH = 1000
"""How many events ahead are searched for an event that may not exist."""


@final
@dataclass(slots=True, eq=False)
class Slot:
    """A recorded event and its state."""

    event: Event
    index: int
    """Its number on the tape, from 1."""
    line: int
    driven_by_application: bool
    strand: str
    """The strand that has to produce it, if the application drives it."""
    start: Start
    """The call it belongs to."""
    number: int = 0
    """Its number in the file, as shown to users; a call and its end may share one."""
    signature: str = ""
    """The recorded signature of the method; empty if unknown."""
    origins: Origins = field(default_factory=Origins)
    """Where the live objects of the tape came from, for messages."""
    done: bool = False
    is_loose: bool = False
    """Whether it may come at any time, and not only when everything before it is done."""


@final
class Window:
    """Reads the tape on demand and provides the unused events."""

    def __init__(
        self,
        reading: Reading,
        before_replay: Hook | None,
        signatures: Mapping[str, str],
        other_side: Collection[str] = (),
    ) -> None:
        self._other_side = other_side
        self._reading = reading
        self._signatures = signatures
        self.origins = Origins(self._read_again())
        """Where live objects came from; the tape is read again when a message needs to know."""
        self._hooked = None if before_replay is None else Hooked("before_replay", before_replay)
        self._slots_ahead = self._read()
        self._window: deque[Slot] = deque()
        self._strands: dict[str, deque[Slot]] = {}
        self._calls: dict[int, deque[Slot]] = {}
        self._beginnings: dict[int, Slot] = {}
        """The first calls, not yet made, of threads and pool jobs."""
        self._labelled: dict[str, dict[int, Slot]] = {}
        """The same by what these were started for."""
        self._soon: dict[int, Slot] = {}
        self._inbound: dict[str, deque[Slot]] = {}
        self._ticks: dict[tuple[int, int, int], float] = {}
        """To what time a clock caught up: from which microsecond, at which reading or round."""
        self.last_call = 0
        """The highest call number seen."""
        self.last_at = 0.0
        self.done_at = 0.0
        """The latest time of an event that is done."""
        self._skipped: set[int] = set()
        self._loose: list[Slot] = []
        self._unreadable: Exception | None = None
        self.recent: deque[Slot] = deque(maxlen=5)
        """The last events done."""

    def signature_of(self, method: str) -> str:
        """The recorded signature of a method; empty if unknown."""
        return self._signatures.get(method, "")

    def head(self) -> Slot | None:
        """The oldest event that is not done; None when the tape is used up."""
        window = self._window
        while window or self.read_one():
            head = window[0]
            if not head.done and head.event.call in self._skipped:
                self.take(head)
            if not (head.done or head.is_loose):
                return head
            window.popleft()
        return None

    @property
    def has_loose(self) -> bool:
        """Whether an event that is not done may come at any time."""
        return bool(self._loose)

    def loosen(self, slot: Slot) -> None:
        """Let an event come at any time from now on."""
        slot.is_loose = True
        self._loose.append(slot)

    def next_whole_call(self) -> tuple[Slot, Slot] | None:
        """The oldest event and its answer, where that is an outbound call with nothing inside."""
        head = self.head()
        if head is None or not isinstance(head.event, Start) or head.event.inbound:
            return None
        if len(self._window) < 2 and not self.read_one():
            return None
        answer = self._window[1]
        end = answer.event
        if not isinstance(end, End) or end.call != head.event.call or end.outcome == "cancelled":
            return None
        return None if answer.done else (head, answer)

    def comes_next(self, slot: Slot, now: float) -> bool:
        """Whether time passes until an event: it is later than now, and nothing precedes it."""
        if slot.event.at <= now:
            return False
        before = takewhile(lambda other: other is not slot, self._window)
        return all(other.done or other.event.at <= now for other in before)

    def skip(self, call: int) -> None:
        """Skip a call that need not be repeated."""
        self._skipped.add(call)

    def next_of_strand(self, strand: str, reach: float = inf) -> Slot | None:
        """The next event that a strand has to produce, within a number of events."""
        while not (queue := self._strands.get(strand)):
            if not self.read_one(reach):
                return None
        return queue[0]

    def beginnings(self, reach: int) -> Iterator[Slot]:
        """The first calls, not yet made, of threads and pool jobs, within a number of events."""
        last = self._window[0].index + reach if self._window else 0
        yield from takewhile(lambda slot: slot.index < last, list(self._beginnings.values()))
        while self.read_one(reach):
            slot = self._window[-1]
            if self._beginnings.get(slot.event.call) is slot:
                yield slot

    def beginnings_as(self, label: str, reach: int) -> list[Slot]:
        """The first calls, not yet made, of those with a label that were read.

        The tape is read on, within a number of events, until there is one.
        """
        while label not in self._labelled and self.read_one(reach):
            pass
        return list(self._labelled.get(label, {}).values())

    def soon_after(self, call: int, now: float) -> Slot | None:
        """The callback that followed a call before the loop was idle, if it is next.

        The clock stands still until then, so what has a later time need not be read.
        """
        while self.last_at <= now and self.read_one():
            pass
        slot = self._soon.get(call)
        following = self._calls.get(call)
        if slot is None or (following and following[0].index < slot.index):
            return None
        return slot

    def tick(self, since: float, readings: int, rounds: int) -> float | None:
        """To what time the clock caught up at a reading since a time, or at a round, if it did.

        What has a later time than now need not be read for it.
        """
        while self.last_at <= since and self.read_one():
            pass
        if not self._ticks:
            return None
        now = _microseconds(since)  # the tape's times are rounded: this one may be the next
        found = (self._ticks.get((at, readings, rounds)) for at in (now, now - 1, now + 1))
        return next((to for to in found if to is not None), None)

    def next_of_call(self, call: int) -> Slot | None:
        """The next event of a call after its start."""
        while not (queue := self._calls.get(call)):
            if not self.read_one():
                return None
        return queue[0]

    def next_inbound_of(self, strand: str) -> Slot | None:
        """The next inbound call of a strand, in the part read so far."""
        queue = self._inbound.get(strand)
        return queue[0] if queue else None

    def belongs_to_later_turn(self, slot: Slot) -> bool:
        """Whether a program that is seen from its other side is first asked something else.

        What it does before cannot be a different form of this event.
        """
        asked = self.next_inbound_of(ROOT_STRAND) if self._other_side else None
        return asked is not None and slot.index > asked.index

    def upcoming_of_call(self, call: int, count: int) -> list[Slot]:
        """The next events of a call, within a number of events."""
        while len(self._calls.get(call, ())) < count and self.read_one(REACH):
            pass
        return list(islice(self._calls.get(call, ()), count))

    def is_last_of_call(self, slot: Slot) -> bool:
        """Whether an event is the last one of its call."""
        self.read_all()
        following = self._calls.get(slot.event.call)
        return following is None or following[-1] is slot

    def strands(self) -> Iterator[tuple[str, Slot]]:
        """The strands with events to produce in the part read so far, oldest first."""
        heads = [(name, _first(queue)) for name, queue in self._strands.items()]
        found = [(name, slot) for name, slot in heads if slot is not None]
        yield from sorted(found, key=lambda head: head[1].index)

    def is_next(self, slot: Slot) -> bool:
        """Whether an event is the first that its strand has to produce."""
        return _first(self._strands.get(slot.strand, deque())) is slot

    def next_strand_besides(self, known: Collection[str]) -> tuple[str, Slot] | None:
        """The next strand with events to produce, except the known ones."""
        while True:
            for name, queue in self._strands.items():
                slot = None if name in known else _first(queue)
                if slot is not None:
                    return name, slot
            if not self.read_one():
                return None

    def read_since(self, index: int) -> list[Slot]:
        """The events read after an index; reads one more if there are none."""
        if not self._window or self._window[-1].index <= index:
            while self.read_one() and self._window[-1].index <= index:
                pass
        return self.known_since(index)

    def known_since(self, index: int) -> list[Slot]:
        """The events read after an index."""
        fresh: list[Slot] = []
        for slot in reversed(self._window):
            if slot.index <= index:
                break
            fresh.append(slot)
        return fresh[::-1]

    def since(self, slot: Slot) -> Iterator[Slot]:
        """The events after one that is still in the part read so far, to the end of the tape."""
        at = slot.index
        while True:
            following = max(0, at + 1 - self._window[0].index) if self._window else 0
            if following >= len(self._window) and not self.read_one():
                return
            if following >= len(self._window):
                continue
            found = self._window[following]
            at = found.index
            yield found

    def read_one(self, reach: float = inf) -> bool:
        """Read one more event, unless so many are in the part read so far, or the tape ends."""
        if len(self._window) >= reach:
            return False
        if self._unreadable is not None:
            raise self._unreadable
        try:
            slot = next(self._slots_ahead, None)
        except Exception as error:
            self._unreadable = error  # raised again for every later reader
            raise
        if slot is None:
            return False
        self._index(slot)
        return True

    def read_all(self) -> None:
        """Read to the end of the tape."""
        while self.read_one():
            pass

    def take(self, slot: Slot) -> None:
        """Mark an event as done."""
        slot.done = True
        if slot.is_loose:
            self._loose.remove(slot)
        self.done_at = max(self.done_at, slot.event.at)
        self.recent.append(slot)
        if slot.driven_by_application:
            _drop(self._strands, slot.strand)
        if not isinstance(slot.event, Start):
            _drop(self._calls, slot.event.call)
        else:
            if self._beginnings.pop(slot.event.call, None) is not None:
                self._drop_beginning(slot.start)
            if slot.start.inbound:
                _drop(self._inbound, slot.start.strand)
            if slot.event.soon is not None:
                self._soon.pop(slot.event.soon.after, None)

    def _drop_beginning(self, start: Start) -> None:
        alike = self._labelled[start.begins]
        del alike[start.call]
        if not alike:
            del self._labelled[start.begins]

    def recent_call(self, call: int) -> Start | None:
        """The start of a call, if one of its events is among the last done."""
        return next((done.start for done in self.recent if done.start.call == call), None)

    def ahead(self, count: int) -> Iterator[Slot]:
        """The next events that are not done, at most `count` of them."""
        while len(self._window) < count and self.read_one():
            pass
        for slot in islice(self._window, count):
            if not slot.done:
                yield slot

    def left(self) -> Iterator[Slot]:
        """All unused events, to the end of the tape."""
        self.read_all()
        passed = self._window[0].index if self._window else inf
        loose = [slot for slot in self._loose if slot.index < passed]
        for slot in (*loose, *self._window):
            is_skipped = slot.done or slot.event.call in self._skipped
            if not is_skipped and slot.start.of not in INTERNAL:
                yield slot

    def unused_entries(self) -> list[Slot]:
        """The unused events, counted as in the file: a call and its end may be one entry."""
        first: dict[int, Slot] = {}
        for slot in self.left():
            first.setdefault(slot.number, slot)
        return list(first.values())

    def close(self) -> None:
        """Close the file."""
        self._reading.close()

    def _index(self, slot: Slot) -> None:
        """Add an event to the queues for lookup."""
        self._window.append(slot)
        if slot.driven_by_application:
            _queue(self._strands, slot.strand, slot)
        if not isinstance(slot.event, Start):
            _queue(self._calls, slot.event.call, slot)
        else:
            if slot.event.begins:
                self._beginnings[slot.event.call] = slot
                self._labelled.setdefault(slot.event.begins, {})[slot.event.call] = slot
            if slot.event.inbound:
                _queue(self._inbound, slot.event.strand, slot)
            if slot.event.soon is not None:
                self._soon.setdefault(slot.event.soon.after, slot)

    def _read(self) -> Iterator[Slot]:
        recorded_events = read_events(self._reading, self._reading.path)
        if self._other_side:
            recorded_events = from_other_side(recorded_events, self._other_side, self._reading.path)
        index = 0  # without gaps: `since` finds an event by its distance to the first
        labels: dict[str, str] = {}
        """Those that old tapes have on the first lock of a strand, for its first event."""
        for recorded, begun, number, line in recorded_events:
            event, start = recorded, begun
            if event is start:
                self.last_call = start.call
            self.last_at = max(self.last_at, event.at)
            if start.of == CLOCK:
                self._note_tick(start)
                continue
            if start.of == LOCK:
                labels.setdefault(start.strand, start.begins)
                continue
            if labels and event is start and (label := labels.pop(start.strand, "")):
                event = start = replace(start, begins=label)
            strand = f"@{start.call}" if start.inbound else start.strand
            if event is not start and event.strand:
                strand = event.strand
            by_application = driven_by_application(event, start)
            signature = self._signatures.get(start.of, "")
            if self._hooked is not None and start.of not in INTERNAL:
                event = self._hooked.event(event, start.of)
                start = event if isinstance(event, Start) else start
            index += 1
            yield Slot(
                event, index, line, by_application, strand, start, number, signature, self.origins
            )

    def _read_again(self) -> Iterator[tuple[Event, Start, str]]:
        """All events of the tape with their calls and signatures, as far as they can be read."""
        path = self._reading.path
        with suppress(VcrError, OSError), Reading(path) as reading:
            for event, start, _, _ in read_events(reading, path):
                yield event, start, self._signatures.get(start.of, "")

    def _note_tick(self, start: Start) -> None:
        since: Any = start.arguments["since"]
        readings: Any = start.arguments.get("reading", 0)
        rounds: Any = start.arguments.get("round", 0)
        self._ticks[_microseconds(since), readings, rounds] = start.at


def _microseconds(at: float) -> int:
    return round(at * 1e6)


def _first(queue: deque[Slot]) -> Slot | None:
    """The first event that a strand has to produce, except internal ones."""
    return next((slot for slot in queue if slot.start.of not in INTERNAL and not slot.done), None)


def _queue(queues: dict[_Key, deque[Slot]], key: _Key, slot: Slot) -> None:
    queue = queues.get(key)
    if queue is None:
        queues[key] = deque((slot,))
    else:
        queue.append(slot)


def _drop(queues: dict[_Key, deque[Slot]], key: _Key) -> None:
    queue = queues[key]
    while queue and queue[0].done:  # what is done out of its turn goes when it comes first
        queue.popleft()
    if not queue:
        del queues[key]
