"""Finds the recorded strand that matches a live one.

Names are the same in every run only where strands are spawned in the same order, so a live strand
is bound to a recorded one by what it does: by its first call and, for threads and the jobs of
pools, by the function and arguments they were started with.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final, TypeAlias, final
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary

from vcr_gen.runtime.codec import Difference
from vcr_gen.runtime.strands.strands import Strand
from vcr_gen.runtime.tape.events import INTERNAL, JOB
from vcr_gen.runtime.tape.window import REACH, Slot, Window

FAR: Final = 10 * REACH
"""How many events ahead the beginning of a thread may be, where others began long before it."""

Differences: TypeAlias = Callable[[Slot], tuple[Difference, ...]]
"""How what the application does differs from a recorded event; empty when it is the one."""


@final
@dataclass(frozen=True, slots=True)
class Compare:
    """Compares what the application does with recorded events."""

    differences: Differences
    likely: Callable[[], Iterable[Slot]] = tuple
    """The events that were read and that it equals, found without comparing it with each."""
    may_wait: bool = False
    """Whether to wait for an equal event, before each that may be accepted too is looked at."""

    def __call__(self, slot: Slot) -> tuple[Difference, ...]:
        """How it differs from one of them."""
        return self.differences(slot)


@final
@dataclass(frozen=True, slots=True)
class Expectation:
    """The recorded event at the point where the application did something."""

    slot: Slot | None
    """The recorded event that was due; None where the strand has nothing left."""
    differences: tuple[Difference, ...] = ()
    """How the live event differs from it; empty when it is the one."""
    may_come: bool = False
    """Whether it may be due when a thread that is equal to this one has gone on."""
    awaited: Slot | None = None
    """The event that is due then, if it was found already."""
    stranger: str = ""
    """The recorded strand that has it next, where that is not for this one to do."""

    @property
    def is_met(self) -> bool:
        """Whether the live event is the recorded one."""
        return self.slot is not None and not self.differences and not self.stranger


@final
class StrandMatching:
    """Finds the next event of a live strand on the tape.

    A strand that has no counterpart may continue its parent's: a step that moved into a task of its
    own. Tasks may also continue with the next event of another task. So may threads and jobs of
    pools that were started for the same purpose: nothing decides which of them takes which piece
    of the program's work. Other threads and jobs may not: inside them the recorded order holds.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self.names: WeakKeyDictionary[Strand, str] = WeakKeyDictionary()
        """The recorded strand of each live strand, if it is known."""
        self._claimed: WeakValueDictionary[str, Strand] = WeakValueDictionary()
        """The live strand of each recorded strand."""
        self._live: dict[str, WeakSet[Strand]] = {}
        """The live threads and jobs with the same purpose, by the base of their label."""
        self._begun: dict[str, set[str]] = {}
        """The names of the recorded ones that may have something left to do, by the same base."""

    def find(self, strand: Strand, compare: Compare) -> Expectation:
        """The recorded event for a step of a strand."""
        if strand.job_number:
            return self._in_executor_job(strand, compare)
        if strand.name.startswith("@"):
            return self._in_inbound_call(strand, compare)
        return self._by_label(strand, compare) if strand.label else self._free(strand, compare)

    def tried_first(self, strand: Strand) -> Slot | None:
        """The event that `find` tries first for a strand that it knows; None for others."""
        if strand.name.startswith("@") and not strand.job_number:
            return self.next(strand.name)
        if strand.label:
            self._note_live(strand)
        elif strand.parent is None and strand not in self.names:
            return self._first_of_root(strand)
        name = self.names.get(strand)
        return None if name is None else self.next(name, reach=REACH)

    def next_of(self, strand: Strand) -> Slot | None:
        """The next recorded event for a live strand."""
        return self.next(self.name_of(strand))

    def next_job_of(self, strand: Strand) -> Slot | None:
        """The executor job that a strand hands out next, if that is what it does next."""
        slot = self._window.next_of_strand(self.name_of(strand))
        return slot if slot is not None and slot.start.of == JOB else None

    def name_of(self, strand: Strand) -> str:
        """The recorded strand of a live one; the live name while that is not known."""
        return self.names.get(strand, strand.name)

    def name_strands(self) -> None:
        """Give each live strand the name of its recorded strand."""
        for strand, name in list(self.names.items()):
            strand.name = name

    def claim(self, strand: Strand, name: str) -> None:
        """Bind a strand that is not bound yet to a recorded one that is free."""
        if strand not in self.names and not self._is_claimed(name):
            self._bind(strand, name)

    def next(self, name: str, *, reach: float = float("inf")) -> Slot | None:
        """The next event of a recorded strand, skipping jobs that it no longer uses."""
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

    def _in_executor_job(self, strand: Strand, compare: Compare) -> Expectation:
        """An executor job is bound by its number too, unless it is now a different job."""
        if strand not in self.names and not self._is_claimed(strand.name):
            slot = self.next(strand.name)
            if slot is not None and not compare(slot):
                self._bind(strand, strand.name)
                return Expectation(slot)
        return self._free(strand, compare)

    def _free(self, strand: Strand, compare: Compare) -> Expectation:
        """The recorded strand for a task, or for a thread that the tape does not name."""
        name = self.names.get(strand)
        if name is None:
            return self._of_new_strand(strand, compare)
        slot = self.next(name, reach=REACH)
        if slot is not None:
            expected = Expectation(slot, compare(slot))
            return expected if expected.is_met else self._elsewhere(strand, compare, expected)
        found = self._elsewhere(strand, compare, None)
        slot = None if found.is_met else self.next(name)
        return found if slot is None else Expectation(slot, compare(slot))

    def _of_new_strand(self, strand: Strand, compare: Compare) -> Expectation:
        if strand.parent is None:
            slot = self._first_of_root(strand)
            if slot is None:
                return self._elsewhere(strand, compare, None)
            return Expectation(slot, compare(slot))
        head = self._window.head()
        if head is not None and head.strand == strand.name and not self._is_claimed(strand.name):
            slot = self.next(strand.name)
            if slot is head and not compare(slot):
                self._bind(strand, strand.name)
                return Expectation(slot)
        return self._elsewhere(strand, compare, None)

    def _first_of_root(self, strand: Strand) -> Slot | None:
        """The first event of the strand that opened the cassette, whose name is always the same."""
        slot = self.next(strand.name)
        if slot is not None:
            self._bind(strand, strand.name)
        return slot

    def _elsewhere(
        self, strand: Strand, compare: Compare, expected: Expectation | None
    ) -> Expectation:
        """Another strand's next event, if the live strand's own events do not fit."""
        is_inbound = strand.name.startswith("@") and not strand.job_number
        fresh = strand not in self.names and not is_inbound
        lineage = self._lineage(strand)

        def standing(found: tuple[str, Slot]) -> tuple[bool, bool]:
            is_taken = found[0] not in lineage and self._is_claimed(found[0])
            return is_taken, found[0].startswith("@")  # bound by a number

        likely = ((slot.strand, slot) for slot in compare.likely() if self._window.is_next(slot))
        candidates = list(islice((found for found in likely if not any(standing(found))), 1))
        if not candidates or compare(candidates[0][1]):
            candidates = sorted(self._window.strands(), key=standing)  # otherwise the oldest first
        nearest = expected
        for name, slot in candidates:
            differences = compare(slot)
            if not differences and strand.work is not None and standing((name, slot))[0]:
                return Expectation(slot, stranger=name)  # another job has to do it
            if not differences:
                if strand in self.names and expected is not None:
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

    def _by_label(self, strand: Strand, compare: Compare) -> Expectation:
        """The recorded events for a thread, or for the job of a pool.

        Those that were started for the same purpose may take over each other's next events.
        """
        live = self._note_live(strand)
        name = self.names.get(strand)
        own = None if name is None else self.next(name, reach=REACH)
        nearest = Expectation(own, () if own is None else compare(own))
        if nearest.is_met:
            return nearest
        beginning = None if name else self._beginning(strand, compare)
        if beginning is not None:
            return Expectation(beginning)
        likeliest, awaited = self._likeliest(strand, compare)
        if likeliest is not None and not compare(likeliest):
            self._go_on_as(strand, likeliest.strand)
            return Expectation(likeliest)
        if awaited is not None and compare.may_wait:
            return replace(nearest, may_come=True, awaited=awaited)
        slots, are_new = self._alike(strand)
        for slot in slots:
            differences = compare(slot)
            if not differences:
                self._go_on_as(strand, slot.strand)
                return Expectation(slot)
            nearest = nearest if nearest.slot else Expectation(slot, differences)
        if name is None and not are_new:
            # It has no recorded strand: none was like it, or fewer of them shared the work.
            free = self._free(strand, compare)
            if free.is_met or not slots:
                return free
        child = self._in_child(strand, compare)
        if child is not None:
            return child
        if own is None and name is not None and (far := self.next(name)) is not None:
            # The other threads of the recording went on for long before this one did.
            nearest = Expectation(far, compare(far))
            if nearest.is_met:
                return nearest
        if len(live) > 1 or any(slot is not own for slot in slots):
            return replace(nearest, may_come=True)
        return self._of_another(nearest, compare)

    def _note_live(self, strand: Strand) -> WeakSet[Strand]:
        """Note a thread or a job; return all that have the same purpose."""
        live = self._live.setdefault(_base(strand.label), WeakSet())
        live.add(strand)
        return live

    def _beginning(self, strand: Strand, compare: Compare) -> Slot | None:
        """Bind a strand to a recorded one that was started for exactly the same; its first call."""
        for slot in self._window.beginnings_as(strand.label, FAR):
            if not self._is_claimed(slot.strand) and not compare(slot):
                self._go_on_as(strand, slot.strand)
                return slot
        return None

    def _alike(self, strand: Strand) -> tuple[list[Slot], bool]:
        """The next events of recorded strands with the same purpose, the likeliest first.

        The second value says whether one of them has not begun.
        """
        base = _base(strand.label)
        begun = self._begun.setdefault(base, set())
        beginnings = self._window.beginnings(REACH)
        fresh = [slot for slot in beginnings if _base(slot.start.begins) == base]
        names = begun.union(slot.strand for slot in fresh)
        found = {name: self.next(name, reach=REACH) for name in names}
        self._begun[base] = {name for name in names if found[name] or self._is_claimed(name)}

        slots = [slot for slot in found.values() if slot is not None]
        return sorted(slots, key=partial(self._standing, strand)), bool(fresh)

    def _likeliest(self, strand: Strand, compare: Compare) -> tuple[Slot | None, Slot | None]:
        """The equal call that a recorded strand with the same purpose makes next, if one does.

        The second is one that such a strand makes later. `_alike` finds calls that are not equal,
        but may be accepted; it looks at every recorded strand with the same purpose.
        """
        base = _base(strand.label)
        begun = self._begun.get(base, set()).difference((self.names.get(strand),))
        next_ones: list[Slot] = []
        later: Slot | None = None
        for slot in islice(compare.likely(), REACH):
            if slot.strand in begun or _base(slot.start.begins) == base:
                if self._window.is_next(slot):
                    next_ones.append(slot)
                else:
                    later = later or slot
        return min(next_ones, key=partial(self._standing, strand), default=None), later

    def _standing(self, strand: Strand, slot: Slot) -> tuple[bool, bool, int]:
        """The place of a recorded strand's next event among those that a strand may do."""
        return (slot.start.begins != strand.label, self._is_claimed(slot.strand), slot.index)

    def _go_on_as(self, strand: Strand, name: str) -> None:
        self._begun.setdefault(_base(strand.label), set()).add(name)
        if strand in self.names:
            self._exchange(strand, name)
        else:
            self._bind(strand, name)

    def _of_another(self, nearest: Expectation, compare: Compare) -> Expectation:
        """The next event of another strand, if this one must not take it."""
        for name, slot in list(self._window.strands()):
            differences = compare(slot)
            if not differences:
                return Expectation(slot, stranger=name)
            nearest = nearest if nearest.slot else Expectation(slot, differences)
        return nearest

    def _in_child(self, strand: Strand, compare: Compare) -> Expectation | None:
        """The recorded events of a child of this strand that the program no longer spawns."""
        name = self.names.get(strand)
        for other, slot in list(self._window.strands()) if name else ():
            is_child = other.startswith(f"{name}.") and not self._is_claimed(other)
            if is_child and not compare(slot):
                return Expectation(slot)
        return None

    def _lineage(self, strand: Strand) -> set[str]:
        """The recorded strands of a strand's parents."""
        lineage = set()
        parent = strand.parent
        while parent is not None:
            lineage.add(self.names.get(parent, parent.name))
            parent = parent.parent
        return lineage

    def _exchange(self, strand: Strand, name: str) -> None:
        """Bind a strand to a different name: its first calls fitted two recorded strands.

        The strand that had this name gets the old name in return.
        """
        old, other = self.names[strand], self._claimed.get(name)
        self._bind(strand, name)
        if other is None:
            self._claimed.pop(old, None)
        else:
            self._bind(other, old)

    def _is_claimed(self, name: str) -> bool:
        """Whether a recorded strand has a live strand that is not over yet."""
        strand = self._claimed.get(name)
        return strand is not None and not strand.is_over

    def _bind(self, strand: Strand, name: str) -> None:
        self.names[strand] = name
        self._claimed[name] = strand


def _base(label: str) -> str:
    """The label of a thread or a job without its number."""
    return label.partition("-")[0]
