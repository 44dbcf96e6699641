"""Reports unused events at the end of a replay, with the likely cause."""

from collections.abc import Sequence
from pathlib import Path

from vcr_gen.errors import UnusedEventsError
from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.failures.divergence import DRIVE_IT, Reporter
from vcr_gen.runtime.failures.wording import describe
from vcr_gen.runtime.tape.events import Item, Start
from vcr_gen.runtime.tape.window import Slot, Window

__all__ = ["unused_events_error"]

_SHOWN = 10


def unused_events_error(window: Window, reporter: Reporter) -> UnusedEventsError | None:
    """The error for unused events; None if all were used."""
    left = window.unused_entries()
    if not left:
        return None
    went_on = any(done.index > left[0].index for done in window.recent)
    advice = reporter.advice
    likely, hint = _likely(left[0], went_on=went_on), advice.record_again()
    change = reporter.drift.gone(left[0].start.of)
    if change is not None:
        likely, hint = change.words, change.hint
    elif _is_inbound_call(left[0]):
        likely, hint = "no Driver ran for this boundary, or it was not awaited", DRIVE_IT
    count = "1 recorded event was" if len(left) == 1 else f"{len(left)} recorded events were"
    lines = [
        f"{shown_path(advice.path)}: {count} not used",
        "",
        *(f"  {line}" for line in _listed(left, advice.path)),
        "",
        f"likely: {likely}",
        f"hint: {hint}",
    ]
    return UnusedEventsError(
        "\n".join(lines),
        path=advice.path,
        events=tuple(map(describe, left)),
        likely=likely,
        hint=hint,
    )


def _listed(left: Sequence[Slot], path: Path) -> list[str]:
    rows = [
        f"{shown_path(path)}:{slot.line}  {describe(slot).what} (event {slot.number})"
        for slot in left[:_SHOWN]
    ]
    return rows + ([f"… and {len(left) - _SHOWN} more"] if len(left) > _SHOWN else [])


def _is_inbound_call(slot: Slot) -> bool:
    return isinstance(slot.event, Start) and slot.event.inbound and slot.event.on[:1] != "#"


def _likely(first: Slot, *, went_on: bool) -> str:
    name = first.start.of
    if isinstance(first.event, Item):
        return f"the stream of {name} is no longer read to its end"
    if not isinstance(first.event, Start):
        return f"{name} was called, but the program did not wait for it to finish"
    if went_on:
        return f"the program skipped {name} and moved on to a later call"
    return f"the program ended before {name}: it makes fewer calls, or stops early"
