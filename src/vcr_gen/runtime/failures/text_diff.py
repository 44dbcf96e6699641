"""Diffs two texts and marks the changed characters."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

__all__ = ["diff_lines", "diff_texts", "visible"]

_WIDTH = 100
"""A longer line is shown only around its change."""
_AROUND = 30
"""How many characters are shown before and after a change."""
_CONTEXT = 2
"""How many equal lines are shown before and after a change."""
_MOST_LINES = 60
"""How many lines of a difference are shown."""
_MOST_LETTERS = 400
"""How much changed text of a line is compared character by character."""
_MOST_ALIGNED = 2000
"""How many changed lines are aligned, which takes quadratic time."""
_MOST_PAIRS = 100_000
"""The limit of pairs of equal lines, for the same reason."""


def visible(text: str) -> str:
    """The text with escaped control characters."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def diff_texts(recorded: str, actual: str) -> list[str]:
    """Two lines around their change, each with carets below the changed characters."""
    before, after = visible(recorded), visible(actual)
    start, end = _equal_ends(before, after)
    marks = _marks(before, after, start, end)
    rows: list[str] = []
    for sign, text, marked in (("-", before, marks[0]), ("+", after, marks[1])):
        shown, carets = _around(text, marked, start, len(text) - end)
        rows.append(f"{sign} {shown}")
        if carets.strip():
            rows.append(f"? {carets.rstrip()}")
    return rows


def diff_lines(recorded: str, actual: str) -> list[str]:
    """A unified diff of two multi-line texts, with carets below changed characters."""
    before, after = recorded.split("\n"), actual.split("\n")
    rows = list(_hunks(before, after))
    if len(rows) > _MOST_LINES:
        return [*rows[:_MOST_LINES], f"… and {len(rows) - _MOST_LINES} more lines"]
    return rows


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    start, end = _equal_ends(before, after)
    skipped = max(0, start - _CONTEXT)  # hidden equal lines need no alignment
    before = before[skipped : len(before) - max(0, end - _CONTEXT)]
    after = after[skipped : len(after) - max(0, end - _CONTEXT)]
    for group in _matcher(before, after).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        old, new = (first[1], last[2]), (first[3], last[4])
        yield f"@@ -{_range(skipped, *old)} +{_range(skipped, *new)} @@"
        for what, low, high, other_low, other_high in group:
            if what == "equal":
                yield from (f"  {_cut(visible(line))}".rstrip() for line in before[low:high])
            else:
                yield from _changed(before[low:high], after[other_low:other_high])


def _changed(old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Changed lines: in pairs if both sides have the same number."""
    if len(old) == len(new):
        for before, after in zip(old, new, strict=True):
            yield from diff_texts(before, after)
        return
    yield from (f"- {_cut(visible(line))}".rstrip() for line in old)
    yield from (f"+ {_cut(visible(line))}".rstrip() for line in new)


def _matcher(before: Sequence[str], after: Sequence[str]) -> "SequenceMatcher[str]":
    """Align lines; if that would take long, all lines between the equal ends count as changed."""
    counts = Counter(after)
    pairs = sum(counts[line] for line in before)
    if max(len(before), len(after)) <= _MOST_ALIGNED and pairs <= _MOST_PAIRS:
        return SequenceMatcher(None, before, after, autojunk=False)
    start, end = _equal_ends(before, after)
    old = ["\0old"] * (len(before) - start - end)
    new = ["\0new"] * (len(after) - start - end)
    head, tail = before[:start], before[len(before) - end :]
    return SequenceMatcher(None, [*head, *old, *tail], [*head, *new, *tail], autojunk=False)


def _equal_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """How many items two sequences share at their start and at their end."""
    start = _shared(before, after)
    end = _shared(before[::-1], after[::-1])
    return start, min(end, min(len(before), len(after)) - start)


def _range(skipped: int, start: int, stop: int) -> str:
    first = skipped + start + 1
    return f"{first},{stop - start}" if stop - start != 1 else f"{first}"


def _marks(before: str, after: str, start: int, end: int) -> tuple[str, str]:
    """A caret for each changed character between the equal ends."""
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if not old or not new or max(len(old), len(new)) > _MOST_LETTERS:
        return _carets(before, start, end), _carets(after, start, end)
    marks_old, marks_new = ["^"] * len(old), ["^"] * len(new)
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        if block.size >= 3:  # ignore short matches
            marks_old[block.a : block.a + block.size] = " " * block.size
            marks_new[block.b : block.b + block.size] = " " * block.size
    return " " * start + "".join(marks_old), " " * start + "".join(marks_new)


def _carets(text: str, start: int, end: int) -> str:
    return " " * start + "^" * (len(text) - start - end)


def _around(text: str, marks: str, start: int, stop: int) -> tuple[str, str]:
    """The part of a long line around its change, and the marks below it."""
    if len(text) <= _WIDTH:
        return text, marks
    low = max(0, start - _AROUND)
    high = min(len(text), max(low + _WIDTH, min(stop, start + _WIDTH) + _AROUND))
    low = max(0, min(low, high - _WIDTH))
    before, after = "…" if low else "", "…" if high < len(text) else ""
    return f"{before}{text[low:high]}{after}", " " * len(before) + marks[low:high]


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"


def _shared(first: Sequence[str], other: Sequence[str]) -> int:
    """The length of the common prefix of two sequences."""
    count = 0
    for left, right in zip(first, other, strict=False):
        if left != right:
            break
        count += 1
    return count
