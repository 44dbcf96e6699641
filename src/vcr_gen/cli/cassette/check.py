"""`vcr-gen cassette check`: reads whole cassettes and reports problems."""

import argparse
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from vcr_gen.cli.cassette.cassette_files import (
    Inspection,
    Watch,
    find_cassettes,
    inspect_cassette,
    recorded_by,
)
from vcr_gen.cli.cassette.project_wrappers import (
    Wrappers,
    add_config_option,
    describe_project_wrappers,
)
from vcr_gen.cli.outcome import DIFFERENT, FINE, counted
from vcr_gen.cli.terminal import Terminal, add_output_format
from vcr_gen.runtime.failures.signature_drift import migration_of
from vcr_gen.tapes.recorded_signatures import (
    ChangedSignature,
    changed_signatures,
    renamed_boundaries,
)

__all__ = ["add_parser", "run"]


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
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        type=Path,
        default=[Path()],
        help="files and folders (default: current folder)",
    )
    add("--no-signatures", action="store_true", help="do not import the project's wrappers")
    add_config_option(parser)
    add_output_format(parser)
    add("-q", "--quiet", action="store_true", help="only print problems")
    add("-v", "--verbose", action="store_true", help="also list cassettes without problems")


def run(arguments: argparse.Namespace) -> int:
    """Check every file, also after problems in earlier ones."""
    terminal = Terminal(quiet=arguments.quiet, verbose=arguments.verbose)
    paths = find_cassettes(arguments.paths)
    with terminal.progress("checking", percent=True) as draw:
        watch = Watch(paths, draw)
        inspections = [inspect_cassette(path, watch) for path in paths]
    wrappers = _ask(inspections, arguments)
    wrappers = replace(wrappers, remarks=wrappers.remarks + _renamed(inspections, wrappers))
    changed = {inspection.path: _changed(inspection, wrappers) for inspection in inspections}
    problems = sum(
        inspection.problem is not None or bool(changed[inspection.path])
        for inspection in inspections
    )
    if arguments.output_format == "json":
        document = _document(inspections, changed, wrappers)
        terminal.document(document)
    else:
        for inspection in inspections:
            _tell(inspection, changed[inspection.path], terminal)
        for remark in wrappers.remarks:
            terminal.note(remark)
        events = sum(inspection.events for inspection in inspections)
        found = f"{problems} with problems" if problems else "fine"
        counts = f"{counted(len(inspections), 'cassette')}, {counted(events, 'event')}"
        terminal.note(f"{counts}: {found}")
    return DIFFERENT if problems else FINE


def _ask(inspections: Sequence[Inspection], arguments: argparse.Namespace) -> Wrappers:
    """The project's wrappers, if any cassette has calls to compare."""
    if arguments.no_signatures or not any(inspection.called for inspection in inspections):
        return Wrappers(None)
    return describe_project_wrappers(arguments.config)


def _changed(inspection: Inspection, wrappers: Wrappers) -> list[ChangedSignature]:
    if inspection.problem is not None or wrappers.described is None:
        return []
    return list(changed_signatures(recorded_by(inspection), wrappers.described))


def _renamed(inspections: Sequence[Inspection], wrappers: Wrappers) -> tuple[str, ...]:
    """Remarks about boundaries that may have been renamed."""
    if wrappers.described is None:
        return ()
    return tuple(
        f"{inspection.path}: no wrapper of `{old}` found; "
        f"if it was renamed: vcr-gen cassette migrate --rename-boundary {old}={new}"
        for inspection in inspections
        if inspection.problem is None
        for old, new in renamed_boundaries(recorded_by(inspection), wrappers.described)
    )


def _tell(inspection: Inspection, changed: Sequence[ChangedSignature], terminal: Terminal) -> None:
    path = inspection.path
    if inspection.problem is None:
        if not changed:
            terminal.detail(f"{path}: fine, {counted(inspection.events, 'event')}")
        for change in changed:
            terminal.data(f"{path}: {change.words}")
        if changed:
            terminal.data(f"  hint: {_hint(path, changed)}")
        return
    terminal.data(str(inspection.problem))
    if inspection.header is None or not inspection.torn:
        return
    held = counted(inspection.events, "whole event")
    kind = "an interrupted recording" if inspection.partial else "a damaged cassette"
    terminal.data(f"  {kind} that holds {held}")
    if inspection.events:
        terminal.data(f"  hint: vcr-gen cassette convert --salvage {path} NEW")


def _hint(path: Path, changed: Sequence[ChangedSignature]) -> str:
    """The command that updates a cassette, where it is known."""
    options: list[str] = []
    for change in changed:
        found = migration_of(change.method, change.recorded, change.current)
        if change.current is None or found is None:
            command = shlex.join(["vcr-gen", "cassette", "migrate", str(path)])
            return f"record it again; `{command}` shows other options"
        options += found
    command = shlex.join(["vcr-gen", "cassette", "migrate", *options, str(path)])
    return f"{command}, or record it again"


def _document(
    inspections: Sequence[Inspection],
    changed: Mapping[Path, Sequence[ChangedSignature]],
    wrappers: Wrappers,
) -> dict[str, object]:
    return {
        "signatures_compared": wrappers.described is not None,
        "remarks": list(wrappers.remarks),
        "cassettes": [
            {
                "path": str(inspection.path),
                "partial": inspection.partial,
                "events": inspection.events,
                "recorded_at": (inspection.header or {}).get("recorded_at"),
                "problem": inspection.problem
                and {"line": inspection.problem.line, "message": str(inspection.problem)},
                "changed_signatures": [
                    {
                        "method": change.method,
                        "recorded": change.recorded,
                        "current": change.current,
                        "message": change.words,
                    }
                    for change in changed[inspection.path]
                ],
            }
            for inspection in inspections
        ],
    }
