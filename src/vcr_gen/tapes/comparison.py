"""Compares two tapes call by call: added, removed, moved and changed calls."""

import json
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from vcr_gen.runtime.codec import MISSING
from vcr_gen.runtime.codec.placeholders import PLACEHOLDER, REDACTED
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import INTERNAL, Start
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading, read_events
from vcr_gen.tapes.changes import Change, LiveNumbers, call_changes, value_changes
from vcr_gen.tapes.live_names import map_live_objects
from vcr_gen.tapes.recorded_calls import RecordedCall, read_calls

__all__ = [
    "CallDifference",
    "DifferenceKind",
    "align",
    "compare_headers",
    "compare_tapes",
    "longest_run",
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


def compare_tapes(before: Reading, after: Reading) -> Iterator[CallDifference]:
    """The differences, roughly in the order of the tapes.

    Reads each file twice: once to pair the calls, keeping a few bytes per call, and once
    to compare them, keeping only calls whose counterpart has not ended.
    """
    keys, other_keys = _Keys.of(before), _Keys.of(after)
    pairs = align(keys.exact, other_keys.exact, (keys.loose, other_keys.loose))
    elsewhere = _elsewhere(keys, other_keys, pairs)
    there = dict(pairs) | elsewhere
    moved = set(_out_of_order(keys, there)) & set(elsewhere)
    here = {right: left for left, right in there.items()}
    live = LiveNumbers()
    waiting: dict[int, RecordedCall] = {}
    """Calls of the first tape whose counterpart has not ended, by index."""
    waiting_there: dict[int, RecordedCall] = {}

    def compared(left: RecordedCall, right: RecordedCall) -> Iterator[CallDifference]:
        changes = tuple(call_changes(left, right, live))
        if left.index in moved:
            yield CallDifference("moved", left, right, changes)
        elif changes:
            yield CallDifference("modified", left, right, changes)

    lefts, rights = _calls(before), _calls(after)
    left, right = next(lefts, None), next(rights, None)
    while left is not None or right is not None:
        if left is not None:
            if left.index not in there:
                yield CallDifference("removed", left, None)
            elif (partner := waiting_there.pop(there[left.index], None)) is not None:
                yield from compared(left, partner)
            else:
                waiting[left.index] = left
            left = next(lefts, None)
        if right is not None:
            if right.index not in here:
                yield CallDifference("added", None, right)
            elif (partner := waiting.pop(here[right.index], None)) is not None:
                yield from compared(partner, right)
            else:
                waiting_there[right.index] = right
            right = next(rights, None)


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


@dataclass(frozen=True, slots=True)
class _Keys:
    """Keys that identify the calls of a tape, in the order of their starts."""

    exact: "array[int]"
    """Method and arguments."""
    loose: "array[int]"
    """The method alone."""
    strands: "array[int]"
    """The strand that made the call."""

    @classmethod
    def of(cls, reading: Reading) -> "_Keys":
        keys = cls(array("q"), array("q"), array("q"))
        for event, *_ in read_events(reading, reading.path):
            if isinstance(event, Start) and event.of not in INTERNAL:
                on = "#" if event.on.startswith("#") else event.on
                text = _without_numbers(dict(event.arguments))
                keys.loose.append(hash(event.of))
                keys.strands.append(hash(event.strand))
                keys.exact.append(hash((event.of, on, event.inbound, text)))
        return keys


def _without_numbers(value: Plain) -> str:
    """The value without the numbers of live objects and secrets, which shift with added calls."""
    text = json.dumps(map_live_objects(value, lambda _: None), sort_keys=True)
    return PLACEHOLDER.sub(REDACTED, text)


def _elsewhere(keys: _Keys, others: _Keys, pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Unpaired calls that have an equal call elsewhere on the other tape."""
    paired, paired_there = {left for left, _ in pairs}, {right for _, right in pairs}
    free: dict[int, list[int]] = {}
    for position in reversed(range(len(others.exact))):
        if position not in paired_there:
            free.setdefault(others.exact[position], []).append(position)
    found: dict[int, int] = {}
    for position, key in enumerate(keys.exact):
        if position not in paired and free.get(key):
            found[position] = free[key].pop()
    return found


def _out_of_order(keys: _Keys, there: Mapping[int, int]) -> Iterator[int]:
    """Calls that are out of order within their strand.

    The order between strands does not count, as in a replay.
    """
    strands: dict[int, list[tuple[int, int]]] = {}
    for position in sorted(there):
        strands.setdefault(keys.strands[position], []).append((position, there[position]))
    for pairs in strands.values():
        in_order = set(longest_run(pairs))
        yield from (position for position, other in pairs if (position, other) not in in_order)


def _calls(reading: Reading) -> Iterator[RecordedCall]:
    calls = read_calls(reading, reading.path, between=True)
    return (call for call in calls if not call.is_internal)


_EFFORT = 50
"""The average number of visits per call, after which the rest stays unpaired."""


class _Block(NamedTuple):
    """A range of both sequences that is not yet aligned."""

    left: int
    left_end: int
    right: int
    right_end: int

    @property
    def size(self) -> int:
        return self.left_end - self.left + self.right_end - self.right


def align(
    left: Sequence[int], right: Sequence[int], loosely: tuple[Sequence[int], Sequence[int]]
) -> list[tuple[int, int]]:
    """Increasing pairs of positions: first of equal exact keys, then of equal loose keys.

    Takes about n log n: keeps the longest increasing run of pairs, and aligns the ranges between
    its pairs recursively.
    """
    whole = _Block(0, len(left), 0, len(right))
    exact = _aligned(left, right, whole)
    pairs = list(exact)
    for gap in _gaps(exact, whole):
        pairs.extend(_aligned(*loosely, gap))
    return sorted(pairs)


def _aligned(left: Sequence[int], right: Sequence[int], whole: _Block) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    blocks = [whole]
    effort = _EFFORT * whole.size
    while blocks and effort > 0:
        block = blocks.pop()
        effort -= block.size
        pairs = longest_run(list(_candidates(left, right, block)))
        if pairs:
            found.extend(pairs)
            blocks.extend(_gaps(pairs, block))
    return sorted(found)


def _candidates(
    left: Sequence[int], right: Sequence[int], block: _Block
) -> Iterator[tuple[int, int]]:
    """Pair the first occurrence of a key with its first counterpart, and so on."""
    places: dict[int, deque[int]] = {}
    for position in range(block.right, block.right_end):
        places.setdefault(right[position], deque()).append(position)
    for position in range(block.left, block.left_end):
        queue = places.get(left[position])
        if queue:
            yield position, queue.popleft()


def longest_run(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs that increases on both sides."""
    tails: list[int] = []
    """The smallest right end of a run, by length."""
    ends: list[int] = []
    before: list[int] = []
    for number, (_, position) in enumerate(pairs):
        length = bisect_left(tails, position)
        before.append(ends[length - 1] if length else -1)
        if length == len(tails):
            tails.append(position)
            ends.append(number)
        else:
            tails[length] = position
            ends[length] = number
    run: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _gaps(pairs: Sequence[tuple[int, int]], block: _Block) -> Iterator[_Block]:
    """The ranges between pairs that are non-empty on both sides."""
    left, right = block.left, block.right
    for here, there in [*pairs, (block.left_end, block.right_end)]:
        if left < here and right < there:
            yield _Block(left, here, right, there)
        left, right = here + 1, there + 1
