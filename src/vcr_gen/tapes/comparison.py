"""Two tapes compared call by call: what was added, removed, moved or changed."""

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
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recorded import read_events
from vcr_gen.runtime.values.objects import LIVE_WORDS
from vcr_gen.tapes.changes import Change, LiveNumbers, call_changes, value_changes
from vcr_gen.tapes.recorded_calls import RecordedCall, read_calls

__all__ = ["CallDifference", "align", "compare_headers", "compare_tapes", "longest_run"]


DifferenceKind: TypeAlias = Literal["added", "removed", "moved", "modified"]


@dataclass(frozen=True, slots=True)
class CallDifference:
    """A call that is not the same in both tapes."""

    kind: DifferenceKind
    before: RecordedCall | None
    after: RecordedCall | None
    changes: tuple[Change, ...] = ()

    @property
    def breaking(self) -> bool:
        """Whether one of the changes is."""
        return any(change.breaking for change in self.changes)

    @property
    def call(self) -> RecordedCall:
        """The call as it was, or as it is where it was not there."""
        call = self.before or self.after
        assert call is not None
        return call


def compare_tapes(
    before: Reading, after: Reading, *, times: bool = False
) -> Iterator[CallDifference]:
    """The differences, about in the order of the tapes.

    Reads each file twice: once to pair the calls, of which some bytes are held for each, and once
    to compare them, for which only calls are held whose counterpart has not come to its end.
    """
    keys, other_keys = _Keys.of(before), _Keys.of(after)
    pairs = align(keys.exact, other_keys.exact, (keys.loose, other_keys.loose))
    elsewhere = _elsewhere(keys, other_keys, pairs)
    there = dict(pairs) | elsewhere
    moved = set(_out_of_order(keys, there)) & set(elsewhere)
    here = {right: left for left, right in there.items()}
    live = LiveNumbers()
    waiting: dict[int, RecordedCall] = {}
    """Calls of the first tape whose counterpart has not ended, by their index."""
    waiting_there: dict[int, RecordedCall] = {}

    def compared(left: RecordedCall, right: RecordedCall) -> Iterator[CallDifference]:
        changes = tuple(call_changes(left, right, live, times=times))
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


def compare_headers(before: Reading, after: Reading, *, times: bool = False) -> list[Change]:
    """What two cassettes say about themselves, where it differs."""
    found: list[Change] = []
    ignored = {"boundaries", "roots"}  # where a session was recorded is no part of it
    if not times:
        ignored |= {"recorded_at", "max_age"}
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
    """What tells the calls of a tape apart, in the order of their starts."""

    exact: "array[int]"
    """Method and arguments."""
    loose: "array[int]"
    """The method alone."""
    strands: "array[int]"
    """In which strand it was made."""

    @classmethod
    def of(cls, reading: Reading) -> "_Keys":
        keys = cls(array("q"), array("q"), array("q"))
        for event, *_ in read_events(reading, reading.path):
            if isinstance(event, Start) and event.of not in INTERNAL:
                on = "#" if event.on.startswith("#") else event.on
                text = json.dumps(_without_numbers(dict(event.arguments)), sort_keys=True)
                keys.loose.append(hash(event.of))
                keys.strands.append(hash(event.strand))
                keys.exact.append(hash((event.of, on, event.inbound, text)))
        return keys


def _without_numbers(value: Plain) -> Plain:
    """The value without the numbers of live objects and secrets: one call more changes them."""
    if isinstance(value, str):
        return PLACEHOLDER.sub(REDACTED, value) if "<redacted:" in value else value
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in LIVE_WORDS:
            return dict.fromkeys(value)
        return {key: _without_numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_numbers(item) for item in value]
    return value


def _elsewhere(keys: _Keys, others: _Keys, pairs: list[tuple[int, int]]) -> dict[int, int]:
    """Calls without a counterpart in order, of which the other tape has an equal one elsewhere."""
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
    """Calls that do not come in the same order as the others of their strand.

    Between strands the order is chance, as in a replay.
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
"""How often, on average, a call may be looked at: what is left then stays unpaired."""


class _Block(NamedTuple):
    """A stretch of both sequences that is still to be aligned."""

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
    """Pairs of positions, growing on both sides: equal keys first, then equal loose keys.

    Costs about n log n: the longest growing run of pairs is kept, and what lies between two of
    its pairs is aligned in turn.
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
    """The first of a kind here with the first of its kind there, the second with the second…"""
    places: dict[int, deque[int]] = {}
    for position in range(block.right, block.right_end):
        places.setdefault(right[position], deque()).append(position)
    for position in range(block.left, block.left_end):
        queue = places.get(left[position])
        if queue:
            yield position, queue.popleft()


def longest_run(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs that grow on the right as they do on the left."""
    tails: list[int] = []
    """The smallest right end of a run of each length."""
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
    """The stretches between pairs in which both sides have something left."""
    left, right = block.left, block.right
    for here, there in [*pairs, (block.left_end, block.right_end)]:
        if left < here and right < there:
            yield _Block(left, here, right, there)
        left, right = here + 1, there + 1
