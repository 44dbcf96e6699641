"""`vcr-gen cassette diff`: what changed between two recordings, and which changes break callers."""

import argparse
import difflib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette.cassette_files import find_cassettes
from vcr_gen.cli.outcome import DIFFERENT, FINE, counted
from vcr_gen.cli.terminal import Terminal, add_output_format
from vcr_gen.errors import CassetteMissingError, UsageError
from vcr_gen.runtime.codec import MISSING, Missing
from vcr_gen.runtime.failures.format_values import show, show_arguments
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.changes import Change
from vcr_gen.tapes.comparison import CallDifference, compare_headers, compare_tapes
from vcr_gen.tapes.recorded_calls import RecordedCall

__all__ = [
    "add_parser",
    "change_document",
    "difference_document",
    "run",
    "tell_change",
    "tell_difference",
]


_KINDS: Final = ("added", "removed", "moved", "modified")


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A pair of cassettes; one side is missing where a folder has no counterpart."""

    before: Path | None
    after: Path | None
    header: Sequence[Change] = ()
    calls: Sequence[CallDifference] = ()

    @property
    def count(self) -> int:
        alone = self.before is None or self.after is None
        return alone + len(self.header) + len(self.calls)

    @property
    def breaking(self) -> int:
        changes = sum(change.breaking for change in self.header)
        return changes + sum(difference.breaking for difference in self.calls)


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "diff",
        help="compare two cassettes, or two folders of cassettes",
        description=(
            "Compare two cassettes call by call, or two folders file by file. Times and the "
            "order between tasks and threads are ignored. A change is breaking if a successful "
            "call now fails, a field disappeared, or a type changed. Exit 1 if anything differs."
        ),
    )
    add = parser.add_argument
    add("before", type=Path, help="the earlier cassette or folder")
    add("after", type=Path, help="the later one")
    add("--fail-on-breaking", action="store_true", help="exit 1 only for breaking changes")
    add("--times", action="store_true", help="treat different times as a difference")
    add_output_format(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare the cassettes and print the differences."""
    terminal = Terminal()
    pairs = _pairs(arguments.before, arguments.after)
    comparisons = []
    with terminal.progress("comparing") as draw:
        for number, (before, after) in enumerate(pairs):
            draw(number, len(pairs))
            comparisons.append(_compare(before, after, times=arguments.times))
    if arguments.output_format == "json":
        terminal.document(_document(comparisons))
    else:
        for comparison in comparisons:
            _tell(comparison, terminal, named=len(pairs) > 1)
        terminal.note(_summary(comparisons))
    broken = sum(comparison.breaking for comparison in comparisons)
    differs = any(comparison.count for comparison in comparisons)
    return DIFFERENT if (broken if arguments.fail_on_breaking else differs) else FINE


def _compare(before: Path | None, after: Path | None, *, times: bool) -> _Comparison:
    if before is None or after is None:
        return _Comparison(before, after)
    with ExitStack() as stack:
        left, right = (
            stack.enter_context(Reading(path, change=redacting())) for path in (before, after)
        )
        header = compare_headers(left, right, times=times)
        return _Comparison(before, after, header, list(compare_tapes(left, right, times=times)))


def _pairs(before: Path, after: Path) -> list[tuple[Path | None, Path | None]]:
    for path in (before, after):
        if not path.exists():
            raise CassetteMissingError("no such file or folder", path=path)
    if before.is_dir() != after.is_dir():
        raise UsageError(f"{before} and {after}: compare two files or two folders, not one of each")
    if not before.is_dir():
        return [(before, after)]
    left, right = _by_name(before), _by_name(after)
    return [(left.get(name), right.get(name)) for name in sorted({*left, *right})]


def _by_name(folder: Path) -> dict[str, Path]:
    """The cassettes of a folder by their names without suffix, as formats may differ."""
    found = find_cassettes([folder], partial=False)
    return {path.relative_to(folder).with_suffix("").as_posix(): path for path in found}


def _tell(comparison: _Comparison, terminal: Terminal, *, named: bool) -> None:
    if comparison.before is None or comparison.after is None:
        sign, word = ("+", "added") if comparison.before is None else ("-", "removed")
        path = comparison.before or comparison.after
        terminal.data(f"{sign} {word} cassette {path}")
        return
    if named and comparison.count:
        title = f"{comparison.before} → {comparison.after}"
        terminal.data(terminal.paint(title, "bold"))
    for change in comparison.header:
        tell_change(change, terminal, indent="")
    for difference in comparison.calls:
        tell_difference(difference, comparison.before, comparison.after, terminal)


