"""`vcr-gen cassette convert`: converts a cassette to another format, event by event."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import refuse_existing, write_cassette
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.tape.reading import entries_of, open_regular

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "convert",
        help="convert a cassette to another format, without loss",
        description="Convert a cassette to the format of the target's suffix, without loss.",
    )
    add = parser.add_argument
    add("source", type=Path, help="a cassette; with --salvage also a damaged one")
    add("target", type=Path, help="the output: .yaml or .jsonl")
    add("--salvage", action="store_true", help="keep the complete events of a damaged file")
    add("--force", action="store_true", help="replace the target if it exists")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert the file; the target is written atomically."""
    source, target = arguments.source, arguments.target
    refuse_existing(target, force=arguments.force)
    with open_regular(source) as stream:
        entries = entries_of(stream, source)
        header = next(entries)
        kept = _whole(entries) if arguments.salvage else entries
        events = (entry.data for entry in kept if entry.kind == "event")
        count = write_cassette(target, header.data, events)
    wrote = FileNote(str(target), "wrote", counted(count, "event"))
    return print_outcome(Outcome(code=FINE, files=[wrote]), Terminal.of(arguments))


def _whole(entries: Iterator[Entry]) -> Iterator[Entry]:
    """The entries before the first unreadable place."""
    try:
        yield from entries
    except CassetteFormatError:
        return
