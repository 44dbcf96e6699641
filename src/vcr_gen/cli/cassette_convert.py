"""`vcr-gen cassette convert`: writes a cassette in another format, event by event."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from vcr_gen.cli.cassette_files import Watch
from vcr_gen.cli.cassette_writing import refuse_existing, write_cassette
from vcr_gen.cli.report import counted
from vcr_gen.cli.terminal import Terminal
from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.loading import open_regular, target_of

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "convert",
        help="write a cassette in another format, without loss",
        description="Write a cassette in the format that the new name chooses, without loss.",
    )
    add = parser.add_argument
    add("source", type=Path, help="a cassette; with --salvage also a partial or damaged one")
    add("target", type=Path, help="where to write it: .yaml or .jsonl")
    add("--salvage", action="store_true", help="keep the whole events of a damaged file")
    add("--force", action="store_true", help="replace the target if it exists")
    add("-q", "--quiet", action="store_true", help="say nothing")


def run(arguments: argparse.Namespace) -> int:
    """Convert; the target appears at once and whole, or not at all."""
    terminal = Terminal(quiet=arguments.quiet)
    source, target = arguments.source, arguments.target
    refuse_existing(target, force=arguments.force)
    count = _convert(source, target, terminal, salvage=arguments.salvage)
    terminal.note(f"wrote {target}: {counted(count, 'event')}")
    return 0


def _convert(source: Path, target: Path, terminal: Terminal, *, salvage: bool) -> int:
    with open_regular(source) as stream, terminal.progress("converting", percent=True) as draw:
        watch = Watch([source], draw)
        entries = watch.entries(format_for(target_of(source)).read(stream, source), stream.tell)
        header = next(entries)
        kept = _whole(entries) if salvage else entries
        return write_cassette(target, header.data, (e.data for e in kept if e.kind == "event"))


def _whole(entries: Iterator[Entry]) -> Iterator[Entry]:
    """The entries up to the first place that cannot be read."""
    try:
        yield from entries
    except CassetteFormatError:
        return
