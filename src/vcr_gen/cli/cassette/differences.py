"""Differences between tapes, told to people and as JSON."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from vcr_gen.cli.terminal import Terminal
from vcr_gen.runtime.codec import MISSING, Missing
from vcr_gen.runtime.failures.show import show, show_arguments
from vcr_gen.runtime.plain import Plain
from vcr_gen.tapes.calls import RecordedCall
from vcr_gen.tapes.changes import Change
from vcr_gen.tapes.comparing import CallDifference

__all__ = ["change_document", "difference_document", "tell_change", "tell_difference"]

_SIGNS: Final = {"added": "+", "removed": "-", "moved": ">", "modified": "~"}
_COLORS: Final = {"added": "green", "removed": "red", "moved": "yellow", "modified": "yellow"}


def tell_difference(
    difference: CallDifference, before: Path, after: Path, terminal: Terminal
) -> None:
    """Print a call that differs, with its places and every changed field."""
    start = difference.call.start
    places = [
        f"{path}:{call.line} (event {call.number})"
        for path, call in ((before, difference.before), (after, difference.after))
        if call is not None
    ]
    line = (
        f"{_SIGNS[difference.kind]} {difference.kind} {start.of}({show_arguments(start.arguments)})"
    )
    terminal.data(terminal.paint(line, _COLORS[difference.kind]))
    terminal.data(f"    {' → '.join(places)}")
    for change in difference.changes:
        tell_change(change, terminal, indent="    ")


def tell_change(change: Change, terminal: Terminal, *, indent: str) -> None:
    """Print one changed field; a breaking one is marked."""
    mark = terminal.paint("breaking: ", "red") if change.breaking else ""
    terminal.data(f"{indent}{mark}{change.path}: {change.words}")
    if change.kind == "outcome" or change.path.endswith("$type"):
        return
    for line in _lines(change.before, change.after):
        color = {"-": "red", "+": "green"}.get(line[0], "")
        terminal.data(f"{indent}  {terminal.paint(line, color) if color else line}")


def _lines(before: Plain | Missing, after: Plain | Missing) -> Iterator[str]:
    """Both values; of long texts, only the lines that differ."""
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        diff = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
        yield from list(diff)[2:]
        return
    if before is not MISSING:
        yield f"- {show(before)}"
    if after is not MISSING:
        yield f"+ {show(after)}"


def difference_document(difference: CallDifference) -> dict[str, object]:
    """A call that differs, as JSON has it."""
    return {
        "method": difference.call.start.of,
        "before": _place(difference.before),
        "after": _place(difference.after),
        "breaking": difference.breaking,
        "changes": [change_document(change) for change in difference.changes],
    }


def change_document(change: Change) -> dict[str, object]:
    """A changed field, as JSON has it; a side without the field is left out."""
    sides = {"before": change.before, "after": change.after}
    return {
        "path": change.path,
        "kind": change.kind,
        "breaking": change.breaking,
        **{side: value for side, value in sides.items() if value is not MISSING},
    }


def _place(call: RecordedCall | None) -> dict[str, object] | None:
    return None if call is None else {"event": call.number, "line": call.line}
