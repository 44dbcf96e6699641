"""Commands on a pseudo-terminal, as a person runs them."""

import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Shown:
    """What a command came to."""

    code: int
    shown: str
    """What the terminal showed, both streams together, with `\\n` for line ends."""


def run_in_terminal(*arguments: str, cwd: Path, **environment: str) -> Shown:
    """Run `vcr-gen` with a terminal for all three streams."""
    return run_python_in_terminal("-m", "vcr_gen", *arguments, cwd=cwd, **environment)


def run_python_in_terminal(*arguments: str, cwd: Path, **environment: str) -> Shown:
    """Run Python with a terminal for all three streams."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd,
        stdin=child,
        stdout=child,
        stderr=child,
        env={**os.environ, "TERM": "xterm", **environment},
    )
    os.close(child)
    shown = b""
    while data := _read(parent):
        shown += data
    code = process.wait()
    os.close(parent)
    return Shown(code, shown.decode().replace("\r\n", "\n"))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""
