"""`vcr-gen cassette merge`: joins sessions into one cassette."""

import argparse
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import refuse_existing, write_cassette
from vcr_gen.cli.outcome import FINE, FileNote, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.reading import Reading, read_events
from vcr_gen.tapes.merging import Rebasing, merge_headers

__all__ = ["add_parser", "run"]


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
        header, conflicts = merge_headers(headers)
        if conflicts:
            raise UsageError("\n".join(["these sessions cannot be merged:", *conflicts]))
        for reading in readings:  # check each session before any is written
            deque(read_events(reading, reading.path), maxlen=0)
        count = write_cassette(arguments.output, header, _events(readings))
    wrote = FileNote(str(arguments.output), "wrote", counted(count, "event"))
    return print_outcome(Outcome(code=FINE, files=[wrote]), terminal)


def _events(readings: list[Reading]) -> Iterator[Mapping[str, Plain]]:
    rebasing = Rebasing()
    for reading in readings:
        rebasing.next_session()
        for entry in reading:
            yield rebasing.event(entry.data)
