"""The texts of the errors that end a replay: a divergence, and events that were not used."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from vcr_gen.errors import Divergence, UnusedEventsError, VerificationError
from vcr_gen.runtime.failures.advice import Advice
from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.failures.format_values import show_difference, without_consequences
from vcr_gen.runtime.failures.headlines import DRIVE_IT, Reporter
from vcr_gen.runtime.failures.wording import describe, title_of
from vcr_gen.runtime.tape.events import Item, Start
from vcr_gen.runtime.tape.object_origins import LEAVE_BLOCK
from vcr_gen.runtime.tape.window import Slot, Window

_DIFFERENCES = 12
"""How many differences the message shows; the exception has all of them."""
_EVENTS = 10
"""How many unused events the message lists."""


def message_of(divergence: Divergence) -> str:
    """The whole message, headline first."""
    return "\n".join(_lines(divergence))


def summary_of(divergence: Divergence) -> str:
    """The place, the headline and the fields of a divergence that is one of several."""
    texts = _differences(divergence)
    if divergence.due is None and divergence.actual:
        texts = [*texts, f"+ {divergence.actual}"]
    rows = (f"  {row}" for text in texts for row in text.split("\n"))
    return "\n".join([f"{shown_path(divergence.place)}: {divergence.headline}", *rows])


def verification_error(advice: Advice, headline: str, texts: Sequence[str]) -> VerificationError:
    """The error for all differences of one run."""
    hint = advice.record("if the new behaviour is correct, record again")
    count = "1 difference" if len(texts) == 1 else f"{len(texts)} differences"
    lines = "\n".join(f"  {line}" for text in texts for line in text.split("\n"))
    return VerificationError(
        f"{shown_path(advice.path)}: {headline}: {count} (- recorded, + now)\n\n{lines}\n\n"
        f"hint: {hint}",
        path=advice.path,
        differences=texts,
        hint=hint,
    )


def _lines(divergence: Divergence) -> Iterator[str]:
    yield divergence.headline
    yield from _section("differences (- recorded, + actual)", _differences(divergence))
    yield ""
    if divergence.boundary:
        yield f"  boundary   {divergence.boundary}.{divergence.method}"
    due = divergence.due
    number = f" (event {due.number})" if due is not None else ""
    yield f"  cassette   {shown_path(divergence.place)}{number}"
    if divergence.call_site:
        yield f"  called at  {divergence.call_site}"
    if divergence.actual:
        yield f"  recorded   {due.what if due is not None else 'nothing: the tape ends here'}"
        yield f"  actual     {divergence.actual}"
    yield from _section("nearest recorded calls", map(str, divergence.nearest))
    yield from _section("last events done", map(str, divergence.done))
    if not divergence.actual:
        yield from _section("next expected event", (str(due or "none: the tape ends here"),))
    yield from _section("waiting", divergence.waiting)
    yield ""
    if divergence.likely:
        yield f"likely: {divergence.likely}"
    yield f"hint: {divergence.hint}"


def _differences(divergence: Divergence) -> Sequence[str]:
    differences = without_consequences(divergence.shown)
    rows = [show_difference(found) for found in differences[:_DIFFERENCES]]
    more = len(differences) - _DIFFERENCES
    return [*rows, *([f"… and {more} more"] if more > 0 else []), *divergence.anchors]


def _section(title: str, rows: Iterable[str]) -> Iterator[str]:
    lines = [line for row in rows for line in row.split("\n")]
    if lines:
        yield ""
        yield f"  {title}:"
        yield from (f"    {line}" for line in lines)


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
        for slot in left[:_EVENTS]
    ]
    return rows + ([f"… and {len(left) - _EVENTS} more"] if len(left) > _EVENTS else [])


def _is_inbound_call(slot: Slot) -> bool:
    return isinstance(slot.event, Start) and slot.event.inbound and slot.event.on[:1] != "#"


def _likely(first: Slot, *, went_on: bool) -> str:
    name = title_of(first.start, first.signature, first.origins)
    if isinstance(first.event, Item):
        return f"the stream of {name} is no longer read to its end"
    if not isinstance(first.event, Start):
        return f"{name} was called, but the program did not wait for it to finish"
    if first.start.of == LEAVE_BLOCK:
        return f"the program never left {name.removeprefix('the end of ')}"
    if went_on:
        return f"the program skipped {name} and moved on to a later call"
    return f"the program ended before {name}: it makes fewer calls, or stops early"
