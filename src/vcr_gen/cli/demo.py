"""`vcr-gen demo`: a tour on a copy of the example: generate, check, record, replay, catch."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Final, NamedTuple

from vcr_gen.cli.common_options import report_refusals, require_extra
from vcr_gen.cli.outcome import DIFFERENT, FINE
from vcr_gen.cli.terminal import Terminal
from vcr_gen.errors import VcrError
from vcr_gen.gen.resources import example_dir

_PORTS: Final = "src/agent_server/ports.py"
_SERVER: Final = "src/agent_server/server.py"
_NOT_COPIED: Final = ("generated", "cassettes", "__pycache__", ".*")
_SECONDS: Final = 60
"""Timeout for each part of the tour."""


class DemoError(VcrError):
    """A part of the tour had an unexpected result."""


class Edit(NamedTuple):
    """A change to one line of the example."""

    path: str
    before: str
    after: str


_RENAMED: Final = Edit(_PORTS, "def write(self, path: Path,", "def write(self, target: Path,")
_BUG: Final = Edit(_SERVER, "output.append(text)", "output = [text]")


def add_parser(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "demo",
        description=(
            "Copy the example project to a temporary folder and show the whole workflow: "
            "generate wrappers, check drift, record for real, replay, catch a change."
        ),
    )
    parser.add_argument("--keep", action="store_true", help="keep the folder")


def run(arguments: argparse.Namespace) -> int:
    """Take the tour; exit 1 if a part has an unexpected result."""
    terminal = Terminal()
    return report_refusals(lambda: _run(terminal, keep=arguments.keep), terminal)


def _run(terminal: Terminal, *, keep: bool) -> int:
    require_extra()
    folder = Path(tempfile.mkdtemp(prefix="vcr-gen-demo-")).resolve()
    try:
        project = folder / "agent_server"
        shutil.copytree(example_dir(), project, ignore=shutil.ignore_patterns(*_NOT_COPIED))
        _Tour(project, terminal).take()
    except DemoError as error:
        terminal.note(f"vcr-gen: the demo failed: {error}")
        return DIFFERENT
    finally:
        if keep:
            terminal.note(f"the project is in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return FINE


@dataclass(frozen=True, slots=True)
class _Tour:
    project: Path
    terminal: Terminal

    def take(self) -> None:
        say = self.terminal.data
        say(f"A copy of the example, a server that runs shell steps for an agent: {self.project}")

        self._title("1. Generate wrappers for the Protocols marked @outbound and @inbound")
        self._command("vcr-gen")

        self._title("2. Check drift: the wrappers fit; then a parameter is renamed in a Protocol")
        self._command("vcr-gen --check")
        self._with(_RENAMED, "vcr-gen --check")

        self._title("3. Record a session against the real environment: processes, files, clock")
        self._command("python tests/session.py record session.yaml workspace")
        self._command("vcr-gen cassette check -v session.yaml")

        self._title("4. Replay it: all of the server's code runs, no process, no file, no waiting")
        shutil.rmtree(self.project / "workspace")
        self._command("python tests/session.py replay session.yaml workspace")
        say("  every event of the tape was used, and every value was the same")

        self._title(
            "5. Catch a change: of a step's output, the server now keeps only the last line"
        )
        self._with(_BUG, "python tests/session.py replay session.yaml workspace")

    def _title(self, text: str) -> None:
        self.terminal.data(f"\n{self.terminal.paint(text, 'bold')}")

    def _with(self, edit: Edit, command: str) -> None:
        """Make a change, show that the command detects it, and undo it."""
        self.terminal.data(f"  {edit.path}:\n    - {edit.before}\n    + {edit.after}")
        file = self.project / edit.path
        text = file.read_text(encoding="utf-8")
        if text.count(edit.before) != 1:
            raise DemoError(f"{file}: expected {edit.before!r} once")
        file.write_text(text.replace(edit.before, edit.after), encoding="utf-8")
        self._command(command, expected=1)
        file.write_text(text, encoding="utf-8")

    def _command(self, command: str, *, expected: int = 0) -> None:
        self.terminal.data(f"  $ {command}")
        began = time.monotonic()
        done = _execute(command, self.project)
        took = time.monotonic() - began
        output = done.stdout + done.stderr
        if done.returncode != expected:
            raise DemoError(f"{command}: expected exit code {expected}\n{indent(output, '  ')}")
        self.terminal.data(indent(_without_traceback(output), "    "))
        self.terminal.data(f"    exit code {done.returncode}, {took:.1f} s")


def _execute(command: str, project: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of the tour with the current Python interpreter."""
    program, *rest = command.split()
    module = ["-m", "vcr_gen"] if program == "vcr-gen" else []
    environment = {name: value for name, value in os.environ.items() if name != "VCR_RECORD"}
    environment |= {"PYTHONPATH": os.pathsep.join(("src", "generated")), "PYTHONUTF8": "1"}
    try:
        return subprocess.run(
            [sys.executable, *module, *rest],
            cwd=project,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DemoError(f"{command}: no end after {_SECONDS} s") from error


def _without_traceback(output: str) -> str:
    """The message of a failed replay without its traceback."""
    return output.rpartition("vcr_gen.errors.DivergenceError: ")[2]
