"""`vcr-gen cassette diff`: what changed between two recordings, and which changes break callers."""

import argparse
import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette.cassette_files import find_cassettes
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import CassetteMissingError, UsageError
from vcr_gen.runtime.codec import MISSING, Missing
from vcr_gen.runtime.failures.format_values import show, show_arguments
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.changes import Change
from vcr_gen.tapes.comparison import CallDifference, compare_headers, compare_tapes
from vcr_gen.tapes.recorded_calls import RecordedCall

__all__ = ["add_parser", "run"]

_LOOKS: Final = {
    "added": ("+", "green"),
    "removed": ("-", "red"),
    "moved": (">", "yellow"),
    "modified": ("~", "yellow"),
}
"""The sign and colour of each kind of difference."""


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A pair of cassettes; one side is missing where a folder has no counterpart."""

    before: Path | None
    after: Path | None
    header: Sequence[Change] = ()
    calls: Sequence[CallDifference] = ()

    @property
    def is_alone(self) -> bool:
        return self.before is None or self.after is None

    @property
    def count(self) -> int:
        return self.is_alone + len(self.header) + len(self.calls)

    @property
    def breaking(self) -> int:
        breaking = [change.breaking for change in self.header]
        return sum(breaking + [call.breaking for call in self.calls])


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
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare the cassettes and print the differences."""
    terminal = Terminal.of(arguments)
    pairs = _pairs(arguments.before, arguments.after)
    comparisons = []
    with terminal.progress("comparing") as draw:
        for number, (before, after) in enumerate(pairs):
            draw(number, len(pairs))
            comparisons.append(_compare(before, after))
    breaking = sum(comparison.breaking for comparison in comparisons)
    count = sum(comparison.count for comparison in comparisons)
    lines = (line for each in comparisons for line in _lines(each, terminal, titled=len(pairs) > 1))
    outcome = Outcome(
        code=DIFFERENT if (breaking if arguments.fail_on_breaking else count) else FINE,
        text="\n".join(lines),
        summary=_summary(comparisons, count, breaking),
        document={"breaking": breaking, "comparisons": list(map(_document, comparisons))},
    )
    return print_outcome(outcome, terminal)


def _compare(before: Path | None, after: Path | None) -> _Comparison:
    if before is None or after is None:
        return _Comparison(before, after)
    with (
        Reading(before, change=redacting()) as left,
        Reading(after, change=redacting()) as right,
    ):
        calls = list(compare_tapes(left, right))
        return _Comparison(before, after, compare_headers(left, right), calls)


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


def _lines(comparison: _Comparison, terminal: Terminal, *, titled: bool) -> Iterator[str]:
    if comparison.before is None:
        yield f"+ added cassette {comparison.after}"
    elif comparison.after is None:
        yield f"- removed cassette {comparison.before}"
    elif titled and comparison.count:
        yield terminal.paint(f"{comparison.before} → {comparison.after}", "bold")
    for change in comparison.header:
        yield from _change_lines(change, terminal, indent="")
    for found in comparison.calls:
        start = found.call.start
        sign, color = _LOOKS[found.kind]
        line = f"{sign} {found.kind} {start.of}({show_arguments(start.arguments)})"
        yield terminal.paint(line, color)
        sides = ((comparison.before, found.before), (comparison.after, found.after))
        places = [f"{path}:{call.line} (event {call.number})" for path, call in sides if call]
        yield f"    {' → '.join(places)}"
        for change in found.changes:
            yield from _change_lines(change, terminal, indent="    ")


def _change_lines(change: Change, terminal: Terminal, *, indent: str) -> Iterator[str]:
    """One changed field; a breaking one is marked."""
    mark = terminal.paint("breaking: ", "red") if change.breaking else ""
    yield f"{indent}{mark}{change.path}: {change.words}"
    if change.kind == "outcome" or change.path.endswith("$type"):
        return
    for line in _value_lines(change.before, change.after):
        color = {"-": "red", "+": "green"}.get(line[0])
        yield f"{indent}  {terminal.paint(line, color) if color else line}"


def _value_lines(before: Plain | Missing, after: Plain | Missing) -> Iterator[str]:
    """Both values; only the differing lines of long texts."""
    if isinstance(before, str) and isinstance(after, str) and "\n" in before + after:
        diff = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2)
        yield from list(diff)[2:]
        return
    if before is not MISSING:
        yield f"- {show(before)}"
    if after is not MISSING:
        yield f"+ {show(after)}"


def _summary(comparisons: Sequence[_Comparison], count: int, breaking: int) -> str:
    if not count:
        return "no differences"
    kinds: Counter[str] = Counter(
        found.kind for comparison in comparisons for found in comparison.calls
    )
    parts = [f"{kinds[kind]} {kind}" for kind in _LOOKS if kinds[kind]]
    headers = sum(len(comparison.header) for comparison in comparisons)
    alone = sum(comparison.is_alone for comparison in comparisons)
    parts += [f"{headers} in headers"] if headers else []
    parts += [f"{counted(alone, 'cassette')} without a counterpart"] if alone else []
    return f"{counted(count, 'difference')}: {', '.join(parts)}; {breaking or 'none'} breaking"


def _document(comparison: _Comparison) -> dict[str, object]:
    calls = {kind: [found for found in comparison.calls if found.kind == kind] for kind in _LOOKS}
    return {
        "before": comparison.before and str(comparison.before),
        "after": comparison.after and str(comparison.after),
        "breaking": comparison.breaking,
        "header": list(map(_change_document, comparison.header)),
        **{kind: list(map(_call_document, found)) for kind, found in calls.items()},
    }


def _call_document(found: CallDifference) -> dict[str, object]:
    return {
        "method": found.call.start.of,
        "before": _place(found.before),
        "after": _place(found.after),
        "breaking": found.breaking,
        "changes": list(map(_change_document, found.changes)),
    }


def _change_document(change: Change) -> dict[str, object]:
    """A changed field; a side without the field is omitted."""
    sides = {"before": change.before, "after": change.after}
    return {
        "path": change.path,
        "kind": change.kind,
        "breaking": change.breaking,
        **{side: value for side, value in sides.items() if value is not MISSING},
    }


def _place(call: RecordedCall | None) -> dict[str, object] | None:
    return call and {"event": call.number, "line": call.line}
