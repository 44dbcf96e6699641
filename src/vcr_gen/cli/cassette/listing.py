"""`vcr-gen cassette list`: one line for each cassette."""

import argparse
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import add_paths, diagnostic_of, find_cassettes
from vcr_gen.cli.outcome import ERROR, FINE, Outcome, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options, table
from vcr_gen.errors import CassetteError
from vcr_gen.runtime.tape.reading import Reading, is_partial

__all__ = ["add_parser", "run"]


@dataclass(frozen=True, slots=True)
class _Row:
    """A file, for the JSON output."""

    path: str
    partial: bool
    """Whether it is a partial file of an interrupted recording."""
    events: int | None
    bytes: int
    recorded_at: str | None
    problem: str | None


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "list",
        help="one line for each cassette",
        description="List cassettes: events, bytes, time of recording. Does not read the events.",
    )
    add_paths(parser)
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """List every file; report the problem of each unusable one."""
    terminal = Terminal.of(arguments)
    paths = find_cassettes(arguments.paths)
    rows = []
    problems = []
    for path in terminal.each(paths, "listing"):
        try:
            rows.append(_row(path))
        except CassetteError as error:
            rows.append(replace(_unread(path), problem=str(error)))
            problems.append(diagnostic_of(error))
    outcome = Outcome(
        code=ERROR if problems else FINE,
        text=table([_cells(row) for row in rows], right=2),
        diagnostics=problems,
        document={"cassettes": [asdict(row) for row in rows]},
    )
    return print_outcome(outcome, terminal)


def _unread(path: Path) -> _Row:
    size = path.stat().st_size if path.is_file() else 0
    return _Row(str(path), is_partial(path), None, size, None, None)


def _row(path: Path) -> _Row:
    row = _unread(path)
    if row.partial:
        return row
    with Reading(path) as reading:
        when = str(reading.header.get("recorded_at") or "")
        return replace(row, events=reading.count, recorded_at=when)


def _cells(row: _Row) -> list[str]:
    state = "partial" if row.partial else "unusable" if row.problem else row.recorded_at or "-"
    return ["-" if row.events is None else str(row.events), str(row.bytes), state, row.path]
