"""`vcr-gen cassette convert`: converts a cassette to another format, event by event."""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import refuse_existing, write_cassette
from vcr_gen.cli.cassette.foreign_recordings import (
    DESTINATIONS,
    ORIGINS,
    export_recording,
    import_recording,
)
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.folding import folded
from vcr_gen.runtime.tape.reading import entries_of, open_regular, target_of
from vcr_gen.runtime.tape.unfolding import unfold


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "convert",
        help="convert a cassette to another format, or from and to files of other tools",
        description=(
            "Convert a cassette to the format of the target's suffix, without loss; or make a "
            "cassette of what another tool recorded, without its credentials; or write a cassette "
            "for another tool."
        ),
    )
    add = parser.add_argument
    add(
        "source",
        type=Path,
        help="a cassette; a damaged one with --salvage; a file of another tool with --from",
    )
    add(
        "target",
        type=Path,
        nargs="?",
        help="the output: .yaml or .jsonl (default with --from: NAME.vcr-gen.yaml)",
    )
    tools = parser.add_mutually_exclusive_group()
    tools.add_argument(
        "--from", choices=ORIGINS, dest="origin", help="the tool that recorded the source"
    )
    tools.add_argument(
        "--to", choices=DESTINATIONS, dest="destination", help="the tool that will read the target"
    )
    add("--loose", action="store_true", help="with --from: do not compare headers and bodies")
    add("--salvage", action="store_true", help="keep the complete events of a damaged file")
    add("--force", action="store_true", help="replace the target if it exists")
    add_output_options(parser)
    parser.set_defaults(wrong_usage=parser.error)


def run(arguments: argparse.Namespace) -> int:
    """Convert the file; the target is written atomically."""
    source, target = arguments.source, arguments.target
    if arguments.origin is not None:
        if arguments.salvage:
            arguments.wrong_usage("--salvage is for cassettes of vcr-gen, not for --from")
        outcome = import_recording(
            arguments.origin, source, target, loose=arguments.loose, force=arguments.force
        )
        return print_outcome(outcome, Terminal.of(arguments))
    if arguments.destination is not None:
        if arguments.salvage or arguments.loose:
            arguments.wrong_usage("--salvage and --loose cannot be used with --to")
        outcome = export_recording(arguments.destination, source, target, force=arguments.force)
        return print_outcome(outcome, Terminal.of(arguments))
    if target is None or arguments.loose:
        arguments.wrong_usage("--loose needs --from" if arguments.loose else "name the target")
    refuse_existing(target, force=arguments.force)
    with open_regular(source) as stream:
        entries = entries_of(stream, source)
        header = next(entries)
        kept = _whole(entries) if arguments.salvage else entries
        events = (entry for entry in kept if entry.kind == "event")
        count = write_cassette(target, header.data, _converted(events, source, target))
    wrote = FileNote(str(target), "wrote", counted(count, "event"))
    return print_outcome(Outcome(code=FINE, files=[wrote]), Terminal.of(arguments))


def _converted(
    entries: Iterator[Entry], source: Path, target: Path
) -> Iterator[Mapping[str, Plain]]:
    """The entries; streams are folded if only the target's format does this."""
    if format_for(target_of(source)).grows or not format_for(target).grows:
        return (entry.data for entry in entries)
    events = (
        event for entry in entries for event in unfold(entry.data, path=source, line=entry.line)
    )
    return folded(events, target)


def _whole(entries: Iterator[Entry]) -> Iterator[Entry]:
    """The entries before the first unreadable place."""
    try:
        yield from entries
    except CassetteFormatError:
        return
