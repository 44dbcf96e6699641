"""`vcr-gen cassette convert`: converts cassettes to another format, event by event."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import (
    Watch,
    find_cassettes,
    refuse_existing,
    write_cassette,
)
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import CassetteFormatError, UsageError
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.tape.reading import entries_of, open_regular

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "convert",
        help="convert a cassette to another format, without loss",
        description=(
            "Convert a cassette to the format of the target's suffix, without loss; convert all "
            "cassettes of a folder to the format given by --to."
        ),
    )
    add = parser.add_argument
    add("source", type=Path, help="a cassette, or a folder; with --salvage also a damaged one")
    add("target", type=Path, help="the output: .yaml or .jsonl; a folder for a folder")
    add("--to", choices=("yaml", "jsonl"), help="the format for all cassettes of a folder")
    add("--salvage", action="store_true", help="keep the complete events of a damaged file")
    add("--force", action="store_true", help="replace the target if it exists")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Convert the files; each target is written atomically."""
    terminal = Terminal.of(arguments)
    targets = _targets(arguments.source, arguments.target, arguments.to)
    for target in targets:
        refuse_existing(target, force=arguments.force)
    with terminal.progress("converting") as draw:
        watch = Watch(list(targets.values()), draw)
        counts = {
            target: _convert(source, target, watch, salvage=arguments.salvage)
            for target, source in targets.items()
        }
    files = [FileNote(str(path), "wrote", counted(n, "event")) for path, n in counts.items()]
    return print_outcome(Outcome(code=FINE, files=files), terminal)


def _targets(source: Path, target: Path, ending: str | None) -> dict[Path, Path]:
    """The files to write, each with its source."""
    if not source.is_dir():
        if ending is not None:
            raise UsageError(f"--to is for folders: the suffix of {target} sets its format")
        return {target: source}
    if ending is None:
        raise UsageError(f"{source} is a folder: pass --to yaml or --to jsonl")
    found: dict[Path, Path] = {}
    for path in find_cassettes([source], partial=False):
        made = target / path.relative_to(source).with_suffix(f".{ending}")
        if made in found:
            raise UsageError(f"{found[made]} and {path} would both become {made}")
        found[made] = path
    return found


def _convert(source: Path, target: Path, watch: Watch, *, salvage: bool) -> int:
    with open_regular(source) as stream:
        entries = watch.entries(entries_of(stream, source), stream.tell)
        header = next(entries)
        kept = _whole(entries) if salvage else entries
        return write_cassette(target, header.data, (e.data for e in kept if e.kind == "event"))


def _whole(entries: Iterator[Entry]) -> Iterator[Entry]:
    """The entries before the first unreadable place."""
    try:
        yield from entries
    except CassetteFormatError:
        return
