"""Diffs two texts and marks the changed part of a line."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_WIDTH = 100
"""A longer line is shown only around its change."""
_AROUND = 30
"""How many characters are shown before a change."""
_CONTEXT = 2
"""How many equal lines are shown before and after a change."""
_MOST_LINES = 60
"""How many lines of a difference are shown."""
_MOST_ALIGNED = 1000
"""How many lines are aligned, which may take quadratic time."""


def visible(text: str) -> str:
    """The text with escaped control characters."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def diff_texts(recorded: str, actual: str) -> list[str]:
    """Two lines around their change, each with carets below the changed part."""
    before, after = visible(recorded), visible(actual)
    start, end = _equal_ends(before, after)
    low = max(0, start - _AROUND) if max(len(before), len(after)) > _WIDTH else 0
    rows: list[str] = []
    for sign, text in (("-", before), ("+", after)):
        shown = text[low : low + _WIDTH]
        dots = "…" if low else ""
        rows.append(f"{sign} {dots}{shown}{'…' if low + _WIDTH < len(text) else ''}")
        carets = "^" * (min(len(text) - end, low + _WIDTH) - start)
        if carets:
            rows.append(f"? {' ' * (len(dots) + start - low)}{carets}")
    return rows


def diff_lines(recorded: str, actual: str) -> list[str]:
    """A unified diff of two multi-line texts, with carets below changed characters."""
    before, after = recorded.split("\n"), actual.split("\n")
    start, end = _equal_ends(before, after)
    skipped = max(0, start - _CONTEXT)  # hidden equal lines need no alignment
    hidden = max(0, end - _CONTEXT)
    before = before[skipped : len(before) - hidden][:_MOST_ALIGNED]
    after = after[skipped : len(after) - hidden][:_MOST_ALIGNED]
    rows = list(_hunks(before, after, skipped + 1))
    return [*rows[:_MOST_LINES], "… and more lines"] if len(rows) > _MOST_LINES else rows


def _hunks(before: Sequence[str], after: Sequence[str], first: int) -> Iterator[str]:
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(_CONTEXT):
        opening, closing = group[0], group[-1]
        old = _range(first + opening[1], closing[2] - opening[1])
        new = _range(first + opening[3], closing[4] - opening[3])
        yield f"@@ -{old} +{new} @@"
        for what, low, high, other_low, other_high in group:
            gone, come = before[low:high], after[other_low:other_high]
            if what == "equal":
                yield from (_row(" ", line) for line in gone)
            elif len(gone) == len(come):
                for recorded, actual in zip(gone, come, strict=True):
                    yield from diff_texts(recorded, actual)
            else:
                yield from (_row("-", line) for line in gone)
                yield from (_row("+", line) for line in come)


def _range(start: int, count: int) -> str:
    return f"{start}" if count == 1 else f"{start},{count}"


def _row(sign: str, line: str) -> str:
    text = visible(line)
    return f"{sign} {text if len(text) <= _WIDTH else f'{text[: _WIDTH - 1]}…'}".rstrip()


def _equal_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many items two sequences share at their start and at their end."""
    start = equal_start(before, after)
    end = equal_start(before[::-1], after[::-1])
    return start, min(end, min(len(before), len(after)) - start)


def equal_start(first: Sequence[str], other: Sequence[str]) -> int:
    """The length of the common prefix of two sequences."""
    shorter = min(len(first), len(other))
    return next((n for n in range(shorter) if first[n] != other[n]), shorter)
