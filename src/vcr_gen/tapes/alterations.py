"""Finds the values on a tape that a replay compares, and alters them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from vcr_gen.paths import FieldPath, Step, Wild, step_text
from vcr_gen.runtime.codec import MISSING
from vcr_gen.runtime.codec.field_paths import parse_json, replace
from vcr_gen.runtime.codec.mappings import ITEMS
from vcr_gen.runtime.codec.plain_kinds import TYPE, VALUE
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import JOB, End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.reading import read_events
from vcr_gen.runtime.values.objects import LIVE_WORDS

__all__ = ["Site", "altered", "find_sites", "sample"]

_ROOTS: Final = {"returned": "$result", "raised": "$raised", "sent": "$sent", "thrown": "$raised"}


@final
@dataclass(frozen=True, slots=True)
class Site:
    """A value that the program sends and a replay compares."""

    of: str
    """`Boundary.method`."""
    path: FieldPath
    """Its path in the call."""
    entry: int
    """The number of its entry in the file, from 0."""
    line: int
    part: str
    """The key of the entry that contains it: `args`, `returned`, `value`, …"""
    value: Plain

    @property
    def field(self) -> str:
        """The path with wildcards for items and entries: `lines[*].name`."""
        steps = (Wild.ANY if isinstance(step, int) else step for step in self.path.steps)
        return self.path.root + "".join(map(step_text, steps))


def find_sites(entries: Iterable[Entry], path: Path) -> Iterator[Site]:
    """All compared values of a tape, down to single values."""
    for event, start, number, line in read_events(entries, path):
        if start.of == JOB:
            continue
        for part, root, value in _compared(event, start):
            for steps, leaf in _leaves(value):
                place = FieldPath(root + "".join(map(step_text, steps)), root, steps)
                yield Site(start.of, place, number - 1, line, part, leaf)


def altered(site: Site, entry: Mapping[str, Plain]) -> dict[str, Plain]:
    """The entry with one value replaced by a different value of its kind."""
    whole = entry[site.part]
    if site.part == "args":
        assert isinstance(whole, dict)
        argument = replace(site.path, whole[site.path.root], another)
        return {**entry, site.part: {**whole, site.path.root: argument}}
    return {**entry, site.part: replace(site.path, whole, another)}


def another(value: Plain) -> Plain:
    """A different value of the same kind; a date stays a date, an id an id."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if value < 2**62 else value - 1
    if isinstance(value, str):
        return _another_text(value)
    if isinstance(value, list):
        return [None]
    return {"altered": None} if isinstance(value, dict) else "altered"


def sample(sites: Sequence[Site], limit: int) -> list[Site]:
    """At most `limit` sites, evenly distributed over the fields and the tape.

    The selection is deterministic.
    """
    fields: dict[tuple[str, str], list[Site]] = {}
    for site in sites:
        fields.setdefault((site.of, site.field), []).append(site)
    share = dict.fromkeys(fields, 0)
    left = min(limit, len(sites))
    while left:
        for key, found in fields.items():
            if left and share[key] < len(found):
                share[key] += 1
                left -= 1
    return [
        found[i * len(found) // share[key]]
        for key, found in fields.items()
        for i in range(share[key])
    ]


def _compared(event: Event, start: Start) -> Iterator[tuple[str, str, Plain]]:
    """The outbound values of an event: the key in the entry, the root of the path, the value."""
    match event:
        case Start(inbound=False, arguments=arguments):
            for name, value in arguments.items():
                yield "args", name, value
        case End(outcome="returned" | "raised" as outcome, value=value) if start.inbound:
            yield outcome, _ROOTS[outcome], value
        case Item(raised=True, value=value) if start.inbound:
            yield "raised", _ROOTS["raised"], value
        case Item(value=value) if start.inbound:
            yield "value", "$item", value
        case Signal(kind="sent" | "thrown" as kind, value=value) if not start.inbound:
            yield "value", _ROOTS[kind], value


def _leaves(plain: Plain) -> Iterator[tuple[tuple[Step, ...], Plain]]:
    """The single values inside a value, with their paths."""
    if isinstance(plain, str):
        inside = parse_json(plain)
        if inside is not MISSING and isinstance(inside, list | dict) and inside:
            yield from (((Wild.JSON, *steps), leaf) for steps, leaf in _leaves(inside))
            return
    for step, part in _parts(plain):
        yield from (((step, *steps), leaf) for steps, leaf in _leaves(part))
    if not isinstance(plain, list | dict) or not plain:
        yield (), plain


def _parts(plain: Plain) -> Iterator[tuple[Step, Plain]]:
    if isinstance(plain, list):
        yield from enumerate(plain)
    elif isinstance(plain, dict) and not LIVE_WORDS & set(
        plain
    ):  # the number is the name of a live object
        if TYPE in plain and VALUE in plain:
            yield from _parts(plain[VALUE])
        elif isinstance(pairs := plain.get(ITEMS), list):
            for pair in pairs:
                if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str | int):
                    yield pair[0], pair[1]
        else:
            yield from ((key, value) for key, value in plain.items() if key != TYPE)


def _another_text(text: str) -> str:
    for i in range(len(text) - 1, -1, -1):
        character = text[i]
        if character.isascii() and character.isalnum():
            return text[:i] + _next(character) + text[i + 1 :]
    return text + "x"


def _next(character: str) -> str:
    """A different character of its kind: a digit, a hexadecimal letter, any letter."""
    for kind in ("0123456789", "abcdef", "ABCDEF", "ghijklmnopqrstuvwxyz"):
        if character in kind:
            return kind[(kind.index(character) + 1) % len(kind)]
    return "G" if character == "Z" else chr(ord(character) + 1)
