"""Finds the recorded event that matches a live one, and how the two differ."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from sys import maxsize
from typing import final

from vcr_gen.runtime.boundary.echoes import Echoes
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.codec import MISSING, Difference
from vcr_gen.runtime.failures.call_names import call_name
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Vault
from vcr_gen.runtime.replay.call_index import CallIndex
from vcr_gen.runtime.replay.strand_matching import Compare, Differences, Expectation, StrandMatching
from vcr_gen.runtime.replay.strategies import Orders, Strategy, Way, agreed
from vcr_gen.runtime.strands.strands import Strand
from vcr_gen.runtime.tape.events import End, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.channel import ValueChannel
from vcr_gen.runtime.values.object_numbers import Objects


@final
class Matcher:
    """Finds the recorded event for what the application does."""

    def __init__(
        self, window: Window, objects: Objects, orders: Orders, vault: Vault, echoes: Echoes
    ) -> None:
        self._window = window
        self._objects = objects
        self._vault = vault
        self._echoes = echoes
        self._orders = orders
        self._ways: dict[str, Way] = {}
        self._index = CallIndex(window, self._group_of)
        self.strand_matching = StrandMatching(window)

    def start(
        self,
        strand: Strand,
        operation: Operation,
        stored: Mapping[str, Plain],
        *,
        may_wait: bool,
    ) -> Expectation:
        """The recorded start for an outbound call."""

        way = self._way_of(operation.bound.method.name, stored)

        def compare(slot: Slot) -> tuple[Difference, ...]:
            return self._differences(slot, operation, stored, way)

        if way.order == "lanes":
            find = partial(self._find_in_lane, operation, stored, way)
        else:
            find = partial(self._find, strand, 0)
        likely = partial(self._index.known, operation.bound, operation.on, stored)
        return self._settling(find, compare, likely, may_wait=may_wait)

    def anywhere(self, operation: Operation, stored: Mapping[str, Plain]) -> Expectation:
        """The recorded start, wherever it is on the tape, that differs least from a call."""
        name = operation.bound.method.name

        def compare(slot: Slot) -> tuple[Difference, ...]:
            return _start_differences(slot, operation, stored)

        way = self._way_of(name, stored)
        return self._settling(partial(self._find_in_lane, operation, stored, way), compare)

    def is_next(self, strand: Strand, slot: Slot, operation: Operation) -> bool:
        """Whether the oldest event is a call of this method, and its strand is known to make it."""
        name = operation.bound.method.name
        return (
            slot.start.of == name
            and slot.start.on == operation.on
            and self.strand_matching.names.get(strand) == slot.strand
            and self._orders.of(name) != "lanes"
        )

    def equal(
        self, strand: Strand, operation: Operation, encoded: Mapping[str, Plain]
    ) -> Slot | None:
        """The recorded start that `start` tries first, if it has exactly these arguments."""
        order, strategy, _ = self._way_of(operation.bound.method.name, encoded)
        if callable(strategy):  # a function of the user's is asked about equal calls too
            return None
        if order != "lanes":
            slot = self.strand_matching.tried_first(strand)
        elif strategy in ("exact", "method_and_arguments"):
            slot = self._index.exact(operation.bound, operation.on, encoded)
        else:
            return None
        return slot if slot is not None and _is_same_call(slot, operation, encoded) else None

    def _way_of(self, method: str, arguments: Mapping[str, Plain]) -> Way:
        """How a call finds its recorded one."""
        if self._orders.names_calls(method):
            name = call_name(method, arguments, self._window.signature_of(method))
            return self._orders.way(method, name)
        way = self._ways.get(method)
        if way is None:
            way = self._ways[method] = self._orders.way(method)
        return way

    def _group_of(self, slot: Slot) -> str:
        return self._way_of(slot.start.of, slot.start.arguments).group

    def _differences(
        self, slot: Slot, operation: Operation, stored: Mapping[str, Plain], way: Way
    ) -> tuple[Difference, ...]:
        strategy = way.strategy
        if strategy != "exact" and self._group_of(slot) != way.group:
            strategy = "exact"
        return _start_differences(slot, operation, stored, strategy)

    def next_of(self, strand: Strand) -> Slot | None:
        """The next recorded event for a live strand."""
        return self.strand_matching.next_of(strand)

    def job(self, strand: Strand, until: float) -> Slot | None:
        """The recorded start of an executor job, if the strand has one next, and not only later."""
        slot = self.strand_matching.next_job_of(strand)
        if slot is None or slot.event.at > until:
            return None
        self.strand_matching.claim(strand, slot.strand)
        return slot

    def is_repetition(self, slot: Slot, operation: Operation, stored: Mapping[str, Plain]) -> bool:
        """Whether a call equals a recorded one that is done."""
        way = self._way_of(operation.bound.method.name, stored)
        with self._objects.repeating():
            found = self._settling(
                lambda compare: Expectation(slot, compare(slot)),
                lambda slot: self._differences(slot, operation, stored, way),
            )
        return found.is_met

    def entered(self, slot: Slot, operation: Operation, stored: Mapping[str, Plain]) -> Expectation:
        """Whether the inbound call that is due is this one."""
        return self._settling(
            lambda compare: Expectation(slot, compare(slot)),
            lambda slot: _start_differences(slot, operation, stored),
        )

    def produced(
        self, strand: Strand, call: int, event: Item | End, passing: ValueChannel
    ) -> Expectation:
        """The recorded item or end for what the application answers to an inbound call."""

        def compare(slot: Slot) -> tuple[Difference, ...]:
            return _answer_differences(slot, call, event, passing)

        return self._settling(partial(self._find, strand, call), compare)

    def keep_echoes(self, slot: Slot, event: Item | End, passing: ValueChannel) -> None:
        """Note the echoed values of an answer that differs elsewhere."""
        _answer_differences(slot, event.call, event, passing)
        self._echoes.settle()
        self._retract()

    def signalled(self, strand: Strand, event: Signal, passing: ValueChannel | None) -> Expectation:
        """The recorded signal for what the application does to a stream."""

        def compare(slot: Slot) -> tuple[Difference, ...]:
            return _signal_differences(slot, event, passing)

        return self._settling(partial(self._find, strand, event.call), compare)

    def played(self, slot: Slot, event: Signal, passing: ValueChannel | None) -> Expectation:
        """Whether what is due is this signal, which a test gives in the environment's place."""
        return self._settling(
            lambda compare: Expectation(slot, compare(slot)),
            lambda slot: _signal_differences(slot, event, passing),
        )

    def _settling(
        self,
        find: Callable[[Compare], Expectation],
        compare: Differences,
        likely: Callable[[], Iterable[Slot]] = tuple,
        *,
        may_wait: bool = False,
    ) -> Expectation:
        """The expectation found; if it fits, objects and secrets get its numbers.

        Each candidate is tried again, and more than one of them may agree.
        """
        tried: Slot | None = None

        def try_it(slot: Slot) -> tuple[Difference, ...]:
            nonlocal tried
            self._retract()
            tried = slot
            return compare(slot)

        found = find(Compare(try_it, likely, may_wait))
        if not found.is_met or found.slot is None:
            self._retract()
            return found
        if found.slot is not tried:
            try_it(found.slot)
        self._objects.settle()
        self._vault.settle()
        self._echoes.settle()
        return found

    def _retract(self) -> None:
        self._objects.retract()
        self._vault.retract()
        self._echoes.retract()

    def _find_in_lane(
        self,
        operation: Operation,
        stored: Mapping[str, Plain],
        way: Way,
        compare: Compare,
    ) -> Expectation:
        name, on = operation.bound.method.name, operation.on
        if way.strategy == "sequential":
            due = self._index.next_of(way.group)
            return Expectation(due, () if due is None else compare(due))
        if way.strategy in ("exact", "method_and_arguments"):
            for slot in self._index.equal(operation.bound, on, stored):
                if not compare(slot):
                    return Expectation(slot)
        nearest, least = Expectation(None), (True, maxsize)
        title = call_name(name, stored, self._window.signature_of(name))
        for slot in self._index.alike(name, on):  # a looser rule may still accept it
            differences = compare(slot)
            if not differences:
                return Expectation(slot)
            if self._window.belongs_to_later_turn(slot):
                continue
            is_other = call_name(name, slot.start.arguments, slot.signature) != title
            if (is_other, len(differences)) < least:
                nearest, least = Expectation(slot, differences), (is_other, len(differences))
        return nearest

    def _find(self, strand: Strand, call: int, compare: Compare) -> Expectation:
        own = self._window.next_of_call(call) if call else None
        if own is not None and self._orders.of(own.start.of) == "lanes":
            return Expectation(own, compare(own))
        return self.strand_matching.find(strand, compare)


