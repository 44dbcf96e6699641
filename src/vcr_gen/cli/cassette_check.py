"""`vcr-gen cassette check`: reads cassettes to the end, and says what is wrong with which."""

import argparse
import json
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette_files import Inspection, Watch, find_cassettes, inspect_cassette
from vcr_gen.cli.report import counted
from vcr_gen.cli.terminal import Terminal

__all__ = ["add_parser", "run"]

_JSON_VERSION: Final = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "check",
        help="read cassettes to the end and say what is wrong with which",
        description="Read cassettes to the end. Exit 1 if one is torn, damaged or only partial.",
    )
    add = parser.add_argument
    add("paths", nargs="*", type=Path, default=[Path()], help="files and folders (default: here)")
    add("--json", action="store_true", help="print one JSON document")
    add("-q", "--quiet", action="store_true", help="only print problems")
    add("-v", "--verbose", action="store_true", help="also name the cassettes that are fine")


def run(arguments: argparse.Namespace) -> int:
    """Check every file, whatever is wrong with the ones before."""
    terminal = Terminal(quiet=arguments.quiet, verbose=arguments.verbose)
    paths = find_cassettes(arguments.paths)
    with terminal.progress("checking", percent=True) as draw:
        watch = Watch(paths, draw)
        inspections = [inspect_cassette(path, watch) for path in paths]
    problems = sum(inspection.problem is not None for inspection in inspections)
    if arguments.json:
        terminal.data(json.dumps(_document(inspections), indent=2))
    else:
        for inspection in inspections:
            _tell(inspection, terminal)
        events = sum(inspection.events for inspection in inspections)
        found = f"{problems} with problems" if problems else "fine"
        terminal.note(
            f"{counted(len(inspections), 'cassette')}, {counted(events, 'event')}: {found}"
        )
    return 1 if problems else 0


def _tell(inspection: Inspection, terminal: Terminal) -> None:
    if inspection.problem is None:
        terminal.detail(f"{inspection.path}: fine, {counted(inspection.events, 'event')}")
        return
    terminal.data(str(inspection.problem))
    if inspection.header is None:
        return
    held = counted(inspection.events, "whole event")
    kind = "an interrupted recording" if inspection.partial else "a damaged cassette"
    terminal.data(f"  {kind} that holds {held}")
    if inspection.events:
        terminal.data(f"  hint: vcr-gen cassette convert --salvage {inspection.path} NEW")


def _document(inspections: list[Inspection]) -> dict[str, object]:
    return {
        "version": _JSON_VERSION,
        "cassettes": [
            {
                "path": str(inspection.path),
                "partial": inspection.partial,
                "events": inspection.events,
                "recorded_at": (inspection.header or {}).get("recorded_at"),
                "problem": inspection.problem
                and {"line": inspection.problem.line, "message": str(inspection.problem)},
            }
            for inspection in inspections
        ],
    }
