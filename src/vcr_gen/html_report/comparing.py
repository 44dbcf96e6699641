"""How two tapes differ, as the page holds it: a line of JSON for each call that is not the same."""

from collections.abc import Iterator

from vcr_gen.html_report.describing import exact
from vcr_gen.html_report.rows import embedded
from vcr_gen.runtime.codec import MISSING
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.changes import Change
from vcr_gen.tapes.comparison import CallDifference, compare_headers, compare_tapes

__all__ = ["difference_lines", "header_changes"]


def difference_lines(before: Reading, after: Reading) -> Iterator[str]:
    """Every call that was added, removed, moved or changed; the page pairs up the others itself."""
    for difference in compare_tapes(before, after):
        yield f"{embedded(_difference(difference))}\n"


def header_changes(before: Reading, after: Reading) -> list[dict[str, object]]:
    """What the two tapes say about themselves, where it differs."""
    return [_change(change) for change in compare_headers(before, after)]


def _difference(difference: CallDifference) -> dict[str, object]:
    before, after = difference.before, difference.after
    return {
        "kind": difference.kind,
        "breaking": difference.breaking,
        "before": None if before is None else before.number,
        "after": None if after is None else after.number,
        "changes": [_change(change) for change in difference.changes],
    }


def _change(change: Change) -> dict[str, object]:
    return {
        "field": change.path,
        "reason": change.words,
        "breaking": change.breaking,
        "expected": None if change.before is MISSING else exact(change.before),
        "came": None if change.after is MISSING else exact(change.after),
    }
