"""`vcr-gen cassette migrate`: rewrites cassettes so that they fit the Protocols of today."""

import argparse
import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette.files import Watch, find_cassettes, inspect_cassette, recorded_by
from vcr_gen.cli.cassette.wishes import add_wish_options, read_wishes, refuse_unmet
from vcr_gen.cli.cassette.wrappers import Wrappers, add_config_option, ask_wrappers
from vcr_gen.cli.cassette.writing import write_cassette
from vcr_gen.cli.report import DIFFERENT, FINE, counted
from vcr_gen.cli.terminal import Terminal
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.tapes.migration import Plan, plan_migration
from vcr_gen.tapes.rewriting import Rewriter

__all__ = ["add_parser", "run"]

_JSON_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of one cassette."""

    path: Path
    plan: Plan
    changed: int
    """How many events are other than they were."""

    @property
    def status(self) -> str:
        if self.plan.problems:
            return "refused"
        return "migrated" if self.plan.notes else "unchanged"


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "migrate",
        help="rewrite cassettes so that they fit the Protocols of today",
        description=(
            "Rewrite cassettes to fit the project's wrappers: new parameters with defaults are "
            "filled in; what was renamed or removed must be said. A cassette that cannot be "
            "brought up to date whole is left as it is, with the reason, and the exit code is 1."
        ),
    )
    add = parser.add_argument
    add("paths", nargs="*", type=Path, default=[Path()], help="files and folders (default: here)")
    add("--diff", action="store_true", help="write nothing; print what would change, and exit 1")
    add_wish_options(parser)
    add("--no-signatures", action="store_true", help="do not import the project's wrappers")
    add_config_option(parser)
    add("--json", action="store_true", help="print one JSON document")
    add("-q", "--quiet", action="store_true", help="only print problems")


def run(arguments: argparse.Namespace) -> int:
    """Plan for all files, then rewrite those that can be."""
    terminal = Terminal(quiet=arguments.quiet)
    wishes = read_wishes(arguments)
    paths = find_cassettes(arguments.paths, partial=False)
    with terminal.progress("reading", percent=True) as draw:
        watch = Watch(paths, draw)
        inspections = [inspect_cassette(path, watch) for path in paths]
    for inspection in inspections:
        if inspection.problem is not None:
            raise inspection.problem
    recorded = {one.path: recorded_by(one) for one in inspections}
    refuse_unmet(wishes, recorded.values())
    wrappers = Wrappers(None) if arguments.no_signatures else ask_wrappers(arguments.config)
    outcomes = []
    show = terminal.data if not (arguments.json or arguments.quiet) else _show_nothing
    with terminal.progress("migrating") as draw:
        for number, path in enumerate(paths):
            draw(number, len(paths))
            plan = plan_migration(recorded[path], wishes, wrappers.described)
            outcomes.append(_look(path, plan, show) if arguments.diff else _rewrite(path, plan))
    if arguments.json:
        terminal.data(
            json.dumps(_document(outcomes, wrappers, written=not arguments.diff), indent=2)
        )
    else:
        _tell(outcomes, wrappers, terminal, only_look=arguments.diff)
    bad = {"refused", "migrated"} if arguments.diff else {"refused"}
    return DIFFERENT if any(outcome.status in bad for outcome in outcomes) else FINE


def _rewrite(path: Path, plan: Plan) -> _Outcome:
    """Rewrite a cassette, if that can be done and changes anything."""
    if plan.problems or not plan.notes:
        return _Outcome(path, plan, 0)
    rewriter = Rewriter(plan)
    changed = 0

    def events(reading: Reading) -> Iterator[Mapping[str, Plain]]:
        nonlocal changed
        for entry in reading:
            event = rewriter.event(entry.data)
            changed += event != entry.data
            yield event

    with Reading(path) as reading:
        write_cassette(path, rewriter.header(reading.header), events(reading))
    return _Outcome(path, plan, changed)


def _look(path: Path, plan: Plan, show: Callable[[str], None]) -> _Outcome:
    """Show what would change."""
    if plan.problems or not plan.notes:
        return _Outcome(path, plan, 0)
    rewriter = Rewriter(plan)
    chosen = format_for(path)
    changed = 0
    with Reading(path, change=redacting()) as reading:
        show(f"--- {path}\n+++ {path}")
        header = rewriter.header(reading.header)
        place = f"header, {path}:1"
        _show_change(place, chosen.header(reading.header), chosen.header(header), show)
        for number, entry in enumerate(reading, start=1):
            event = rewriter.event(entry.data)
            if event != entry.data:
                changed += 1
                place = f"event {number}, {path}:{entry.line}"
                _show_change(place, chosen.event(entry.data), chosen.event(event), show)
    return _Outcome(path, plan, changed)


def _show_change(place: str, old: bytes, new: bytes, show: Callable[[str], None]) -> None:
    lines = difflib.unified_diff(old.decode().splitlines(), new.decode().splitlines(), lineterm="")
    paint = Terminal().paint
    colors = {"-": "red", "+": "green"}
    for line in list(lines)[2:]:
        if line.startswith("@@"):
            show(paint(f"@@ {place} @@", "cyan"))
        else:
            show(paint(line, colors[line[0]]) if line[0] in colors else line)


def _show_nothing(text: str) -> None:
    """Nobody asked to see it."""


def _tell(
    outcomes: Sequence[_Outcome], wrappers: Wrappers, terminal: Terminal, *, only_look: bool
) -> None:
    for outcome in outcomes:
        for problem in outcome.plan.problems:
            terminal.data(f"{outcome.path}: {problem}")
        if outcome.status == "migrated" and not terminal.quiet:
            verb = "would change" if only_look else "migrated"
            terminal.note(f"{verb} {outcome.path}: {counted(outcome.changed, 'event')}")
            for note in outcome.plan.notes:
                terminal.note(f"  {note}")
    for remark in wrappers.remarks:
        terminal.note(remark)
    counts = dict.fromkeys(("migrated", "unchanged", "refused"), 0)
    for outcome in outcomes:
        counts[outcome.status] += 1
    words = {"migrated": "to migrate" if only_look else "migrated", "refused": "left as they were"}
    told = [f"{number} {words.get(word, word)}" for word, number in counts.items() if number]
    terminal.note(f"{counted(len(outcomes), 'cassette')}: {', '.join(told) or 'nothing to do'}")


def _document(
    outcomes: Sequence[_Outcome], wrappers: Wrappers, *, written: bool
) -> dict[str, object]:
    return {
        "version": _JSON_VERSION,
        "written": written,
        "signatures_compared": wrappers.described is not None,
        "remarks": list(wrappers.remarks),
        "cassettes": [
            {
                "path": str(outcome.path),
                "status": outcome.status,
                "events": outcome.changed,
                "changes": list(outcome.plan.notes),
                "problems": list(outcome.plan.problems),
            }
            for outcome in outcomes
        ],
    }
