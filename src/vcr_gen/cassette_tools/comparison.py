"""Compares two tapes call by call: added, removed, moved and changed calls.

A change is breaking if a caller may fail because of it.
"""

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from vcr_gen.cassette_tools.keyed_lists import Keys, take_out_keyed_lists
from vcr_gen.cassette_tools.recorded_calls import RecordedCall, map_live_objects, read_calls
from vcr_gen.runtime.codec import MISSING, Difference, Missing, differences
from vcr_gen.runtime.codec.placeholders import unnumbered
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Item, Signal
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading

Kind: TypeAlias = Literal["value", "type", "vanished", "added", "outcome"]

_TYPE: Final = ".$type"
_LIST_ITEM: Final = re.compile(r"\[\d+\]\Z")


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between an earlier and a later recording."""

    path: str
    """The path, such as `args.step.name` or `returned[2].price`."""
    kind: Kind
    breaking: bool
    """Whether a caller may fail because of it; an addition never breaks."""
    before: Plain | Missing
    after: Plain | Missing

    @property
    def words(self) -> str:
        """What happened, in words."""
        match self.kind:
            case "type" if self.path.endswith(_TYPE):
                return f"{self.before} became {self.after}"
            case "type":
                return f"{_type_name(self.before)} became {_type_name(self.after)}"
            case "outcome":
                return f"{self.before} became {self.after}"
            case "vanished" | "added":
                return self.kind
            case "value":
                return "value differs"


DifferenceKind: TypeAlias = Literal["added", "removed", "moved", "modified"]


@dataclass(frozen=True, slots=True)
class CallDifference:
    """A call that differs between two tapes."""

    kind: DifferenceKind
    before: RecordedCall | None
    after: RecordedCall | None
    changes: tuple[Change, ...] = ()

    @property
    def breaking(self) -> bool:
        """Whether one of the changes is breaking."""
        return any(change.breaking for change in self.changes)

    @property
    def call(self) -> RecordedCall:
        """The earlier call; the later one if the call was added."""
        call = self.before or self.after
        assert call is not None
        return call


def compare_tapes(
    before: Reading, after: Reading, keys: Keys = MappingProxyType({})
) -> list[CallDifference]:
    """The differences, in the order of the calls; `keys` names the items of lists."""
    lefts, rights = _calls(before), _calls(after)
    pairs, moved = _pair_calls(lefts, rights)
    found = []
    for left, right in sorted(pairs.items()):
        changes = tuple(_call_changes(lefts[left], rights[right], keys))
        if left in moved:
            found.append(CallDifference("moved", lefts[left], rights[right], changes))
        elif changes:
            found.append(CallDifference("modified", lefts[left], rights[right], changes))
    found += [CallDifference("removed", call, None) for call in lefts if call.index not in pairs]
    paired = set(pairs.values())
    found += [CallDifference("added", None, call) for call in rights if call.index not in paired]
    return sorted(found, key=lambda difference: difference.call.index)


def compare_headers(before: Reading, after: Reading) -> list[Change]:
    """The differences between the headers of two cassettes."""
    found: list[Change] = []
    # The place and time of the recording are not part of the session.
    ignored = {"boundaries", "roots", "recorded_at", "max_age"}
    for key in dict.fromkeys([*before.header, *after.header]):
        if key not in ignored:
            left, right = before.header.get(key, MISSING), after.header.get(key, MISSING)
            changes = _value_changes(key, left, right, {})
            # Rules say what a replay compares: no caller depends on them.
            found += (
                (replace(each, breaking=False) for each in changes) if key == "rules" else changes
            )
    signatures = Header.read(before.header, before.path).signatures
    others = Header.read(after.header, after.path).signatures
    found.extend(
        Change(f"signature of {name}", "value", False, signature, others[name])
        for name, signature in signatures.items()
        if name in others and others[name] != signature
    )
    return found


def _calls(reading: Reading) -> list[RecordedCall]:
    """The calls across boundaries, in the order of their starts."""
    calls = read_calls(reading)
    return sorted((call for call in calls if not call.is_internal), key=lambda call: call.index)


def _pair_calls(
    lefts: Sequence[RecordedCall], rights: Sequence[RecordedCall]
) -> tuple[dict[int, int], set[int]]:
    """The calls of the second tape by those of the first, and which of them moved.

    Equal calls are paired in order, then equal calls elsewhere, then calls of the same name
    between two pairs.
    """
    keys, other_keys = list(map(_key, lefts)), list(map(_key, rights))
    in_order = align(keys, other_keys)
    pairs = dict(in_order)
    elsewhere = _pair_elsewhere(keys, other_keys, in_order)
    pairs |= elsewhere
    paired = set(pairs.values())
    ends = [(-1, -1), *in_order, (len(lefts), len(rights))]
    for (left, right), (left_end, right_end) in pairwise(ends):
        free = [n for n in range(left + 1, left_end) if n not in pairs]
        free_there = [n for n in range(right + 1, right_end) if n not in paired]
        names = [lefts[n].name for n in free], [rights[n].name for n in free_there]
        pairs |= {free[i]: free_there[j] for i, j in align(*names)}
    return pairs, _moved(lefts, pairs, elsewhere)


def _key(call: RecordedCall) -> Hashable:
    """What makes two calls equal: method, object and arguments."""
    arguments = json.dumps(_without_numbers(dict(call.start.arguments)), sort_keys=True)
    return call.start.of, _object_name(call), call.start.inbound, arguments


def align(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs of positions with equal keys; they increase on both sides."""
    shorter = min(len(left), len(right))
    head = 0
    while head < shorter and left[head] == right[head]:
        head += 1
    tail = 0
    while tail < shorter - head and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(
        None, left[head : len(left) - tail], right[head : len(right) - tail]
    ).get_matching_blocks()
    pairs = [(position, position) for position in range(head)]
    for block in middle:
        pairs += [(head + block.a + n, head + block.b + n) for n in range(block.size)]
    return pairs + [(len(left) - n, len(right) - n) for n in range(tail, 0, -1)]