def _is_same_call(slot: Slot, operation: Operation, encoded: Mapping[str, Plain]) -> bool:
    """Whether an event is the start of this call, with exactly these arguments."""
    event, bound = slot.event, operation.bound
    return (
        isinstance(event, Start)
        and not event.inbound
        and event.of == bound.method.name
        and event.on == operation.on
        and bound.is_as_recorded(event.arguments, encoded)
    )


def _start_differences(
    slot: Slot,
    operation: Operation,
    stored: Mapping[str, Plain],
    strategy: Strategy = "exact",
) -> tuple[Difference, ...]:
    event = slot.event
    bound = operation.bound
    if not isinstance(event, Start):
        return (Difference("", MISSING, bound.method.name, "a different event is expected"),)
    if event.of != bound.method.name:
        return (Difference("", event.of, bound.method.name, "different method"),)
    found: list[Difference] = []
    if event.on != operation.on:
        found.append(Difference("on", event.on, operation.on, "different object"))
    if strategy == "exact":
        found += _argument_differences(event.arguments, stored, bound)
    else:
        differences = partial(_argument_differences, event.arguments, stored, bound)
        found += agreed(strategy, event, operation, differences)
    return tuple(found)


def _argument_differences(
    recorded: Mapping[str, Plain], actual: Mapping[str, Plain], bound: Bound
) -> list[Difference]:
    found: list[Difference] = []
    for name, passing in bound.arguments.items():
        if name in recorded and name in actual:
            differences = passing.differences(recorded[name], actual[name])
            if differences:
                found += _under(name, differences)
        elif name in actual:
            found.append(Difference(name, MISSING, actual[name], "not in the recording"))
        elif name in recorded:
            found.append(Difference(name, recorded[name], MISSING, "not given"))
    for name in recorded:
        if name not in bound.arguments:
            found.append(Difference(name, recorded[name], MISSING, "no such parameter"))
    return found


