"""`vcr-gen cassette show`: prints a cassette or some of its events, as YAML or JSON."""

import argparse
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette.cassette_files import find_cassettes
from vcr_gen.cli.outcome import FINE
from vcr_gen.cli.terminal import (
    DOCUMENT_VERSION,
    Terminal,
    add_output_options,
    cut,
    duration,
    paged,
)
from vcr_gen.errors import UsageError
from vcr_gen.runtime.failures.format_values import show, show_arguments
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.entries import unfold
from vcr_gen.runtime.tape.event_table import kind_of
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.reading import Reading

__all__ = ["add_parser", "overview", "paint_yaml", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "show",
        help="print a cassette, or some of its events",
        description=(
            "Print a cassette as YAML, every event with its number and line; on a terminal in "
            "colour and page by page (PAGER)."
        ),
    )
    add = parser.add_argument
    add("path", type=Path, help="a cassette, or a folder")
    add("events", nargs="?", metavar="N[-M]", help="only these events, from 1")
    add("--overview", action="store_true", help="one line for each event")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the header and the events of each cassette, streamed."""
    path: Path = arguments.path
    if arguments.output_format == "json":
        with Reading(path, change=redacting()) as reading:
            _print_json(reading, _chosen(reading, arguments.events))
        return FINE
    if path.is_dir() and arguments.events is not None:
        raise UsageError(f"{path} is a folder: event numbers select events of a single cassette")
    terminal = Terminal()
    with paged():
        for each in find_cassettes([path], partial=False):
            if path.is_dir():
                terminal.data(terminal.paint(f"# {each}", "bold"))
            with Reading(each, change=redacting()) as reading:
                entries = _chosen(reading, arguments.events)
                if arguments.overview:
                    for line in overview(reading, entries, terminal):
                        terminal.data(line)
                else:
                    _print_yaml(reading, entries, with_header=arguments.events is None)
    return FINE


def _chosen(reading: Reading, events: str | None) -> Iterator[tuple[int, Entry]]:
    first, last = _range(events, reading.count)
    return islice(enumerate(reading, start=1), first - 1, last)


def _print_yaml(
    reading: Reading, entries: Iterable[tuple[int, Entry]], *, with_header: bool
) -> None:
    terminal = Terminal()
    yaml = format_for(Path("shown.yaml"))
    if with_header:
        terminal.data(paint_yaml(yaml.header(reading.header).decode(), terminal))
    for number, entry in entries:
        place = f"# event {number}, {reading.path}:{entry.line}"
        terminal.data(terminal.paint(place, "dim"))
        terminal.data(paint_yaml(yaml.event(entry.data).decode(), terminal))


def _print_json(reading: Reading, entries: Iterable[tuple[int, Entry]]) -> None:
    """Write one JSON document while the tape is read, so that a long tape fits in memory."""
    terminal = Terminal()
    head = {"version": DOCUMENT_VERSION, "path": str(reading.path), "header": reading.header}
    terminal.data(json.dumps(head, indent=2).removesuffix("\n}") + ',\n  "events": [')
    comma = ""
    for number, entry in entries:
        event = json.dumps({"number": number, "line": entry.line, "event": entry.data})
        sys.stdout.write(f"{comma}    {event}")
        comma = ",\n"
    terminal.data("\n  ]\n}")


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


_KEY: Final = re.compile(r"""(?P<indent> *(?:- )*)(?P<key>[\w$./@#~-]+|"[^"]*"):(?P<rest>$| .*)""")
_BLOCK: Final = re.compile(r"(?:^|: |- )[|>][-+0-9]*$")


def paint_yaml(text: str, terminal: Terminal) -> str:
    """The text with coloured keys, if the terminal supports colours."""
    if terminal.paint("", "cyan") == "":
        return text
    return "\n".join(_lines(text.split("\n"), terminal))


def _lines(lines: list[str], terminal: Terminal) -> Iterator[str]:
    block: int | None = None  # the indentation of the key of a literal block
    for line in lines:
        indent = len(line) - len(line.lstrip(" "))
        if block is not None and (indent > block or not line):
            yield line
            continue
        block = indent if _BLOCK.search(line) else None
        found = _KEY.fullmatch(line)
        if found is None:
            yield line
            continue
        color = "red" if found["key"] == "raised" else "cyan"
        yield f"{found['indent']}{terminal.paint(found['key'], color)}:{found['rest']}"


def overview(
    reading: Reading, entries: Iterable[tuple[int, Entry]], terminal: Terminal
) -> Iterator[str]:
    """One line per event: number, time, event, and the duration of a finished call.

    `→` is outbound, `←` is inbound, `·` is an item of a stream.
    """
    width = len(str(reading.count))
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    starts: dict[int, Start] = {}
    for number, entry in entries:
        events = list(unfold(entry.data, path=reading.path, line=entry.line))
        first = events[0]
        if isinstance(first, Start):
            starts[first.call] = first
        start = starts.get(first.call)
        depth = _depth(start, starts) + (not isinstance(first, Start))
        what = "  ".join(_words(event, start, alone=len(events) == 1) for event in events)
        failed = isinstance(events[-1], End) and events[-1].outcome != "returned"
        line = cut(f"{number:>{width}}  {first.at:>10.6f}  {'  ' * depth}{what}", room)
        yield terminal.paint(line, "red") if failed else line
        if isinstance(events[-1], End):
            starts.pop(first.call, None)


def _words(event: Event, start: Start | None, *, alone: bool) -> str:
    name = start.of if start is not None else f"call {event.call}"
    match event:
        case Start():
            arrow = "←" if event.inbound else "→"
            on = f"{event.on} " if event.on else ""
            call = f"{arrow} {on}{event.of}({show_arguments(event.arguments)})"
            return call if not alone else f"{call} …"
        case Item():
            return f"· {kind_of(event).shown}{show(event.value, 80)}"
        case Signal():
            value = "" if event.value is None else f" {show(event.value, 60)}"
            return f"{name} {kind_of(event).shown}{value}"
        case End():
            took = "" if start is None else f"  [{duration(max(0.0, event.at - start.at))}]"
            said = "" if event.outcome == "cancelled" else f" {_said(event)}"
            whose = f"{name} " if alone else ""
            return f"{whose}{event.outcome}{said}{took}"


def _said(end: End) -> str:
    """The answer of a call; an exception as Python prints it."""
    error = end.value
    if end.outcome == "raised" and isinstance(error, dict) and isinstance(error.get("args"), list):
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
