"""`vcr-gen cassette prune`: removes unused cassettes."""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from vcr_gen.cli.cassette.cassette_files import is_cassette
from vcr_gen.cli.outcome import DIFFERENT, FINE, FileNote, Outcome, counted, print_outcome
from vcr_gen.cli.terminal import Terminal, add_output_options
from vcr_gen.errors import CassetteMissingError, UsageError
from vcr_gen.pytest.constants import UNUSED_FILE
from vcr_gen.runtime.tape.recording import remove_cassette

_FINE: Final = (0, 1, 5)
"""Exit codes of pytest with a valid answer: passed, failed, no tests."""


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "prune",
        help="remove unused cassettes",
        description=(
            "List the cassettes that no test uses, according to pytest; --yes deletes them. "
            "Exit 1 if there is anything to delete."
        ),
    )
    add = parser.add_argument
    add(
        "folders",
        nargs="*",
        type=Path,
        default=[Path()],
        help="folders to search (default: current folder)",
    )
    add("--yes", action="store_true", help="delete the listed files")
    add_output_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """List the unused cassettes, or delete them."""
    for folder in arguments.folders:
        if not folder.is_dir():
            raise CassetteMissingError("no such folder", path=folder)
    answer = _ask_pytest()
    roots = [folder.resolve() for folder in arguments.folders]
    unused = [
        path
        for path in map(Path, answer["unused"])
        if any(path.resolve().is_relative_to(root) for root in roots) and is_cassette(path)
    ]
    if arguments.yes:
        for path in unused:
            remove_cassette(path)
            with suppress(OSError):  # a folder that is not empty stays
                path.parent.rmdir()
    notes = []
    if answer["unjudged"]:
        modules = ", ".join(_shown(Path(module)) for module in answer["unjudged"])
        notes.append(
            f"not judged, because their tests open cassettes while they run: {modules}\n"
            "  hint: pytest --vcrgen-check-unused runs the tests and lists unused cassettes"
        )
    found = counted(len(unused), "unused cassette")
    if not unused:
        notes.append("no unused cassettes")
    elif arguments.yes:
        notes.append(f"{found} deleted")
    else:
        folders = [str(folder) for folder in arguments.folders if folder != Path()]
        command = shlex.join(["vcr-gen", "cassette", "prune", "--yes", *folders])
        notes.append(f"{found}; nothing was deleted\nto delete: {command}")
    verb = "deleted" if arguments.yes else "unused"
    outcome = Outcome(
        code=DIFFERENT if unused and not arguments.yes else FINE,
        files=[FileNote(_shown(path), verb) for path in unused],
        summary="\n".join(notes),
        document={
            "deleted": arguments.yes,
            "unused": [str(path) for path in unused],
            "unjudged": answer["unjudged"],
        },
    )
    return print_outcome(outcome, Terminal.of(arguments))


def _ask_pytest() -> dict[str, Any]:
    """The unused cassettes, according to pytest, which collects the tests in another process."""
    if find_spec("pytest") is None:
        raise UsageError("pytest is not installed, so unused cassettes cannot be determined")
    command = ["pytest", "--vcrgen-check-unused", "--vcrgen-mode=none", "-q", "--collect-only"]
    with tempfile.TemporaryDirectory(prefix="vcr-gen-") as folder:
        answer = Path(folder, "unused.json")
        done = subprocess.run(
            [sys.executable, "-m", *command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "VCR_RECORD": "", UNUSED_FILE: str(answer)},
            check=False,
        )
        if done.returncode not in _FINE or not answer.exists():
            output = done.stdout.decode(errors="replace").strip()
            raise UsageError(f"pytest could not determine which cassettes are used:\n{output}")
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


def _shown(path: Path) -> str:
    """A path relative to the current folder, if that is shorter."""
    here = Path.cwd()
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
