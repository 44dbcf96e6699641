"""`vcr-gen mcp diff`: which changes of a server break its clients, by two recorded sessions."""

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vcr_gen.cli.mcp.server_commands import require_mcp
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.runtime.codec import MISSING

if TYPE_CHECKING:
    from vcr_gen.boundaries.mcp.listings.schema_findings import Level
    from vcr_gen.boundaries.mcp.listings.server_comparison import ServerChange

_LEVELS: Final[Mapping["Level", str]] = {
    "breaking": "red",
    "review": "yellow",
    "compatible": "green",
    "note": "",
}
"""The colour of each level."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "diff",
        help="compare what two recorded servers offer",
        description=(
            "Compare the tools, resources, prompts, schemas and capabilities of two recorded "
            "sessions, and check the recorded requests of the earlier one against the schemas of "
            "the later one. Exit 1 if anything differs."
        ),
    )
    add = parser.add_argument
    add("before", type=Path, help="a session with the earlier version of the server")
    add("after", type=Path, help="a session with the later one")
    add("--fail-on-breaking", action="store_true", help="exit 1 only for breaking changes")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print the changes, the worst ones first."""
    require_mcp(arguments)
    from vcr_gen.boundaries.mcp.listings.call_validation import check_calls
    from vcr_gen.boundaries.mcp.listings.recorded_listings import pair_sessions, read_sessions
    from vcr_gen.boundaries.mcp.listings.server_comparison import compare_sessions

    terminal = Terminal.of(arguments)
    checked = 0
    changes: list[ServerChange] = []
    for before, after in pair_sessions(
        read_sessions(arguments.before), read_sessions(arguments.after)
    ):
        calls = check_calls(before, after)
        checked += calls.count
        changes += (*compare_sessions(before, after), *calls.changes)
    changes.sort(key=lambda change: list(_LEVELS).index(change.level))
    counts = Counter(change.level for change in changes)
    differ = counts["breaking"] if arguments.fail_on_breaking else len(changes)
    annotates = terminal.output_format == "github"
    lines = [line for each in changes for line in _lines(each, arguments, terminal)]
    severe = [each for each in changes if each.level in ("breaking", "review")]
    outcome = Outcome(
        code=DIFFERENT if differ else FINE,
        found=[_diagnostic(each, arguments) for each in severe] if annotates else (),
        text="" if annotates else "\n".join(lines),
        summary=_summary(counts, checked),
        document={
            **{level: counts[level] for level in _LEVELS},
            "checked_requests": checked,
            "changes": [_document(each) for each in changes],
        },
    )
    return print_outcome(outcome, terminal)


def _lines(
    found: "ServerChange", arguments: argparse.Namespace, terminal: Terminal
) -> Iterator[str]:
    color = _LEVELS[found.level]
    level = terminal.paint(found.level, color) if color else found.level
    yield f"{level}: {_words(found)}"
    places = [f"{path}:{line}" for path, line in _places(found, arguments)]
    if places:
        yield f"    {' → '.join(places)}"


def _words(found: "ServerChange") -> str:
    owner = f"{found.server}:" if found.server else ""
    what = " ".join(part for part in (owner, found.kind, found.name) if part)
    place = f": {found.change.field}" if found.change.field else ""
    return f"{what}{place}: {found.change.message}"


def _places(found: "ServerChange", arguments: argparse.Namespace) -> list[tuple[Path, int]]:
    sides = ((arguments.before, found.before_line), (arguments.after, found.after_line))
    return [(path, line) for path, line in sides if line]


def _diagnostic(found: "ServerChange", arguments: argparse.Namespace) -> Diagnostic:
    """A change as an annotation of the later cassette; recorded requests are in the earlier one."""
    places = _places(found, arguments) or [(arguments.after, 0)]
    path, line = places[0 if found.kind == "request" else -1]
    return Diagnostic(str(path), line, 0, found.level, _words(found), "")


def _summary(counts: Mapping["Level", int], checked: int) -> str:
    requests = f"{counted(checked, 'recorded request')} checked"
    total = sum(counts.values())
    if not total:
        return f"no differences; {requests}"
    kinds = (f"{counts[level]} {level}" for level in _LEVELS if counts[level])
    return f"{counted(total, 'difference')}: {', '.join(kinds)}; {requests}"


def _document(found: "ServerChange") -> dict[str, object]:
    change = found.change
    sides: Sequence[tuple[str, object]] = (("before", change.before), ("after", change.after))
    return {
        "level": found.level,
        "server": found.server,
        "kind": found.kind,
        "name": found.name,
        "field": change.field,
        "keyword": change.keyword,
        "message": change.message,
        "before_line": found.before_line or None,
        "after_line": found.after_line or None,
        **({"renamed_to": found.renamed_to} if found.renamed_to else {}),
        **{name: value for name, value in sides if value is not MISSING},
    }
