"""Which calls of one tape stand for which of another, when some came, went or changed."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["align", "longest_run"]

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
