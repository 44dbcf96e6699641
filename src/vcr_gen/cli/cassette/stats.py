"""`vcr-gen cassette stats`: calls, errors and times of each method."""

import argparse
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Final

from vcr_gen.cassette_tools.recorded_calls import STATUSES, Status, read_calls
from vcr_gen.cli.cassette.cassette_files import add_paths, diagnostic_of, find_cassettes
from vcr_gen.cli.outcome import ERROR, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options, duration, table
from vcr_gen.errors import CassetteError
from vcr_gen.runtime.tape.events import Item
from vcr_gen.runtime.tape.reading import Reading

_PERCENTILES: Final = (50, 90, 99)


@dataclass(slots=True)
class _MethodStats:
    """The calls of one method; eight bytes per call, so that a large tape fits in memory."""

    statuses: Counter[Status] = field(default_factory=Counter)
    items: int = 0
    """How many items its streams yielded."""
    took: "array[float]" = field(default_factory=lambda: array("d"))
    """Durations of finished calls in seconds."""

    def percentiles(self) -> dict[str, float]:
        """The percentiles of the durations; empty if no call finished."""
        ordered = sorted(self.took)
        return {f"p{each}": percentile(ordered, each) for each in _PERCENTILES if ordered}


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The smallest value that the given percentage of the values does not exceed."""
    return ordered[max(0, ceil(len(ordered) * percent / 100) - 1)]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "stats",
        help="calls, errors and times of each method",
        description=(
            "Count the calls and errors of each method, or of each name that the calls of a "
            "boundary have, with percentiles of their durations: half "
            "of the calls take at most p50, nine of ten at most p90."
        ),
    )
    add_paths(parser)
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count the calls of all files; report unusable files and count the rest."""
    terminal = Terminal.of(arguments)
    paths = find_cassettes(arguments.paths, partial=False)
    methods: dict[str, _MethodStats] = {}
    problems: list[CassetteError] = []
    for path in terminal.each(paths, "counting"):
        try:
            with Reading(path) as reading:
                _count_calls(reading, methods)
        except CassetteError as error:
            problems.append(error)
    methods = {name: methods[name] for name in sorted(methods)}
    head = ["calls", "errors", *(f"p{percent}" for percent in _PERCENTILES), "method"]
    usable = counted(len(paths) - len(problems), "cassette")
    calls = counted(sum(method.statuses.total() for method in methods.values()), "call")
    outcome = Outcome(
        code=ERROR if problems else FINE,
        text=table([head, *(_row(*pair) for pair in methods.items())], right=5) if methods else "",
        diagnostics=[diagnostic_of(problem) for problem in problems],
        summary=f"{usable}, {calls}" + (f"; {len(problems)} unusable" if problems else ""),
        document=_document(paths, methods, problems),
    )
    return print_outcome(outcome, terminal)


def _count_calls(reading: Reading, methods: dict[str, _MethodStats]) -> None:
    """Add the calls of one tape, except internal ones such as jobs."""
    for call in read_calls(reading):
        if call.is_internal:
            continue
        method = methods.setdefault(call.name, _MethodStats())
        method.statuses[call.status] += 1
        method.items += sum(isinstance(event, Item) for event in call.between)
        if call.took is not None:
            method.took.append(call.took)


def _row(name: str, method: _MethodStats) -> list[str]:
    times = [duration(seconds) for seconds in method.percentiles().values()]
    times = times or ["-"] * len(_PERCENTILES)
    return [str(method.statuses.total()), str(method.statuses["raised"]), *times, name]


def _document(
    paths: Sequence[Path], methods: dict[str, _MethodStats], problems: Sequence[CassetteError]
) -> dict[str, object]:
    return {
        "cassettes": [str(path) for path in paths],
        "methods": [
            {
                "method": name,
                "calls": method.statuses.total(),
                **{status: method.statuses[status] for status in STATUSES},
                "items": method.items,
                "seconds": method.percentiles(),
            }
            for name, method in methods.items()
        ],
        "problems": [
            {"path": str(problem.path), "line": problem.line, "message": str(problem)}
            for problem in problems
        ],
    }
