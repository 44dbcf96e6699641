"""Which recorded strand a live one stands for.

Names are the same in every run only where strands are spawned in the same order, so a live strand
is bound to a recorded one by what it does: by its first call and, for threads and the jobs of
pools, by what they were started for.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, final
from weakref import WeakKeyDictionary, WeakValueDictionary

from vcr_gen.runtime.codec import Difference
from vcr_gen.runtime.events import INTERNAL, JOB, LOCK
from vcr_gen.runtime.strands import Strand
from vcr_gen.runtime.window import REACH, Slot, Window

__all__ = ["Compare", "Counterparts", "Expectation"]

Compare: TypeAlias = Callable[[Slot], tuple[Difference, ...]]
"""How what the application does differs from a recorded event; empty when it is the one."""

_SAME = 2
_KEPT = 64
"""How many events of a job are kept, to tell it from another that began alike."""


@final
@dataclass(frozen=True, slots=True)
class Expectation:
    """What the tape has where the application did something."""

    slot: Slot | None
    """The recorded event that was due; None where the strand has nothing left."""
    differences: tuple[Difference, ...] = ()
    """How the live event differs from it; empty when it is the one."""

    @property
    def is_met(self) -> bool:
        """Whether the live event is the recorded one."""
        return self.slot is not None and not self.differences


@final
class Counterparts:
    """Finds the next event of a live strand on the tape.

    A strand that has no counterpart may continue its parent's: a step that moved into a task of its
    own. Tasks and plain threads may also go on with what another one has next: nothing tells which
    of them takes which piece of the program's work. The job of a pool may not: where it begins and
    ends is known, and inside it the recorded order holds.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self._names: WeakKeyDictionary[Strand, str] = WeakKeyDictionary()
        self._claimed: WeakValueDictionary[str, Strand] = WeakValueDictionary()
        """Which live strand stands for a recorded one."""
        self._past: WeakKeyDictionary[Strand, list[Slot]] = WeakKeyDictionary()

    def find(self, strand: Strand, compare: Compare) -> Expectation:
        """What the tape has for what a strand does."""
        if strand.name.startswith("@"):
            return self._in_inbound_call(strand, compare)
        if strand.work is not None:
            return self._in_job(strand, compare)
        name = self._names.get(strand)
        if name is None:
            return self._of_new_strand(strand, compare)
        slot = self.next(name, reach=REACH)
        if slot is not None:
            expected = Expectation(slot, compare(slot))
            return expected if expected.is_met else self._elsewhere(strand, compare, expected)
        found = self._elsewhere(strand, compare, None)
        slot = None if found.is_met else self.next(name)
        return found if slot is None else Expectation(slot, compare(slot))

    def next_of(self, strand: Strand) -> Slot | None:
        """What the tape has next for a live strand."""
        return self.next(self.name_of(strand))

    def next_job_of(self, strand: Strand) -> Slot | None:
        """The executor job that a strand hands out next, if that is what it does next."""
        slot = self._window.next_of_strand(self.name_of(strand))
        return slot if slot is not None and slot.start.of == JOB else None

    def next_lock_of(self, strand: Strand, lock: str) -> Slot | None:
        """Where a strand takes a lock on the tape, if that is what it does next."""

        def is_it(slot: Slot | None) -> bool:
            found = None if slot is None or slot.start.of != LOCK else slot.start.arguments
            return found is not None and found["lock"] == lock

        if strand not in self._names and strand.label:
            begun = [slot for slot in self._window.beginnings(REACH) if is_it(slot)]
            if not begun:
                return None
            self.claim(strand, max(begun, key=lambda slot: _likeness(strand, slot)).strand)
        slot = self._window.next_of_strand(self.name_of(strand), REACH)
        return slot if is_it(slot) else None

    def name_of(self, strand: Strand) -> str:
        """The recorded strand that a live one stands for; its own name while it is not known."""
        return self._names.get(strand, strand.name)

    def name_strands(self) -> None:
        """Give each live strand the name of the recorded one that it stands for."""
        for strand, name in list(self._names.items()):
            strand.name = name

    def claim(self, strand: Strand, name: str) -> None:
        """Bind a strand that is not bound yet to a recorded one that is free."""
        if strand not in self._names and not self._is_claimed(name):
            self._bind(strand, name)

    def next(self, name: str, *, reach: float = float("inf")) -> Slot | None:
        """The next event of a recorded strand, past jobs and locks that it does without now."""
        slot = self._window.next_of_strand(name, reach)
        while slot is not None and slot.start.of in INTERNAL:
            self._window.skip(slot.event.call)
            self._window.take(slot)
            slot = self._window.next_of_strand(name, reach)
        return slot

    def _in_inbound_call(self, strand: Strand, compare: Compare) -> Expectation:
        """An inbound call is bound by its number."""
        slot = self.next(strand.name)
        if slot is None:
            return self._elsewhere(strand, compare, None)
        return Expectation(slot, compare(slot))

    def _of_new_strand(self, strand: Strand, compare: Compare) -> Expectation:
        if strand.parent is None:
            slot = self.next(strand.name)
            if slot is None:
                return self._elsewhere(strand, compare, None)
            self._bind(strand, strand.name)
            return Expectation(slot, compare(slot))
        begun = self._beginning(strand, compare)
        if begun is not None:
            return begun
        head = self._window.head()
        if head is not None and head.strand == strand.name and not self._is_claimed(strand.name):
            slot = self.next(strand.name)
            if slot is head and not compare(slot):
                self._bind(strand, strand.name)
                return Expectation(slot)
        return self._elsewhere(strand, compare, None)

    def _elsewhere(
        self, strand: Strand, compare: Compare, expected: Expectation | None
    ) -> Expectation:
        """Another strand's next event, where the live strand's own has none that fits."""
        fresh = strand not in self._names and not strand.name.startswith("@")
        lineage = self._lineage(strand)
        candidates = list(self._window.strands())

        def is_taken(name: str) -> bool:
            return name not in lineage and self._is_claimed(name)

        candidates.sort(key=lambda found: is_taken(found[0]))  # and else, the oldest first
        nearest = expected
        for name, slot in candidates:
            differences = compare(slot)
            if not differences:
                if strand in self._names and expected is not None:
                    self._exchange(strand, name)
                elif fresh:
                    self.claim(strand, name)
                return Expectation(slot)
            if nearest is None:
                nearest = Expectation(slot, differences)
        known = {name for name, _ in candidates}
        while fresh and (ahead := self._window.next_strand_besides(known)) is not None:
            name, slot = ahead
            if not compare(slot):
                self._bind(strand, name)
                return Expectation(slot)
            known.add(name)
        return nearest or Expectation(None)

    # Threads and jobs that are known by what they were started for --------------------------------

    def _beginning(self, strand: Strand, compare: Compare) -> Expectation | None:
        """The recorded strand that begins with this call and was started for the same."""
        best: Slot | None = None
        for slot in self._window.beginnings(REACH) if strand.label else ():
            likeness = _likeness(strand, slot)
            if likeness and (best is None or likeness == _SAME) and not compare(slot):
                best = slot
                if likeness == _SAME:
                    break
        if best is None:
            return None
        self._bind(strand, best.strand)
        return Expectation(best, compare(best))

    def _in_job(self, strand: Strand, compare: Compare) -> Expectation:
        name = self._names.get(strand)
        found = (
            self._of_new_job(strand, compare)
            if name is None
            else self._of_known_job(strand, name, compare)
        )
        if found.slot is not None and found.is_met:
            past = self._past.setdefault(strand, [])
            if len(past) <= _KEPT:
                past.append(found.slot)
        return found

    def _of_new_job(self, strand: Strand, compare: Compare) -> Expectation:
        begun = self._beginning(strand, compare)
        if begun is not None:
            return begun
        nearest: Expectation | None = None
        for reach in (REACH, float("inf")):
            for slot in self._window.beginnings(reach):
                differences = compare(slot)
                if not differences:
                    self._bind(strand, slot.strand)
                    return Expectation(slot)
                nearest = nearest or Expectation(slot, differences)
            for slot in self._heads(self._lineage(strand)):
                differences = compare(slot)
                if not differences:
                    return Expectation(slot)
                nearest = nearest or Expectation(slot, differences)
        return nearest or Expectation(None)

    def _of_known_job(self, strand: Strand, name: str, compare: Compare) -> Expectation:
        slot = self.next(name, reach=REACH)
        expected = Expectation(None) if slot is None else Expectation(slot, compare(slot))
        if expected.is_met:
            return expected
        for other, theirs in list(self._window.strands()):
            is_child = other.startswith(f"{name}.") and not self._is_claimed(other)
            if (is_child or self._began_alike(strand, other)) and not compare(theirs):
                if not is_child:
                    self._exchange(strand, other)
                return Expectation(theirs)
        slot = self.next(name) if slot is None else None
        return expected if slot is None else Expectation(slot, compare(slot))

    def _began_alike(self, strand: Strand, name: str) -> bool:
        """Whether the job that stands for a recorded one did until now what this one did."""
        other = self._claimed.get(name)
        if other is None or other is strand:
            return False
        ours, theirs = self._past.get(strand, []), self._past.get(other, [])
        if not len(ours) == len(theirs) <= _KEPT:
            return False
        return all(_is_alike(one, another) for one, another in zip(ours, theirs, strict=True))

    def _heads(self, names: set[str]) -> Iterator[Slot]:
        for name in sorted(names):
            slot = self.next(name, reach=REACH)
            if slot is not None:
                yield slot

    def _lineage(self, strand: Strand) -> set[str]:
        """The recorded strands that a strand's parents stand for."""
        lineage = set()
        parent = strand.parent
        while parent is not None:
            lineage.add(self._names.get(parent, parent.name))
            parent = parent.parent
        return lineage

    def _exchange(self, strand: Strand, name: str) -> None:
        """Bind a strand anew whose first calls were another's too, and so did not tell which it is.

        The strand that had the name until now gets the old one in return.
        """
        old, other = self._names[strand], self._claimed.get(name)
        self._bind(strand, name)
        if other is None:
            self._claimed.pop(old, None)
        else:
            self._bind(other, old)

    def _is_claimed(self, name: str) -> bool:
        """Whether a live strand stands for a recorded one, and is not over yet."""
        strand = self._claimed.get(name)
        return strand is not None and not strand.is_over

    def _bind(self, strand: Strand, name: str) -> None:
        self._names[strand] = name
        self._claimed[name] = strand


def _likeness(strand: Strand, slot: Slot) -> int:
    """How much speaks for it that a live strand is the one that begins here."""
    if slot.start.begins == strand.label:
        return _SAME
    return int(slot.start.begins.partition("-")[0] == strand.label.partition("-")[0])


def _is_alike(one: Slot, other: Slot) -> bool:
    """Whether two recorded events of two jobs could not be told apart."""
    return (type(one.event), one.start.of, one.start.on) == (
        type(other.event),
        other.start.of,
        other.start.on,
    ) and one.start.arguments == other.start.arguments
