"""`vcr-gen cassette merge`: joins sessions, as if one program had run them in turn."""

import argparse
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Final, final

from vcr_gen.cassette_tools.recorded_calls import map_live_objects
from vcr_gen.cli.cassette.cassette_files import refuse_existing, write_cassette
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import UsageError
from vcr_gen.runtime.codec import same
from vcr_gen.runtime.codec.placeholders import unnumbered
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import ROOT_STRAND
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading, read_events

_JOINED: Final = frozenset({"initial_state", "boundaries", "rules"})
"""Keys of the header that are joined; values under the same name must agree."""
_CALL_NUMBERS: Final = frozenset({"call", "within", "after"}) | frozenset(
    {"item", "next", "sent", "thrown", "closed", "cancel", "left", "end"}
)
"""Keys of an entry that refer to a call."""
_TIMES: Final = ("at", "next_at", "closed_at", "ended_at", "clock")


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "merge",
        help="join sessions into one cassette",
        description=(
            "Join separately recorded sessions into one cassette, for a program that runs them one "
            "after another with the same wrappers. Refuses sessions whose anchors, state or "
            "signatures differ."
        ),
    )
    add = parser.add_argument
    add("sources", nargs="+", type=Path, metavar="CASSETTE", help="two or more, in order")
    add(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="where to write: .yaml or .jsonl",
    )
    add("--force", action="store_true", help="replace the output if it exists")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Merge the sessions; the output is written atomically."""
    terminal = Terminal.of(arguments)
    sources: list[Path] = arguments.sources
    if len(sources) < 2:
        raise UsageError("merge needs two cassettes or more")
    refuse_existing(arguments.output, force=arguments.force)
    with ExitStack() as stack:
        readings = [stack.enter_context(Reading(path)) for path in sources]
        headers = [(reading.path, reading.header) for reading in readings]
        header, conflicts = _merge_headers(headers)
        if conflicts:
            raise UsageError("\n".join(["these sessions cannot be merged:", *conflicts]))
        for reading in readings:  # check each session before any is written
            deque(read_events(reading, reading.path), maxlen=0)
        count = write_cassette(arguments.output, header, _events(readings))
    wrote = FileNote(str(arguments.output), "wrote", counted(count, "event"))
    return print_outcome(Outcome(code=FINE, files=[wrote]), terminal)


def _events(readings: list[Reading]) -> Iterator[Mapping[str, Plain]]:
    rebasing = _Rebasing()
    for reading in readings:
        rebasing.next_session()
        for entry in reading:
            yield rebasing.event(entry.data)


@final
class _Rebasing:
    """Renumbers the events of each session to follow the previous sessions."""

    def __init__(self) -> None:
        self._base: Counter[str] = Counter()
        """How much the numbers of this session are shifted, by what they count."""
        self._last: Counter[str] = Counter()
        """The largest numbers on the common tape."""
        self._base_time = self._last_time = 0.0

    def next_session(self) -> None:
        """Start the next tape, whose numbers and clock start again."""
        self._base = self._last.copy()
        self._base_time = self._last_time

    def event(self, entry: Mapping[str, Plain]) -> dict[str, Plain]:
        """An entry with its numbers on the common tape."""
        found: dict[str, Plain] = {}
        for key, value in entry.items():
            if key in _CALL_NUMBERS:
                found[key] = self._shifted("call", value)
            elif key == "strand":
                found[key] = self._strand(str(value))
            elif key == "begins":
                found[key] = self._label(str(value))
            elif key == "on":
                found[key] = self._on(str(value))
            elif key in _TIMES and isinstance(value, int | float):
                found[key] = round(value + self._base_time, 6)
            elif key == "items" and isinstance(value, list):
                found[key] = [self._item(item) for item in value if isinstance(item, dict)]
            else:
                found[key] = self._value(value)
        took = found.get("took", 0.0)
        for at in map(found.get, _TIMES):
            if isinstance(at, int | float) and isinstance(took, int | float):
                self._last_time = max(self._last_time, round(at + took, 6))
        return found

    def _item(self, item: Mapping[str, Plain]) -> dict[str, Plain]:
        """An item of a stream, whose other keys are its value."""
        moved = self.event({"at": item["at"]})
        return moved | {key: self._value(value) for key, value in item.items() if key != "at"}

    def _value(self, value: Plain) -> Plain:
        # Sessions number their secrets separately: equal placeholders may mean different ones.
        return unnumbered(map_live_objects(value, self._object))

    def _shifted(self, what: str, number: Plain) -> Plain:
        if not isinstance(number, int):
            return number
        moved = number + self._base[what]
        self._last[what] = max(self._last[what], moved)
        return moved

    def _strand(self, name: str) -> str:
        """The name of a strand, with the numbers of threads and calls shifted."""
        first, dot, rest = name.partition(".")
        if first.startswith("@") and first[1:].isdecimal():
            return f"@{int(first[1:]) + self._base['call']}{dot}{rest}"
        child, more, below = rest.partition(".")
        if first != ROOT_STRAND or not child.isdecimal():
            return name
        return f"{first}.{self._shifted('spawned', int(child))}{more}{below}"

    def _label(self, text: str) -> str:
        """The label of a thread; unnamed threads continue the numbering."""
        label, dash, number = text.partition("-")
        return (
            f"{label}{dash}{self._shifted('thread', int(number))}" if number.isdecimal() else text
        )

    def _on(self, name: str) -> str:
        if name.startswith("#") and name[1:].isdecimal():
            return f"#{self._object(int(name[1:]))}"
        return name

    def _object(self, number: Plain) -> Plain:
        """The number of a live object; attached wrappers have names, which sessions share."""
        return self._shifted("object", number)


def _merge_headers(
    headers: Sequence[tuple[Path, Mapping[str, Plain]]],
) -> tuple[dict[str, Plain], list[str]]:
    """The header of the common tape, and the reasons why the sessions cannot be joined.

    It has the age of the oldest session. `roots` of older versions are dropped.
    """
    (first_path, first), *others = headers
    merged = dict(first)
    conflicts: list[str] = []
    for path, data in others:
        Header.read(data, path)
        for key in dict.fromkeys([*merged, *data]):
            before, after = merged.get(key), data.get(key)
            if key in _JOINED:
                merged[key] = _joined(before, after, f"{path}: `{key}", conflicts)
            elif key == "recorded_at":
                merged[key] = min(str(before), str(after), key=datetime.fromisoformat)
            elif key == "max_age":
                ages = [age for age in (before, after) if isinstance(age, int | float)]
                merged[key] = min(ages)
            elif key != "roots" and not same(before, after):
                conflicts.append(f"{path}: `{key}` differs from {first_path}")
    for key in ("boundaries", "rules"):
        if isinstance(several := merged.get(key), dict):
            merged[key] = {name: several[name] for name in sorted(several)}
    merged.pop("roots", None)
    return merged, conflicts


def _joined(before: Plain, after: Plain, where: str, conflicts: list[str]) -> Plain:
    """Both values; mappings are joined, and other values must be equal."""
    if isinstance(before, dict) and isinstance(after, dict):
        return before | {
            key: _joined(before[key], item, f"{where}.{key}", conflicts) if key in before else item
            for key, item in after.items()
        }
    if before is not None and after is not None and not same(before, after):
        conflicts.append(f"{where}` differs")
    return before if after is None else after
