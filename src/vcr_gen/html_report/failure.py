"""Describes a failed replay for the report: expected, actual, and where."""

from collections.abc import Sequence
from typing import Final

from vcr_gen.errors import Divergence, DivergenceError, RecordedEvent, UnusedEventsError, VcrError
from vcr_gen.html_report.session_report import exact
from vcr_gen.runtime.codec import MISSING, Difference
from vcr_gen.runtime.failures.call_sites import shown_path

_LISTED: Final = 50
"""How many unused events are listed; all of them are marked."""


def describe_failure(error: DivergenceError | VcrError, test: str) -> dict[str, object]:
    """The data of a failed replay; `test` names the test."""
    if isinstance(error, DivergenceError):
        return {**_diverged(error.divergence), "test": test}
    if isinstance(error, UnusedEventsError):
        return {**_unused(error), "test": test}
    headline, _, rest = str(error).partition("\n")
    return _failure(test=test, headline=headline, hint=rest.strip())


def _diverged(found: Divergence) -> dict[str, object]:
    due = found.due
    return _failure(
        kind=found.kind,
        headline=found.headline,
        likely=found.likely,
        event=found.event,
        place=shown_path(found.place),
        called_at=found.call_site,
        expected=due.what if due is not None else "nothing: the tape ends here",
        came=found.actual,
        differences=[_difference(difference) for difference in found.shown],
        sections=_sections(
            ("Anchors", found.anchors),
            ("Nearest recorded calls", found.nearest),
            ("Last events done", found.done),
            ("Waiting", found.waiting),
        ),
        hint=found.hint,
        commands=found.commands,
    )


def _unused(error: UnusedEventsError) -> dict[str, object]:
    events = error.events
    count = "1 recorded event was" if len(events) == 1 else f"{len(events)} recorded events were"
    return _failure(
        kind="unused",
        headline=f"{count} not used",
        likely=error.likely,
        event=events[0].number if events else None,
        place=shown_path(error.path),
        unused=[event.number for event in events],
        sections=_sections(("Not used", events[:_LISTED])),
        hint=error.hint,
    )


def _failure(**known: object) -> dict[str, object]:
    """All keys that the page reads, with defaults."""
    nothing: dict[str, object] = dict.fromkeys(("kind", "likely", "place", "called_at"), "")
    nothing |= dict.fromkeys(("test", "expected", "came", "hint"), "")
    nothing |= {"event": None, "differences": [], "unused": [], "sections": [], "commands": []}
    return {**nothing, **known}


def _difference(difference: Difference) -> dict[str, object]:
    recorded, actual = difference.recorded, difference.actual
    return {
        "field": difference.path.removeprefix("$").removeprefix(".") or "value",
        "reason": difference.reason,
        "expected": None if recorded is MISSING else exact(recorded),
        "came": None if actual is MISSING else exact(actual),
    }


def _sections(*titled: tuple[str, Sequence[RecordedEvent | str]]) -> list[dict[str, object]]:
    return [{"title": title, "rows": [_row(row) for row in rows]} for title, rows in titled if rows]


def _row(row: RecordedEvent | str) -> dict[str, object]:
    if isinstance(row, RecordedEvent):
        return {"text": row.what, "event": row.number}
    return {"text": row, "event": None}
