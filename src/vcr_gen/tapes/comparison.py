"""Compares two tapes call by call: added, removed, moved and changed calls."""

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal, TypeAlias

from vcr_gen.runtime.codec import MISSING
from vcr_gen.runtime.codec.placeholders import PLACEHOLDER, REDACTED
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.changes import Change, LiveNumbers, call_changes, value_changes
from vcr_gen.tapes.recorded_calls import RecordedCall, map_live_objects, read_calls

__all__ = [
    "CallDifference",
    "DifferenceKind",
    "align",
    "compare_headers",
    "compare_tapes",
]


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


def compare_tapes(before: Reading, after: Reading) -> list[CallDifference]:
    """The differences, in the order of the calls."""
    lefts, rights = _calls(before), _calls(after)
    pairs, moved = _pair_calls(lefts, rights)
    live = LiveNumbers()
    found = []
    for left, right in sorted(pairs.items()):
        changes = tuple(call_changes(lefts[left], rights[right], live))
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
            found += value_changes(key, left, right, LiveNumbers())
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
    calls = read_calls(reading, reading.path, between=True)
    return sorted((call for call in calls if not call.is_internal), key=lambda call: call.index)


def _pair_calls(
    lefts: Sequence[RecordedCall], rights: Sequence[RecordedCall]
) -> tuple[dict[int, int], set[int]]:
    """The calls of the second tape by those of the first, and which of them moved.

    Equal calls are paired in order, then equal calls elsewhere, then calls of the same method
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
        methods = [lefts[n].start.of for n in free], [rights[n].start.of for n in free_there]
        pairs |= {free[i]: free_there[j] for i, j in align(*methods)}
    return pairs, _moved(lefts, pairs, elsewhere)


def _key(call: RecordedCall) -> Hashable:
    """Method and arguments, without the numbers of live objects and secrets.

    The numbers shift with added calls.
    """
    start = call.start
    on = "#" if start.on.startswith("#") else start.on
    arguments = map_live_objects(dict(start.arguments), lambda _: None)
    text = PLACEHOLDER.sub(REDACTED, json.dumps(arguments, sort_keys=True))
    return start.of, on, start.inbound, text


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