def _answer_differences(
    slot: Slot, call: int, event: Item | End, passing: ValueChannel
) -> tuple[Difference, ...]:
    recorded = slot.event
    if recorded.call != call or type(recorded) is not type(event):
        return (Difference("", MISSING, MISSING, "a different event is expected"),)
    if isinstance(event, End) and isinstance(recorded, End) and recorded.outcome != event.outcome:
        return (Difference(event.outcome, recorded.value, event.value, f"it {recorded.outcome}"),)
    assert isinstance(recorded, Item | End)
    if isinstance(event, Item) and isinstance(recorded, Item) and recorded.raised != event.raised:
        reason = "it raised an exception" if recorded.raised else "it yielded an item"
        return (Difference("$item", recorded.value, event.value, reason),)
    found = passing.differences(recorded.value, event.value)
    return _in_key(passing.root, found) if passing.has_key else _under(passing.root, found)


def _signal_differences(
    slot: Slot, event: Signal, passing: ValueChannel | None
) -> tuple[Difference, ...]:
    recorded = slot.event
    if not isinstance(recorded, Signal) or (recorded.call, recorded.kind) != (
        event.call,
        event.kind,
    ):
        return (Difference("", MISSING, MISSING, "a different event is expected"),)
    if passing is None:
        return ()
    return _under(passing.root, passing.differences(recorded.value, event.value))


def _in_key(name: str, differences: tuple[Difference, ...]) -> tuple[Difference, ...]:
    """Differences in the value that a function returned, whose fields have their own names."""
    fields = tuple(
        replace(found, path=found.path[2:]) for found in differences if found.path[1:2] == "."
    )
    whole = tuple(found for found in differences if found.path[1:2] != ".")
    return (*fields, *_under(name, whole))


def _under(name: str, differences: tuple[Difference, ...]) -> tuple[Difference, ...]:
    return tuple(
        Difference(name + found.path.removeprefix("$"), found.recorded, found.actual, found.reason)
        for found in differences
    )
