"""`vcr-gen cassette stats`: calls, errors and times of each method."""

import argparse
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Final, final

from vcr_gen.cli.cassette.cassette_files import Watch, find_cassettes
from vcr_gen.cli.outcome import ERROR, FINE, counted
from vcr_gen.cli.terminal import Terminal, add_output_format, duration, table
from vcr_gen.errors import CassetteError
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.recorded_calls import STATUSES, RecordedCall, Status, read_calls

__all__ = ["PERCENTILES", "MethodStats", "add_parser", "count_calls", "percentile", "run"]


PERCENTILES: Final = (50, 90, 99)


@final
@dataclass(slots=True)
class MethodStats:
    """The calls of one method; eight bytes per call, so that a large tape fits in memory."""

    of: str
    statuses: dict[Status, int] = field(default_factory=dict)
    items: int = 0
    """How many items its streams yielded."""
    took: "array[float]" = field(default_factory=lambda: array("d"))
    """Durations of finished calls in seconds."""

    @property
    def calls(self) -> int:
        """How often it was called."""
        return sum(self.statuses.values())

    @property
    def errors(self) -> int:
        """How many of the calls raised."""
        return self.statuses.get("raised", 0)

    def count(self, call: RecordedCall) -> None:
        """Add one call."""
        self.statuses[call.status] = self.statuses.get(call.status, 0) + 1
        self.items += call.items
        if call.took is not None:
            self.took.append(call.took)

    def percentiles(self) -> dict[int, float]:
        """The percentiles of the durations; empty if no call finished."""
        ordered = sorted(self.took)
        return {percent: percentile(ordered, percent) for percent in PERCENTILES if ordered}


def count_calls(calls: Iterable[RecordedCall], into: dict[str, MethodStats]) -> None:
    """Add the calls of one tape, except internal ones such as jobs."""
    for call in calls:
        if not call.is_internal:
            of = call.start.of
            stats = into.get(of)
            if stats is None:
                stats = into[of] = MethodStats(of)
            stats.count(call)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that the given percentage of the values does not exceed."""
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "stats",
        help="calls, errors and times of each method",
        description=(
            "Count the calls and errors of each method, with percentiles of their durations: half "
            "of the calls take at most p50, nine of ten at most p90."
        ),
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        type=Path,
        default=[Path()],
        help="files and folders (default: current folder)",
    )
    add_output_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count the calls of all files; report unusable files and count the rest."""
    terminal = Terminal()
    paths = find_cassettes(arguments.paths, partial=False)
    methods: dict[str, MethodStats] = {}
    problems: list[CassetteError] = []
    with terminal.progress("counting", percent=True) as draw:
        watch = Watch(paths, draw)
        for path in paths:
            try:
                with Reading(path) as reading:
                    count_calls(read_calls(watch.reading(reading), path), methods)
            except CassetteError as error:
                problems.append(error)
    ordered = [methods[of] for of in sorted(methods)]
    if arguments.output_format == "json":
        terminal.document(_document(paths, ordered, problems))
    elif ordered:
        head = ["calls", "errors", *(f"p{percent}" for percent in PERCENTILES), "method"]
        terminal.data(table([head, *map(_row, ordered)], right=len(head) - 1))
    for problem in problems:
        print(problem, file=sys.stderr)
    usable = counted(len(paths) - len(problems), "cassette")
    calls = counted(sum(method.calls for method in ordered), "call")
    terminal.note(f"{usable}, {calls}" + (f"; {len(problems)} unusable" if problems else ""))
    return ERROR if problems else FINE


def _row(method: MethodStats) -> list[str]:
    times = method.percentiles()
    shown = [duration(times[percent]) if times else "-" for percent in PERCENTILES]
    return [str(method.calls), str(method.errors), *shown, method.of]


def _document(
    paths: Sequence[Path], methods: Sequence[MethodStats], problems: Sequence[CassetteError]
) -> dict[str, object]:
    return {
        "cassettes": [str(path) for path in paths],
        "methods": [
            {
                "method": method.of,
                "calls": method.calls,
                **{status: method.statuses.get(status, 0) for status in STATUSES},
                "items": method.items,
                "seconds": {f"p{key}": value for key, value in method.percentiles().items()},
            }
            for method in methods
        ],
        "problems": [
            {"path": str(problem.path), "line": problem.line, "message": str(problem)}
            for problem in problems
        ],
    }
