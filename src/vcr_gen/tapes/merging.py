"""Joins sessions on one tape, as if one program had run them in turn."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, final

from vcr_gen.runtime.codec import same
from vcr_gen.runtime.codec.placeholders import REDACTED, placeholders_in
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import ROOT_STRAND
from vcr_gen.runtime.tape.header import Header
from vcr_gen.tapes.live_names import map_live_objects

__all__ = ["Rebasing", "header_conflicts", "merge_headers"]

_MERGED: Final = frozenset(
    {"vcr-gen", "recorded_at", "max_age", "initial_state", "roots", "boundaries", "rules"}
)
"""Keys of the header that may differ."""
_CALL_NUMBERS: Final = frozenset({"call", "within", "after"}) | frozenset(
    {"item", "next", "sent", "thrown", "closed", "cancel", "left", "end"}
)
"""Keys of an entry that refer to a call."""


@final
class Rebasing:
    """Renumbers the events of each session to follow the previous sessions."""

    def __init__(self) -> None:
        self._call = self._next_call = 0
        self._at = self._next_at = 0.0
        self._live = self._next_live = 0
        self._spawned = self._next_spawned = 0
        self._thread = self._next_thread = 0
        self._secrets: set[str] = set()
        self._next_secrets: set[str] = set()

    def next_session(self) -> None:
        """Start the next tape, whose numbers and clock start again."""
        self._call, self._live = self._next_call, self._next_live
        self._at, self._spawned = self._next_at, self._next_spawned
        self._thread = self._next_thread
        self._secrets |= self._next_secrets

    def event(self, entry: Mapping[str, Plain]) -> dict[str, Plain]:
        """An entry with its numbers on the common tape."""
        found: dict[str, Plain] = {}
        for key, value in entry.items():
            if key in _CALL_NUMBERS:
                found[key] = self._call_number(value)
            elif key == "strand":
                found[key] = self._strand(str(value))
            elif key == "begins":
                found[key] = self._label(str(value))
            elif key == "on":
                found[key] = self._on(str(value))
            elif key == "at":
                found[key] = self._time(value)
            else:
                found[key] = self._hidden(map_live_objects(value, self._object))
        self._note_end(found)
        return found

    def _call_number(self, value: Plain) -> Plain:
        if not isinstance(value, int):
            return value
        self._next_call = max(self._next_call, value + self._call)
        return value + self._call

    def _strand(self, name: str) -> str:
        """The name of a strand, with the numbers of threads and calls shifted."""
        first, dot, rest = name.partition(".")
        if first.startswith("@") and first[1:].isdecimal():
            return f"@{int(first[1:]) + self._call}{dot}{rest}"
        child, more, below = rest.partition(".")
        if first != ROOT_STRAND or not child.isdecimal():
            return name
        number = int(child) + self._spawned
        self._next_spawned = max(self._next_spawned, number)
        return f"{first}.{number}{more}{below}"

    def _label(self, text: str) -> str:
        """The label of a thread; unnamed threads continue the numbering."""
        label, dash, number = text.partition("-")
        if not number.isdecimal():
            return text
        self._next_thread = max(self._next_thread, int(number) + self._thread)
        return f"{label}{dash}{int(number) + self._thread}"

    def _on(self, name: str) -> str:
        if name.startswith("#") and name[1:].isdecimal():
            return f"#{self._object(int(name[1:]))}"
        return name

    def _object(self, number: Plain) -> Plain:
        if not isinstance(number, int):  # an attached wrapper, which both sessions share
            return number
        self._next_live = max(self._next_live, number + self._live)
        return number + self._live

    def _hidden(self, value: Plain) -> Plain:
        """The value with fresh placeholders for secrets.

        Sessions number their secrets separately, so equal placeholders may mean different secrets.
        """
        found = placeholders_in(value)
        self._next_secrets |= found
        for placeholder in found & self._secrets:
            value = _replaced(value, placeholder, REDACTED)
        return value

    def _time(self, at: Plain) -> Plain:
        if not isinstance(at, int | float):
            return at
        moved = round(at + self._at, 6)
        self._next_at = max(self._next_at, moved)
        return moved

    def _note_end(self, entry: Mapping[str, Plain]) -> None:
        at, took = entry.get("at", 0.0), entry.get("took", 0.0)
        if isinstance(at, int | float) and isinstance(took, int | float):
            self._next_at = max(self._next_at, round(at + took, 6))


def _replaced(value: Plain, old: str, new: str) -> Plain:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    if isinstance(value, dict):
        return {key.replace(old, new): _replaced(item, old, new) for key, item in value.items()}
    return value


def header_conflicts(
    headers: Sequence[tuple[Path, Mapping[str, Plain]]],
) -> list[str]:
    """Why the sessions cannot be joined."""
    (first_path, first), *others = headers
    found: list[str] = []
    state = dict(Header.read(first, first_path).initial_state)
    signatures = dict(Header.read(first, first_path).signatures)
    rules = dict(_rules(Header.read(first, first_path)))
    for path, data in others:
        header = Header.read(data, path)
        found += [
            f"{path}: `{key}` differs from {first_path}"
            for key in dict.fromkeys([*first, *data])
            if key not in _MERGED and not same(first.get(key), data.get(key))
        ]
        for key, value in header.initial_state.items():
            if key in state and not same(state[key], value):
                found.append(f"{path}: `{key}` of `initial_state` differs")
            state[key] = value
        for name, signature in header.signatures.items():
            if signatures.setdefault(name, signature) != signature:
                found.append(f"{path}: {name} was recorded with a different signature: {signature}")
        for (of, place), how in _rules(header):
            if rules.setdefault((of, place), how) != how:
                found.append(f"{path}: `rules` differ for {place} of {of}: {how}")
        found += [f"{path}: {words}" for words in _turned(first, data)]
    return found


def merge_headers(headers: Sequence[tuple[Path, Mapping[str, Plain]]]) -> dict[str, Plain]:
    """The header of the common tape, with the age of its oldest session and all boundaries."""
    merged: dict[str, Plain] = {}
    boundaries: dict[str, Plain] = {}
    state: dict[str, Plain] = {}
    rules: dict[str, dict[str, Plain]] = {}
    ages = []
    dates = []
    for path, data in headers:
        header = Header.read(data, path)
        merged |= data
        dates.append(header.recorded_at)
        ages += [header.max_age.total_seconds()] if header.max_age is not None else []
        state |= header.initial_state
        for (of, place), how in _rules(header):
            rules.setdefault(of, {})[place] = how
        named = data.get("boundaries")
        for name, about in named.items() if isinstance(named, dict) else ():
            boundaries[name] = _both(boundaries.get(name), about)
    merged["recorded_at"] = min(dates, default=datetime.now(UTC)).isoformat(timespec="seconds")
    if ages:
        merged["max_age"] = min(ages)
    if state:
        merged["initial_state"] = state
    merged.pop("roots", None)
    if boundaries:
        merged["boundaries"] = {name: boundaries[name] for name in sorted(boundaries)}
    if rules:
        merged["rules"] = {of: rules[of] for of in sorted(rules)}
    return merged


def _rules(header: Header) -> Iterator[tuple[tuple[str, str], str]]:
    for of, paths in header.rules.items():
        for place, how in paths.items():
            yield (of, place), how


def _turned(first: Mapping[str, Plain], other: Mapping[str, Plain]) -> list[str]:
    """Boundaries whose direction differs."""
    here, there = first.get("boundaries"), other.get("boundaries")
    if not isinstance(here, dict) or not isinstance(there, dict):
        return []
    return [
        f"boundary `{name}` has the opposite direction"
        for name in here
        if name in there and _direction(here[name]) != _direction(there[name])
    ]


def _direction(about: Plain) -> Plain:
    return about.get("direction") if isinstance(about, dict) else None


def _both(known: Plain, about: Plain) -> Plain:
    if not isinstance(known, dict) or not isinstance(about, dict):
        return about
    before, after = known["methods"], about["methods"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    return {**about, "methods": {**before, **after}}