def _summary(comparisons: Sequence[_Comparison]) -> str:
    differences = [difference for comparison in comparisons for difference in comparison.calls]
    parts = [
        f"{number} {kind}"
        for kind in _KINDS
        if (number := sum(difference.kind == kind for difference in differences))
    ]
    headers = sum(len(comparison.header) for comparison in comparisons)
    parts += [f"{headers} in headers"] if headers else []
    alone = sum(comparison.before is None or comparison.after is None for comparison in comparisons)
    parts += [
        counted(alone, "cassette without a counterpart", "cassettes without a counterpart")
    ] * bool(alone)
    if not parts:
        return "no differences"
    total = counted(sum(comparison.count for comparison in comparisons), "difference")
    broken = sum(comparison.breaking for comparison in comparisons)
    return f"{total}: {', '.join(parts)}; {broken or 'none'} breaking"


def _document(comparisons: Sequence[_Comparison]) -> dict[str, object]:
    return {
        "breaking": sum(comparison.breaking for comparison in comparisons),
        "comparisons": [
            {
                "before": None if comparison.before is None else str(comparison.before),
                "after": None if comparison.after is None else str(comparison.after),
                "breaking": comparison.breaking,
                "header": [change_document(change) for change in comparison.header],
                **{
                    kind: [
                        difference_document(found)
                        for found in comparison.calls
                        if found.kind == kind
                    ]
                    for kind in _KINDS
                },
            }
            for comparison in comparisons
        ],
    }


_SIGNS: Final = {"added": "+", "removed": "-", "moved": ">", "modified": "~"}
_COLORS: Final = {"added": "green", "removed": "red", "moved": "yellow", "modified": "yellow"}


def tell_difference(
    difference: CallDifference, before: Path, after: Path, terminal: Terminal
) -> None:
    """Print a call that differs, with its locations and every changed field."""
    start = difference.call.start
    places = [
        f"{path}:{call.line} (event {call.number})"
        for path, call in ((before, difference.before), (after, difference.after))
        if call is not None
    ]
    line = (
        f"{_SIGNS[difference.kind]} {difference.kind} {start.of}({show_arguments(start.arguments)})"
    )
    terminal.data(terminal.paint(line, _COLORS[difference.kind]))
    terminal.data(f"    {' → '.join(places)}")
    for change in difference.changes:
        tell_change(change, terminal, indent="    ")


def tell_change(change: Change, terminal: Terminal, *, indent: str) -> None:
    """Print one changed field; a breaking one is marked."""
    mark = terminal.paint("breaking: ", "red") if change.breaking else ""
    terminal.data(f"{indent}{mark}{change.path}: {change.words}")
    if change.kind == "outcome" or change.path.endswith("$type"):
        return
    for line in _lines(change.before, change.after):
        color = {"-": "red", "+": "green"}.get(line[0], "")
        terminal.data(f"{indent}  {terminal.paint(line, color) if color else line}")


def _lines(before: Plain | Missing, after: Plain | Missing) -> Iterator[str]:
    """Both values; only the differing lines of long texts."""
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        diff = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
        yield from list(diff)[2:]
        return
    if before is not MISSING:
        yield f"- {show(before)}"
    if after is not MISSING:
        yield f"+ {show(after)}"


def difference_document(difference: CallDifference) -> dict[str, object]:
    """A call that differs, for the JSON output."""
    return {
        "method": difference.call.start.of,
        "before": _place(difference.before),
        "after": _place(difference.after),
        "breaking": difference.breaking,
        "changes": [change_document(change) for change in difference.changes],
    }


def change_document(change: Change) -> dict[str, object]:
    """A changed field for the JSON output; a side without the field is omitted."""
    sides = {"before": change.before, "after": change.after}
    return {
        "path": change.path,
        "kind": change.kind,
        "breaking": change.breaking,
        **{side: value for side, value in sides.items() if value is not MISSING},
    }


def _place(call: RecordedCall | None) -> dict[str, object] | None:
    return None if call is None else {"event": call.number, "line": call.line}
