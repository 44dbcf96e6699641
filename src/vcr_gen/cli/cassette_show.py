"""`vcr-gen cassette show`: prints a cassette, or some of its events, as YAML."""

import argparse
from itertools import islice
from pathlib import Path

from vcr_gen.cli.terminal import Terminal
from vcr_gen.errors import UsageError
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.loading import Reading

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "show",
        help="print a cassette, or some of its events, as YAML",
        description="Print a cassette as YAML, every event with its number and line.",
    )
    parser.add_argument("path", type=Path, help="a cassette")
    parser.add_argument("events", nargs="?", metavar="N[-M]", help="only these events, from 1")


def run(arguments: argparse.Namespace) -> int:
    """Print header and events, streamed."""
    terminal = Terminal()
    yaml = format_for(Path("shown.yaml"))
    with Reading(arguments.path) as reading:
        first, last = _range(arguments.events, reading.count)
        if arguments.events is None:
            terminal.data(yaml.header(reading.header).decode())
        for number, entry in enumerate(islice(reading, first - 1, last), first):
            terminal.data(f"# event {number}, {reading.path}:{entry.line}")
            terminal.data(yaml.event(entry.data).decode())
    return 0


def _range(text: str | None, count: int) -> tuple[int, int]:
    if text is None:
        return 1, count
    first, dash, last = text.partition("-")
    try:
        numbers = int(first), int(last if dash else first)
    except ValueError:
        raise UsageError(f"{text!r} is not a number of an event nor a range such as 3-5") from None
    if not 1 <= numbers[0] <= numbers[1] <= count:
        raise UsageError(f"there are no events {text}: the cassette holds {count}")
    return numbers