def _pair_elsewhere(
    keys: Sequence[Hashable], other_keys: Sequence[Hashable], in_order: list[tuple[int, int]]
) -> dict[int, int]:
    """Unpaired calls that have an equal call elsewhere on the other tape."""
    paired, paired_there = dict(in_order), {right for _, right in in_order}
    free: dict[Hashable, list[int]] = {}
    for position in reversed(range(len(other_keys))):
        if position not in paired_there:
            free.setdefault(other_keys[position], []).append(position)
    return {
        position: free[key].pop()
        for position, key in enumerate(keys)
        if position not in paired and free.get(key)
    }


def _moved(
    calls: Sequence[RecordedCall], pairs: Mapping[int, int], elsewhere: Mapping[int, int]
) -> set[int]:
    """Calls elsewhere whose strand has a different order; as in a replay, only that counts."""
    strands: dict[str, list[int]] = {}
    for position in sorted(pairs):
        strands.setdefault(calls[position].start.strand, []).append(position)
    return {
        position
        for positions in strands.values()
        if any(pairs[earlier] > pairs[later] for earlier, later in pairwise(positions))
        for position in positions
        if position in elsewhere
    }


def _call_changes(before: RecordedCall, after: RecordedCall, keys: Keys) -> list[Change]:
    """The differences between a call and its counterpart on another tape."""
    found: list[Change] = []
    if _object_name(before) != _object_name(after):
        found.append(Change("on", "value", False, before.start.on, after.start.on))
    for name in dict.fromkeys([*before.start.arguments, *after.start.arguments]):
        found += _value_changes(
            f"args.{name}",
            before.start.arguments.get(name, MISSING),
            after.start.arguments.get(name, MISSING),
            keys,
        )
    found += _stream_changes(before, after, keys)
    if before.status != after.status:
        broke = before.status == "returned"
        found.append(Change("outcome", "outcome", broke, before.status, after.status))
    elif before.end is not None and after.end is not None:
        found += _value_changes(before.status, before.end.value, after.end.value, keys)
    return found


def _value_changes(
    place: str, before: Plain | Missing, after: Plain | Missing, keys: Keys
) -> Iterator[Change]:
    """All differing fields of a value, except the numbers of live objects and secrets."""
    if before is MISSING or after is MISSING:
        if before is not after:
            yield _change(place, Difference(place, before, after, ""))
        return
    left, right = _without_numbers(before), _without_numbers(after)
    named = take_out_keyed_lists(left, right, keys)
    for found in differences(left, right):
        yield _change(place + found.path.removeprefix("$"), found)
    for items in named:
        for name in dict.fromkeys([*items.before, *items.after]):
            item, other = items.before.get(name, MISSING), items.after.get(name, MISSING)
            yield from _value_changes(
                f"{place}{items.path}[{items.field}={name}]", item, other, keys
            )


def _without_numbers(value: Plain) -> Plain:
    """A value without the numbers of live objects and secrets: they shift with added calls."""
    return unnumbered(map_live_objects(value, lambda _: None))


def _change(path: str, found: Difference) -> Change:
    before, after = found.recorded, found.actual
    if after is MISSING:  # callers rely on fields by name, not on the length of a list
        return Change(path, "vanished", not _LIST_ITEM.search(path), before, after)
    if before is MISSING:
        return Change(path, "added", False, before, after)
    if type(before) is not type(after):
        return Change(path, "type", before is not None, before, after)
    if path.endswith(_TYPE):
        return Change(path, "type", True, before, after)
    return Change(path, "value", False, before, after)


def _stream_changes(before: RecordedCall, after: RecordedCall, keys: Keys) -> Iterator[Change]:
    for word, kind in (("items", Item), ("signals", Signal)):
        left = [_stored(event) for event in before.between if isinstance(event, kind)]
        right = [_stored(event) for event in after.between if isinstance(event, kind)]
        for number in range(max(len(left), len(right))):
            yield from _value_changes(
                f"{word}[{number}]",
                left[number] if number < len(left) else MISSING,
                right[number] if number < len(right) else MISSING,
                keys,
            )


def _stored(event: Item | Signal) -> Plain:
    if isinstance(event, Item):
        return {"raised": event.value} if event.raised else event.value
    return {event.kind: event.value}


def _object_name(call: RecordedCall) -> str:
    """The name of the object that was called; numbers of live objects are left out."""
    return "#" if call.start.on.startswith("#") else call.start.on


def _type_name(value: Plain | Missing) -> str:
    names = {dict: "a mapping", list: "a list", bool: "a truth", type(None): "null", str: "text"}
    return names.get(type(value), type(value).__name__)
