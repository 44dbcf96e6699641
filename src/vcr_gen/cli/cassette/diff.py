"""`vcr-gen cassette diff`: what changed between two recordings, and which changes break callers."""

import argparse
import difflib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from vcr_gen.cassette_tools.comparison import (
    CallDifference,
    Change,
    DifferenceKind,
    compare_headers,
    compare_tapes,
)
from vcr_gen.cassette_tools.recorded_calls import RecordedCall
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import UsageError
from vcr_gen.runtime.codec import MISSING, Missing
from vcr_gen.runtime.failures.format_values import show
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading

_LOOKS: Final[Mapping[DifferenceKind, tuple[str, str]]] = {
    "added": ("+", "green"),
    "removed": ("-", "red"),
    "moved": (">", "yellow"),
    "modified": ("~", "yellow"),
}
"""The sign and colour of each kind of difference."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "diff",
        help="compare two cassettes",
        description=(
            "Compare two cassettes call by call. Times and the order between tasks and threads "
            "are ignored. A change is breaking if a successful call now fails, a field "
            "disappeared, or a type changed. Exit 1 if anything differs."
        ),
    )
    add = parser.add_argument
    add("before", type=Path, help="the earlier cassette")
    add("after", type=Path, help="the later one")
    add("--fail-on-breaking", action="store_true", help="exit 1 only for breaking changes")
    add(
        "--key",
        action="append",
        default=[],
        metavar="LIST=FIELD",
        help="compare the items of lists of this name by a field, in any order: tools=name",
    )
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare the cassettes and print the differences."""
    terminal = Terminal.of(arguments)
    keys = dict(map(_key, arguments.key))
    with (
        Reading(arguments.before, change=redacting()) as before,
        Reading(arguments.after, change=redacting()) as after,
    ):
        calls = list(compare_tapes(before, after, keys))
        header = compare_headers(before, after)
    breaking = sum(change.breaking for change in header) + sum(call.breaking for call in calls)
    differ = breaking if arguments.fail_on_breaking else len(header) + len(calls)
    lines = [line for change in header for line in _change_lines(change, terminal, indent="")]
    for call in calls:
        lines += _call_lines(call, arguments.before, arguments.after, terminal)
    kinds = {kind: [call for call in calls if call.kind == kind] for kind in _LOOKS}
    outcome = Outcome(
        code=DIFFERENT if differ else FINE,
        text="\n".join(lines),
        summary=_summary(header, calls, breaking),
        document={
            "breaking": breaking,
            "header": list(map(_change_document, header)),
            **{kind: list(map(_call_document, found)) for kind, found in kinds.items()},
        },
    )
    return print_outcome(outcome, terminal)


def _key(given: str) -> tuple[str, str]:
    name, _, field = given.partition("=")
    if not name or not field:
        raise UsageError(f"--key: expected LIST=FIELD, such as tools=name; got {given!r}")
    return name, field


def _call_lines(
    found: CallDifference, before: Path, after: Path, terminal: Terminal
) -> Iterator[str]:
    sign, color = _LOOKS[found.kind]
    line = f"{sign} {found.kind} {found.call.words}"
    yield terminal.paint(line, color)
    sides = ((before, found.before), (after, found.after))
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


def _summary(header: Sequence[Change], calls: Sequence[CallDifference], breaking: int) -> str:
    count = len(header) + len(calls)
    if not count:
        return "no differences"
    kinds = Counter(call.kind for call in calls)
    parts = [f"{kinds[kind]} {kind}" for kind in _LOOKS if kinds[kind]]
    parts += [f"{len(header)} in the header"] if header else []
    return f"{counted(count, 'difference')}: {', '.join(parts)}; {breaking or 'none'} breaking"


def _call_document(found: CallDifference) -> dict[str, object]:
    return {
        "method": found.call.start.of,
        "name": found.call.name,
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
