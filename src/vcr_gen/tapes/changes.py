"""Compares values and calls of two tapes, and tells which changes are breaking."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from vcr_gen.runtime.codec import MISSING, Difference, Missing, differences, same
from vcr_gen.runtime.codec.placeholders import PLACEHOLDER
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Item, Signal
from vcr_gen.runtime.values.objects import LIVE_WORDS, live_numbers
from vcr_gen.tapes.recorded_calls import RecordedCall

__all__ = ["Change", "Kind", "LiveNumbers", "call_changes", "value_changes"]

Kind: TypeAlias = Literal["value", "type", "vanished", "added", "outcome"]

_TYPE: Final = ".$type"
_HIDDEN: Final = "<redacted:"
_LIST_ITEM: Final = re.compile(r"\[\d+\]\Z")


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between an earlier and a later recording."""

    path: str
    """The path, such as `args.step.name` or `returned[2].price`."""
    kind: Kind
    breaking: bool
    """Whether a caller may fail because of it; an addition never breaks."""
    before: Plain | Missing
    after: Plain | Missing

    @property
    def words(self) -> str:
        """What happened, in words."""
        match self.kind:
            case "type" if self.path.endswith(_TYPE):
                return f"{self.before} became {self.after}"
            case "type":
                return f"{_type_name(self.before)} became {_type_name(self.after)}"
            case "outcome":
                return f"{self.before} became {self.after}"
            case "vanished" | "added":
                return self.kind
            case "value":
                return "value differs"


class LiveNumbers:
    """Pairs the live objects and secrets of two tapes, which number their own."""

    def __init__(self) -> None:
        self._after: dict[object, object] = {}
        self._before: dict[object, object] = {}

    def agree(self, before: object, after: object) -> bool:
        """Whether two numbers can mean the same object; if so, remember the pair."""
        if self._after.get(before, after) != after or self._before.get(after, before) != before:
            return False
        self._after[before], self._before[after] = after, before
        return True

    def note_same(self, value: Plain) -> None:
        """Remember that all numbered objects in two equal values are the same."""
        text = repr(value)
        if _HIDDEN in text:
            for found in PLACEHOLDER.finditer(text):
                self.agree(found[0], found[0])
        for number in live_numbers(value):
            self.agree(number, number)

    def same_text(self, before: object, after: object) -> bool:
        """Whether two texts differ only in the numbers of their placeholders."""
        if not isinstance(before, str) or not isinstance(after, str) or _HIDDEN not in before:
            return False
        if PLACEHOLDER.split(before)[::5] != PLACEHOLDER.split(after)[::5]:
            return False
        pairs = zip(PLACEHOLDER.finditer(before), PLACEHOLDER.finditer(after), strict=True)
        return all(old[1] == new[1] and self.agree(old[0], new[0]) for old, new in pairs)


def call_changes(before: RecordedCall, after: RecordedCall, live: LiveNumbers) -> list[Change]:
    """The differences between a call and its counterpart on another tape."""
    found: list[Change] = []
    if not _same_object(before.start.on, after.start.on, live):
        found.append(Change("on", "value", False, before.start.on, after.start.on))
    for name in dict.fromkeys([*before.start.arguments, *after.start.arguments]):
        found += value_changes(
            f"args.{name}",
            before.start.arguments.get(name, MISSING),
            after.start.arguments.get(name, MISSING),
            live,
        )
    found += _stream_changes(before, after, live)
    if before.status != after.status:
        broke = before.status == "returned"
        found.append(Change("outcome", "outcome", broke, before.status, after.status))
    elif before.end is not None and after.end is not None:
        found += value_changes(before.status, before.end.value, after.end.value, live)
    return found


def value_changes(
    place: str, before: Plain | Missing, after: Plain | Missing, live: LiveNumbers
) -> Iterator[Change]:
    """All differing fields of a value."""
    if before is MISSING or after is MISSING:
        if before is not after:
            yield _change(place, Difference(place, before, after, ""))
    elif same(before, after):
        live.note_same(before)
    else:
        _note_same_parts(before, after, live)
        for found in differences(before, after):
            word = found.path.rpartition(".")[2]
            if word in LIVE_WORDS and live.agree(found.recorded, found.actual):
                continue
            if live.same_text(found.recorded, found.actual):
                continue
            yield _change(place + found.path.removeprefix("$"), found)


def _note_same_parts(before: Plain, after: Plain, live: LiveNumbers) -> None:
    """Pair the numbered objects in the equal parts of two different values."""
    if isinstance(before, list) and isinstance(after, list):
        for left, right in zip(before, after, strict=False):
            _note_same_parts(left, right, live)
    elif isinstance(before, dict) and isinstance(after, dict):
        if same(before, after):
            live.note_same(before)
            return
        for key in before.keys() & after.keys():
            _note_same_parts(before[key], after[key], live)


def _change(path: str, found: Difference) -> Change:
    before, after = found.recorded, found.actual
    if after is MISSING:  # callers rely on fields by name, not on the length of a list
        return Change(path, "vanished", not _LIST_ITEM.search(path), before, after)
    if before is MISSING:
        return Change(path, "added", False, before, after)
    if type(before) is not type(after):
        return Change(path, "type", before is not None, before, after)
    if path.endswith(_TYPE):
        return Change(path, "type", True, before, after)
    return Change(path, "value", False, before, after)


def _stream_changes(
    before: RecordedCall, after: RecordedCall, live: LiveNumbers
) -> Iterator[Change]:
    for word, kind in (("items", Item), ("signals", Signal)):
        left = [_stored(event) for event in before.between if isinstance(event, kind)]
        right = [_stored(event) for event in after.between if isinstance(event, kind)]
        for number in range(max(len(left), len(right))):
            yield from value_changes(
                f"{word}[{number}]",
                left[number] if number < len(left) else MISSING,
                right[number] if number < len(right) else MISSING,
                live,
            )


def _stored(event: Item | Signal) -> Plain:
    if isinstance(event, Item):
        return {"raised": event.value} if event.raised else event.value
    return {event.kind: event.value}


def _same_object(before: str, after: str, live: LiveNumbers) -> bool:
    if before.startswith("#") and after.startswith("#"):
        return live.agree(_number(before), _number(after))
    return before == after


def _number(on: str) -> object:
    return int(on[1:]) if on[1:].isdecimal() else on


def _type_name(value: Plain | Missing) -> str:
    names = {dict: "a mapping", list: "a list", bool: "a truth", type(None): "null", str: "text"}
    return names.get(type(value), type(value).__name__)
