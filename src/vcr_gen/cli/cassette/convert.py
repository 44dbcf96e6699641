"""`vcr-gen cassette convert`: writes a cassette in another format, event by event."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import (
    Watch,
    find_cassettes,
    refuse_existing,
    write_cassette,
)
from vcr_gen.cli.outcome import counted
from vcr_gen.cli.terminal import Terminal
from vcr_gen.errors import CassetteFormatError, UsageError
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.tape.reading import entries_of, open_regular

__all__ = ["add_parser", "run"]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "convert",
        help="write a cassette in another format, without loss",
        description=(
            "Write a cassette in the format that the new name chooses, without loss; of a folder, "
            "all cassettes in the format that --to says."
        ),
    )
    add = parser.add_argument
    add("source", type=Path, help="a cassette, or a folder; with --salvage also a damaged one")
    add("target", type=Path, help="where to write it: .yaml or .jsonl; for a folder, a folder")
    add("--to", choices=("yaml", "jsonl"), help="the format for all cassettes of a folder")
    add("--salvage", action="store_true", help="keep the whole events of a damaged file")
    add("--force", action="store_true", help="replace the target if it exists")
    add("-q", "--quiet", action="store_true", help="say nothing")


def run(arguments: argparse.Namespace) -> int:
    """Convert; each target appears at once and whole, or not at all."""
    terminal = Terminal(quiet=arguments.quiet)
    targets = _targets(arguments.source, arguments.target, arguments.to)
    for target in targets:
        refuse_existing(target, force=arguments.force)
    with terminal.progress("converting", percent=True) as draw:
        watch = Watch(list(targets.values()), draw)
        counts = {
            target: _convert(source, target, watch, salvage=arguments.salvage)
            for target, source in targets.items()
        }
    for target, count in counts.items():
        terminal.note(f"wrote {target}: {counted(count, 'event')}")
    return 0


def _targets(source: Path, target: Path, ending: str | None) -> dict[Path, Path]:
    """What is written, and what it is made of."""
    if not source.is_dir():
        if ending is not None:
            raise UsageError(f"--to is for folders: the name of {target} chooses its format")
        return {target: source}
    if ending is None:
        raise UsageError(f"{source} is a folder: say the format with --to yaml or --to jsonl")
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
    """The entries up to the first place that cannot be read."""
    try:
        yield from entries
    except CassetteFormatError:
        return
