"""`vcr-gen cassette list`: one line for each cassette."""

import argparse
import json
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette_files import find_cassettes
from vcr_gen.cli.terminal import Terminal
from vcr_gen.errors import CassetteError
from vcr_gen.runtime.loading import Reading

__all__ = ["add_parser", "run"]

_JSON_VERSION: Final = 1


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "list",
        help="one line for each cassette",
        description="List cassettes: events, bytes, when recorded. Does not read the events.",
    )
    add = parser.add_argument
    add("paths", nargs="*", type=Path, default=[Path()], help="files and folders (default: here)")
    add("--json", action="store_true", help="print one JSON document")


def run(arguments: argparse.Namespace) -> int:
    """List every file; one that cannot be used is listed with the reason."""
    terminal = Terminal()
    paths = find_cassettes(arguments.paths)
    rows = []
    with terminal.progress("listing") as draw:
        for number, path in enumerate(paths):
            draw(number, len(paths))
            rows.append(_row(path))
    if arguments.json:
        terminal.data(json.dumps({"version": _JSON_VERSION, "cassettes": rows}, indent=2))
        return 0
    for row in rows:
        if row["problem"]:
            terminal.data(f"{'-':>8} {'-':>10}  {'unusable':<32}  {row['path']}")
        else:
            when = row["recorded_at"] or "-"
            terminal.data(f"{row['events']:>8} {row['bytes']:>10}  {when!s:<32}  {row['path']}")
    return 0


def _row(path: Path) -> dict[str, object]:
    row: dict[str, object] = {"path": str(path), "problem": None}
    try:
        with Reading(path) as reading:
            row["events"] = reading.count
            row["bytes"] = path.stat().st_size
            row["recorded_at"] = reading.header.get("recorded_at")
    except CassetteError as error:
        row["problem"] = str(error)
    return row
