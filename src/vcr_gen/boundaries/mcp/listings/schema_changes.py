"""The effect of a schema change on senders and on receivers of values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from vcr_gen.boundaries.mcp.listings.schema_comparison import find_refused
from vcr_gen.boundaries.mcp.listings.schema_findings import Finding, Level, words_of
from vcr_gen.boundaries.mcp.listings.schema_forms import NOTES, Schema, text_of
from vcr_gen.runtime.codec import MISSING

_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions")
"""Keywords that hold schemas by name: a name there is no keyword."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A change of a field, and how bad it is."""

    field: str
    """The place, such as `inputSchema.properties.limit`."""
    keyword: str
    level: Level
    message: str
    before: Any = MISSING
    after: Any = MISSING


def compare_inputs(before: Schema, after: Schema, path: str) -> list[FieldChange]:
    """The changes of what clients may send: it breaks them if less is accepted."""
    narrower = [_change(each) for each in find_refused(before, after, path)]
    wider = [_change(each, swapped=True) for each in find_refused(after, before, path)]
    return [*_joined(map(_removed_input, narrower), wider), *_input_notes(before, after, path)]


def compare_outputs(before: Schema, after: Schema, path: str) -> list[FieldChange]:
    """The changes of what clients may get: it breaks them if they get what they never got."""
    wider = [_change(each, swapped=True) for each in find_refused(after, before, path)]
    narrower = [_change(each) for each in find_refused(before, after, path)]
    return [*_joined(map(_added_output, wider), narrower), *_notes(before, after, path)]


def _change(finding: Finding, *, swapped: bool = False) -> FieldChange:
    """A finding as a change from before to after, if what is sent was before; or swapped."""
    before, after = finding.sent, finding.received
    if swapped:
        before, after = after, before
    words = words_of(finding.keyword, before, after, finding.reason)
    return FieldChange(finding.path, finding.keyword, finding.level, words, before, after)


def _removed_input(change: FieldChange) -> FieldChange:
    if change.keyword == "property" and change.level == "review":
        return replace(change, message="removed: it is not refused, but may be ignored")
    return change


def _added_output(change: FieldChange) -> FieldChange:
    """A client ignores what it does not know, unless its schema forbids it."""
    if change.keyword == "property" and change.before is MISSING:
        level: Level = "compatible" if change.level == "review" else change.level
        return replace(change, message="added", level=level)
    return change


def _joined(
    harmful: Iterator[FieldChange], harmless: Sequence[FieldChange]
) -> Iterator[FieldChange]:
    """All changes once: those of the harmless direction, if the other one does not have them."""
    known = set()
    for change in harmful:
        known |= {(change.field, change.keyword)}
        known |= {(change.field, "required")} if change.keyword == "property" else set()
        yield change
    for change in harmless:
        if change.keyword != "property" and (change.field, change.keyword) not in known:
            yield replace(change, level="compatible")


def _input_notes(before: Schema, after: Schema, path: str) -> Iterator[FieldChange]:
    for change in _notes(before, after, path):
        is_default = change.keyword == "default"
        yield replace(change, level="review") if is_default else change


def _notes(before: Schema, after: Schema, path: str) -> Iterator[FieldChange]:
    """The annotations that differ between parts at the same place."""
    if isinstance(before, list) and isinstance(after, list):
        for number, (left, right) in enumerate(zip(before, after, strict=False)):
            yield from _notes(left, right, f"{path}[{number}]")
    if not isinstance(before, Mapping) or not isinstance(after, Mapping):
        return
    for name in sorted({*before, *after}):
        left, right = before.get(name, MISSING), after.get(name, MISSING)
        place = f"{path}.{name}"
        if name in NOTES:
            if left is MISSING or right is MISSING or text_of(left) != text_of(right):
                words = words_of("", left, right)
                yield FieldChange(place, name, "note", words, left, right)
        elif name in _NAMED and isinstance(left, Mapping) and isinstance(right, Mapping):
            for key in left:
                if key in right:
                    yield from _notes(left[key], right[key], f"{place}.{key}")
        elif name not in ("enum", "const", "required", "type"):
            yield from _notes(left, right, place)
