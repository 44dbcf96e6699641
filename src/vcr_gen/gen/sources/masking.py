"""Replaces parts of a source text by something else of the same extent."""

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Mask", "mask"]


@dataclass(frozen=True, slots=True, order=True)
class Mask:
    """What to hide, from one place to another, and what to show there."""

    start: tuple[int, int]
    """Line, from 1, and column, from 0."""
    end: tuple[int, int]
    stand_in: str


def mask(text: str, masks: Iterable[Mask]) -> str:
    """Replace each part by its stand-in; lines keep their numbers, later text its column."""
    lines = text.split("\n")
    for one in sorted(masks, reverse=True):
        first, last = one.start[0] - 1, one.end[0] - 1
        before, after = lines[first][: one.start[1]], lines[last][one.end[1] :]
        if first == last:
            lines[first] = before + one.stand_in.ljust(one.end[1] - one.start[1]) + after
            continue
        # A logical line must not end where the masked text had a line break.
        joined = after.strip() and not after.lstrip().startswith("#")
        lines[first] = before + one.stand_in + (after if joined else "")
        for number in range(first + 1, last + 1):
            lines[number] = ""
    return "\n".join(lines)
