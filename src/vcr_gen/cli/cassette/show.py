"""`vcr-gen cassette show`: prints a cassette or some of its events, as YAML or JSON."""

import argparse
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from vcr_gen.cli.outcome import FINE, Outcome, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options, duration
from vcr_gen.errors import UsageError
from vcr_gen.runtime.failures.format_values import cut, item_type, show
from vcr_gen.runtime.failures.signature_drift import declared_types
from vcr_gen.runtime.failures.wording import title_of, words_of
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start, kind_of
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.object_origins import Origins
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.unfolding import unfold


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "show",
        help="print a cassette, or some of its events",
        description="Print a cassette as YAML, every event with its number and line.",
    )
    add = parser.add_argument
    add("path", type=Path, help="a cassette")
    add("events", nargs="?", metavar="N[-M]", help="only these events, from 1")
    add("--overview", action="store_true", help="one line for each event")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the header and the events."""
    terminal = Terminal.of(arguments)
    with Reading(arguments.path, change=redacting()) as reading:
        first, last = _range(arguments.events, reading.count)
        entries = islice(enumerate(reading, start=1), first - 1, last)
        if terminal.output_format == "json":
            shown = Outcome(code=FINE, document=_document(reading, entries))
            return print_outcome(shown, terminal)
        if arguments.overview:
            for line in _overview(reading, entries, terminal):
                terminal.data(line)
        else:
            for text in _as_yaml(reading, entries, with_header=arguments.events is None):
                terminal.data(text)
    return FINE


def _as_yaml(
    reading: Reading, entries: Iterable[tuple[int, Entry]], *, with_header: bool
) -> Iterator[str]:
    yaml = format_for(Path("shown.yaml"))
    if with_header:
        yield yaml.header(reading.header).decode()
    for number, entry in entries:
        yield f"# event {number}, {reading.path}:{entry.line}"
        yield yaml.event(entry.data).decode()


def _document(reading: Reading, entries: Iterable[tuple[int, Entry]]) -> dict[str, object]:
    return {
        "path": str(reading.path),
        "header": reading.header,
        "events": [
            {"number": number, "line": entry.line, "event": entry.data} for number, entry in entries
        ],
    }


def _range(text: str | None, count: int) -> tuple[int, int]:
    if text is None:
        return 1, count
    first, dash, last = text.partition("-")
    try:
        numbers = int(first), int(last if dash else first)
    except ValueError:
        raise UsageError(f"{text!r} is neither an event number nor a range such as 3-5") from None
    if not 1 <= numbers[0] <= numbers[1] <= count:
        raise UsageError(f"no such events: {text}; the cassette has {count}")
    return numbers


def _overview(
    reading: Reading, entries: Iterable[tuple[int, Entry]], terminal: Terminal
) -> Iterator[str]:
    """One line per event: number, time, event, and the duration of a finished call.

    `→` is outbound, `←` is inbound, `·` is an item of a stream.
    """
    width = len(str(reading.count))
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    signatures = Header.read(reading.header, reading.path).signatures
    origins = Origins()
    starts: dict[int, Start] = {}
    for number, entry in entries:
        events = list(unfold(entry.data, path=reading.path, line=entry.line))
        first = events[0]
        if isinstance(first, Start):
            starts[first.call] = first
        start = starts.get(first.call)
        depth = _depth(start, starts) + (not isinstance(first, Start))
        words: list[str] = []
        for event in events:
            if start is not None:
                origins.note(event, start, signatures.get(start.of, ""))
            words.append(_words(event, start, signatures, origins, alone=len(events) == 1))
        what = "  ".join(words)
        failed = isinstance(events[-1], End) and events[-1].outcome != "returned"
        line = f"{number:>{width}}  {first.at:>10.6f}  {'  ' * depth}{what}"
        line = line if room is None else cut(line, room)
        yield terminal.paint(line, "red") if failed else line
        if isinstance(events[-1], End):
            starts.pop(first.call, None)


def _words(
    event: Event,
    start: Start | None,
    signatures: Mapping[str, str],
    origins: Origins,
    *,
    alone: bool,
) -> str:
    signature = "" if start is None else signatures.get(start.of, "")
    types = declared_types(signature)
    name = f"call {event.call}"
    if start is not None:
        name = title_of(start, signature, origins)
    match event:
        case Start():
            arrow = "←" if event.inbound else "→"
            call = f"{arrow} {words_of(event, event, signature, origins=origins)}"
            return call if not alone else f"{call} …"
        case Item():
            value = show(event.value, 80, item_type(types.get("return", "")))
            return f"· {kind_of(event).shown}{value}"
        case Signal():
            value = "" if event.value is None else f" {show(event.value, 60)}"
            return f"{name if alone else ''} {kind_of(event).shown}{value}".lstrip()
        case End():
            took = "" if start is None else f"  [{duration(event.seconds_since(start))}]"
            said = "" if event.outcome == "cancelled" else f" {_said(event)}"
            whose = f"{name} " if alone else ""
            return f"{whose}{event.outcome}{said}{took}"


def _said(end: End) -> str:
    """The answer of a call; an exception as Python prints it."""
    error = end.value
    if end.outcome == "raised" and isinstance(error, dict) and error.get("args"):
        arguments = show(error["args"], 80)
        return f"{error.get('$type')}({cut(arguments[1:-1], 78)})"
    return show(error, 80)


def _depth(start: Start | None, starts: dict[int, Start]) -> int:
    """How many unfinished calls enclose a call."""
    depth = 0
    while start is not None and start.within is not None and start.within < start.call:
        start = starts.get(start.within)
        depth += 1
    return depth
