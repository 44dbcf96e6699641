"""A small project whose Protocol changes after its cassettes were recorded."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from vcr_gen.gen.output.write import apply_plan
from vcr_gen.gen.pipeline.plan_run import Request, plan_run
from vcr_gen.gen.settings.config_reader import load_config

PORTS = """
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

from vcr_gen.boundary import Secret, Unrecorded, outbound


@dataclass(frozen=True)
class Limits:
    seconds: float = 1.5
    where: Path = Path("here")


@outbound
class Shell(Protocol):
    def run(self, command: str) -> str: ...
    def words(self, text: str) -> Iterator[str]: ...
"""

RUN = """
import sys

sys.path[:0] = ["src", "generated"]
from app.ports import *
from vcr_app import VcrShell
from vcr_gen import Cassette


class Real:
    def run(self, command, *rest):
        return command.upper()

    def words(self, text):
        yield from text.split()


def program(shell):
    return [shell.run("a"), list(shell.words("b c")), shell.run("d")]


with Cassette(sys.argv[1], sys.argv[2]) as cassette:
    print(program(VcrShell.attach(cassette, Real)))
"""


@dataclass(frozen=True)
class ToolProject:
    """A project on disk; commands run in it."""

    root: Path

    def start(self) -> None:
        """Write the project and its wrappers."""
        self.write("pyproject.toml", "[tool.vcr-gen]\n")
        self.write("src/app/__init__.py", "")
        self.ports(PORTS)
        self.write("run.py", RUN)

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")

    def ports(self, text: str) -> None:
        """Another version of the Protocols, and its wrappers."""
        self.write("src/app/ports.py", text)
        apply_plan(plan_run(load_config(self.root), Request(use_cache=False)))

    def change(self, old: str, new: str) -> None:
        """Change the Protocols as they are now."""
        text = (self.root / "src/app/ports.py").read_text(encoding="utf-8")
        assert old in text
        self.ports(text.replace(old, new))

    def program(self, old: str, new: str) -> None:
        """Change the program as it is now."""
        text = (self.root / "run.py").read_text(encoding="utf-8")
        assert old in text
        self.write("run.py", text.replace(old, new))

    def run(self, tape: str, mode: str) -> "subprocess.CompletedProcess[str]":
        """Record or replay the program."""
        return self.python("run.py", tape, mode)

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            timeout=100,
            check=False,
        )

    def record(self, *tapes: str) -> None:
        for tape in tapes:
            done = self.run(tape, "all")
            assert done.returncode == 0, done.stderr
