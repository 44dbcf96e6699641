"""`vcr-gen cassette list`: one line for each cassette."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from vcr_gen.cassette_tools.recorded_calls import Status, read_calls
from vcr_gen.cli.cassette.cassette_files import add_paths, diagnostic_of, find_cassettes
from vcr_gen.cli.outcome import ERROR, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options, duration, table
from vcr_gen.errors import CassetteError
from vcr_gen.runtime.tape.reading import Reading, is_partial


@dataclass(frozen=True, slots=True)
class _FoundCall:
    """A call that was searched for, for the JSON output."""

    event: int
    line: int
    name: str
    call: str
    """The call in words, with its arguments."""
    status: Status
    seconds: float | None


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
    calls: Sequence[_FoundCall] | None = None
    """The calls that were searched for, in the order of their starts; None without a search."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "list",
        help="one line for each cassette",
        description=(
            "List cassettes: events, bytes, time of recording. Reads the events only to search "
            "for calls."
        ),
    )
    add_paths(parser)
    parser.add_argument(
        "--call",
        metavar="NAME",
        help="list only the cassettes with calls of this name, and these calls: "
        "'tools/call search', 'GET /jobs/*', Shell.run",
    )
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """List every file; report the problem of each unusable one."""
    terminal = Terminal.of(arguments)
    paths = find_cassettes(arguments.paths)
    rows = []
    problems = []
    for path in terminal.each(paths, "listing"):
        try:
            rows.append(_row(path, arguments.call))
        except CassetteError as error:
            rows.append(replace(_unread(path), problem=str(error)))
            problems.append(diagnostic_of(error))
    summary = ""
    if arguments.call is not None:
        rows = [row for row in rows if row.calls]
        calls = sum(len(row.calls or ()) for row in rows)
        summary = f"{counted(calls, 'call')} in {len(rows)} of {counted(len(paths), 'cassette')}"
    outcome = Outcome(
        code=ERROR if problems else FINE,
        text="\n".join(_lines(rows)),
        diagnostics=problems,
        summary=summary,
        document={"cassettes": list(map(_document, rows))},
    )
    return print_outcome(outcome, terminal)


def _unread(path: Path) -> _Row:
    size = path.stat().st_size if path.is_file() else 0
    return _Row(str(path), is_partial(path), None, size, None, None)


def _row(path: Path, searched: str | None) -> _Row:
    row = _unread(path)
    if row.partial:
        return row
    with Reading(path) as reading:
        when = str(reading.header.get("recorded_at") or "")
        calls = None if searched is None else list(_found_calls(reading, searched))
        return replace(row, events=reading.count, recorded_at=when, calls=calls)


def _found_calls(reading: Reading, searched: str) -> Iterator[_FoundCall]:
    calls = [
        call for call in read_calls(reading) if not call.is_internal and call.is_named(searched)
    ]
    for call in sorted(calls, key=lambda call: call.index):
        yield _FoundCall(call.number, call.line, call.name, call.words, call.status, call.took)


def _lines(rows: Sequence[_Row]) -> Iterator[str]:
    """One line for each cassette, and one for each call in it that was searched for."""
    if rows:
        listed = table([_cells(row) for row in rows], right=2).splitlines()
        for line, row in zip(listed, rows, strict=True):
            yield line
            for call in row.calls or ():
                took = "" if call.seconds is None else f"  [{duration(call.seconds)}]"
                yield f"    {row.path}:{call.line}: {call.call}  {call.status}{took}"


def _document(row: _Row) -> dict[str, object]:
    """A row for the JSON output; without a search it has no calls."""
    document = asdict(row)
    if row.calls is None:
        del document["calls"]
    return document


def _cells(row: _Row) -> list[str]:
    state = "partial" if row.partial else "unusable" if row.problem else row.recorded_at or "-"
    return ["-" if row.events is None else str(row.events), str(row.bytes), state, row.path]
