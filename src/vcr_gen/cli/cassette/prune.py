"""`vcr-gen cassette prune`: removes unused cassettes."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from vcr_gen.cli.cassette.cassette_files import find_cassettes, is_cassette
from vcr_gen.cli.outcome import DIFFERENT, FINE, counted
from vcr_gen.cli.terminal import Terminal, add_output_format
from vcr_gen.errors import CassetteMissingError, UsageError
from vcr_gen.pytest.constants import UNUSED_FILE
from vcr_gen.runtime.tape.reading import is_partial
from vcr_gen.runtime.tape.recording import remove_cassette

__all__ = ["Usage", "add_parser", "ask_pytest", "mentions", "run"]


_FINE: Final = (0, 1, 5)
"""Exit codes of pytest with a valid answer: passed, failed, no tests."""
_SKIPPED: Final = re.compile(r"\.|__pycache__\Z|node_modules\Z|site-packages\Z")


@dataclass(frozen=True, slots=True)
class Usage:
    """Which cassettes the tests use, as reported by pytest."""

    root: Path
    """The root directory of pytest."""
    unused: Sequence[Path]
    unjudged: Sequence[str]
    """Test modules whose cassettes are known only after the tests have run."""


def ask_pytest(arguments: Sequence[str], *, run_tests: bool) -> Usage:
    """Collect or run the tests in a separate process."""
    if find_spec("pytest") is None:
        raise UsageError("pytest is not installed, so unused cassettes cannot be determined")
    with tempfile.TemporaryDirectory(prefix="vcr-gen-") as folder:
        answer = Path(folder, "unused.json")
        command = [sys.executable, "-m", "pytest"]
        command += ["--vcrgen-check-unused", "--vcrgen-mode=none", "-q"]
        command += [] if run_tests else ["--collect-only"]
        done = subprocess.run(
            [*command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                **os.environ,
                "VCR_RECORD": "",
                UNUSED_FILE: str(answer),
            },  # nothing is recorded here
            check=False,
        )
        if done.returncode not in _FINE or not answer.exists():
            output = done.stdout.decode(errors="replace").strip()
            raise UsageError(f"pytest could not determine which cassettes are used:\n{output}")
        told = json.loads(answer.read_text(encoding="utf-8"))
    return Usage(Path(told["root"]), [Path(path) for path in told["unused"]], told["unjudged"])


def mentions(root: Path, cassettes: Iterable[Path]) -> dict[Path, str]:
    """The cassettes that a Python file mentions, and where: code may open them directly.

    The name of the file counts, and the name of its folder in quotes.
    """
    words: dict[Path, tuple[str, ...]] = {
        path: (path.name, f'"{path.parent.name}"', f"'{path.parent.name}'", f"{path.parent.name}/")
        for path in cassettes
    }
    found: dict[Path, str] = {}
    for file in _python_files(root) if words else ():
        text = file.read_text(encoding="utf-8", errors="replace")
        for path, names in words.items():
            place = next((text.find(name) for name in names if name in text), -1)
            if place >= 0 and path not in found:
                found[path] = f"{file}:{text.count(chr(10), 0, place) + 1}"
    return found


def _python_files(root: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not _SKIPPED.match(name))
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        yield from (Path(place, name) for name in sorted(files) if name.endswith(".py"))


@dataclass(frozen=True, slots=True)
class _Finding:
    """The cassettes to delete, and the unused ones to keep."""

    removable: Sequence[Path]
    kept: dict[Path, str]
    """Cassettes that a source file mentions, and where."""
    unjudged: Sequence[str]


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this action."""
    parser = subparsers.add_parser(
        "prune",
        help="remove unused cassettes",
        usage=(
            "%(prog)s [-h] [--yes] [--partial] [--run-tests] [--output-format {text,json}] "
            "[FOLDERS] [-- PYTEST]"
        ),
        description=(
            "List the cassettes that no test uses, according to pytest; --yes deletes them. "
            "Arguments after -- are passed to pytest. Exit 1 if there is anything to delete."
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
    add("--partial", action="store_true", help="also partial files of interrupted recordings")
    add(
        "--run-tests",
        action="store_true",
        help="run the tests, to find cassettes that they open directly",
    )
    add_output_format(parser)
    parser.set_defaults(takes_rest=True)


def run(arguments: argparse.Namespace) -> int:
    """List, or delete."""
    terminal = Terminal()
    for folder in arguments.folders:
        if not folder.is_dir():
            raise CassetteMissingError("no such folder", path=folder)
    usage = ask_pytest(arguments.rest, run_tests=arguments.run_tests)
    finding = _find(usage, arguments.folders, partial=arguments.partial)
    if arguments.yes:
        for path in finding.removable:
            remove_cassette(path)
            with suppress(OSError):  # a folder that is not empty stays
                path.parent.rmdir()
    if arguments.output_format == "json":
        terminal.document(_document(finding, deleted=arguments.yes))
    else:
        _tell(finding, terminal, arguments)
    return DIFFERENT if finding.removable and not arguments.yes else FINE


def _find(usage: Usage, folders: Sequence[Path], *, partial: bool) -> _Finding:
    roots = [folder.resolve() for folder in folders]
    here = [
        path
        for path in usage.unused
        if any(path.resolve().is_relative_to(root) for root in roots) and is_cassette(path)
    ]
    kept = mentions(usage.root, here)
    removable = [path for path in here if path not in kept]
    if partial:
        found = find_cassettes(folders)
        removable += [path for path in found if is_partial(path) and is_cassette(path)]
    return _Finding(removable, kept, usage.unjudged)


def _tell(finding: _Finding, terminal: Terminal, arguments: argparse.Namespace) -> None:
    verb = "deleted" if arguments.yes else "unused"
    for path in finding.removable:
        terminal.data(f"{verb} {_shown(path)}")
    for path, place in finding.kept.items():
        terminal.note(f"kept {_shown(path)}: mentioned in {_shown(Path(place))}")
    if finding.unjudged:
        modules = ", ".join(_shown(Path(module)) for module in finding.unjudged)
        if arguments.run_tests:
            terminal.note(f"not judged, because not all of their tests passed: {modules}")
        else:
            terminal.note(
                f"not judged, because their tests open cassettes while they run: {modules}\n"
                "  hint: --run-tests runs them"
            )
    count = counted(len(finding.removable), "unused cassette")
    if arguments.yes:
        terminal.note(f"{count} deleted")
    elif finding.removable:
        terminal.note(f"{count}; nothing was deleted\nto delete: {_command(arguments)}")
    else:
        terminal.note("no unused cassettes")


def _command(arguments: argparse.Namespace) -> str:
    """The command that deletes the listed files."""
    options = [
        f"--{name.replace('_', '-')}"
        for name in ("partial", "run_tests")
        if getattr(arguments, name)
    ]
    folders = [str(folder) for folder in arguments.folders if folder != Path()]
    rest = ["--", *arguments.rest] if arguments.rest else []
    return shlex.join(["vcr-gen", "cassette", "prune", "--yes", *options, *folders, *rest])


def _shown(path: Path) -> str:
    """A path relative to the current folder, if that is shorter."""
    here = Path.cwd()
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)


def _document(finding: _Finding, *, deleted: bool) -> dict[str, object]:
    return {
        "deleted": deleted,
        "unused": [str(path) for path in finding.removable],
        "kept": [{"path": str(path), "named_in": place} for path, place in finding.kept.items()],
        "unjudged": list(finding.unjudged),
    }
