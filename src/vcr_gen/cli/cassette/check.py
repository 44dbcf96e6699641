"""`vcr-gen cassette check`: reads whole cassettes and reports problems."""

import argparse
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from vcr_gen.cassette_tools.describe_wrappers import Described, describe_project
from vcr_gen.cassette_tools.migration import ChangedSignature, changed_signatures
from vcr_gen.cli.cassette.cassette_files import (
    Inspection,
    add_paths,
    find_cassettes,
    inspect_cassette,
    recorded_by,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.gen.diagnostics import Diagnostic
from vcr_gen.runtime.failures.signature_drift import migration_of


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "check",
        help="read whole cassettes and report problems",
        description=(
            "Read whole cassettes, and compare their recorded signatures with the project's "
            "wrappers. Exit 1 if a cassette is truncated, damaged, partial or out of date."
        ),
    )
    add_paths(parser)
    add = parser.add_argument
    add("--no-signatures", action="store_true", help="do not import the project's wrappers")
    add("--config", type=Path, metavar="FILE", help="the pyproject.toml of the project")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check every file, also after problems in earlier ones."""
    terminal = Terminal.of(arguments)
    paths = find_cassettes(arguments.paths)
    inspections = [inspect_cassette(path) for path in terminal.each(paths, "checking")]
    wrappers = Described({})
    if not arguments.no_signatures and any(inspection.called for inspection in inspections):
        wrappers = describe_project(arguments.config)
    usable = [inspection for inspection in inspections if inspection.problem is None]
    changed = {
        inspection.path: list(changed_signatures(recorded_by(inspection), wrappers))
        for inspection in usable
    }
    found = {
        inspection.path: list(_problems(inspection, changed.get(inspection.path, ())))
        for inspection in inspections
    }
    for inspection in inspections:
        if not found[inspection.path]:
            terminal.detail(f"{inspection.path}: fine, {counted(inspection.events, 'event')}")
    problems = [problem for several in found.values() for problem in several]
    bad = sum(map(bool, found.values()))
    events = counted(sum(inspection.events for inspection in inspections), "event")
    summary = (
        f"{counted(len(paths), 'cassette')}, {events}: {f'{bad} with problems' if bad else 'fine'}"
    )
    outcome = Outcome(
        code=DIFFERENT if problems else FINE,
        found=problems,
        summary="\n".join([*wrappers.remarks, summary]),
        document={
            "remarks": list(wrappers.remarks),
            "cassettes": [
                _described(inspection, changed.get(inspection.path, ()))
                for inspection in inspections
            ],
        },
    )
    return print_outcome(outcome, terminal)


def _problems(inspection: Inspection, changed: Sequence[ChangedSignature]) -> Iterator[Diagnostic]:
    path, problem = inspection.path, inspection.problem
    for change in changed:
        hint = _hint(path, changed) if change is changed[-1] else ""
        yield Diagnostic(str(path), 0, 0, "", change.message, hint)
    if problem is None:
        return
    message, hint = problem.message, ""
    if inspection.header is not None and inspection.torn:
        kind = "an interrupted recording" if inspection.partial else "a damaged cassette"
        message += f"\n  {kind} that holds {counted(inspection.events, 'whole event')}"
        hint = f"vcr-gen cassette convert --salvage {path} NEW" if inspection.events else ""
    yield Diagnostic(str(path), problem.line or 0, 0, "", message, hint)


def _hint(path: Path, changed: Sequence[ChangedSignature]) -> str:
    """The command that updates a cassette, where it is known."""
    command = ["vcr-gen", "cassette", "migrate"]
    options: list[str] = []
    for change in changed:
        migrate = shlex.join([*command, str(path)])
        if change.current is None:
            return f"record it again; `{migrate}` suggests options for renamed methods"
        found = migration_of(change.method, change.recorded, change.current)
        if found is None:
            return f"record it again; if the recorded values are still valid: {migrate}"
        options += found
    return f"{shlex.join([*command, *options, str(path)])}, or record it again"


def _described(inspection: Inspection, changed: Sequence[ChangedSignature]) -> dict[str, object]:
    problem = inspection.problem
    return {
        "path": str(inspection.path),
        "partial": inspection.partial,
        "events": inspection.events,
        "recorded_at": (inspection.header or {}).get("recorded_at"),
        "problem": problem and {"line": problem.line, "message": str(problem)},
        "changed_signatures": [asdict(change) for change in changed],
    }
