"""Mini-projects: write files, run the real command, look at the result."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from command_line import Run, run_command

PORTS = '''
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from vcr_gen.boundary import inbound, outbound


@dataclass(frozen=True)
class Step:
    name: str


@outbound
class StepRunner(Protocol):
    """Runs one step in the environment."""

    def execute(self, step: Step, *, working_dir: Path) -> AsyncIterator[str]:
        """Runs it."""
        ...

    @property
    def name(self) -> str: ...


@inbound(name="server")
class ScriptServer(Protocol):
    async def start(self, name: str, arguments: str = "") -> str: ...
'''


@dataclass(frozen=True)
class Project:
    """A folder with a project in it."""

    root: Path

    def write(self, path: str, text: str) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        return file

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert old in text, f"{old!r} is not in {path}"
        (self.root / path).write_text(text.replace(old, new, 1), encoding="utf-8", newline="")

    def files(self, folder: str = "generated") -> dict[str, bytes]:
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted((self.root / folder).rglob("*"))
            if path.is_file()
        }

    def run(self, *arguments: str, **environment: str) -> Run:
        """Run `vcr-gen` in this process."""
        return run_command(*arguments, cwd=self.root, environment={**os.environ, **environment})

    def run_process(self, *arguments: str, **environment: str) -> Run:
        """Run `vcr-gen` in a process of its own, for what only a new process shows."""
        done = subprocess.run(
            [sys.executable, "-m", "vcr_gen", *arguments],
            cwd=self.root,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **environment},
            timeout=300,
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())
