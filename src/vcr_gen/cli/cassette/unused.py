"""Asks pytest which cassettes no test has any more."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from vcr_gen.errors import UsageError
from vcr_gen.pytest.constants import UNUSED_FILE

__all__ = ["Usage", "ask_pytest", "mentions"]

_FINE: Final = (0, 1, 5)
"""Exit codes of pytest after which its answer counts: passed, failed, no tests."""
_SKIPPED: Final = re.compile(r"\.|__pycache__\Z|node_modules\Z|site-packages\Z")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a test run knows of cassettes."""

    root: Path
    """pytest's own root."""
    unused: Sequence[Path]
    unjudged: Sequence[str]
    """Test modules whose cassettes are only known when they have run."""


def ask_pytest(arguments: Sequence[str], *, run_tests: bool) -> Usage:
    """Collect the tests, or run them, in a process of their own."""
    if find_spec("pytest") is None:
        raise UsageError("pytest is not installed here: nobody knows which cassettes are used")
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
            raise UsageError(f"pytest could not tell which cassettes are used:\n{output}")
        told = json.loads(answer.read_text(encoding="utf-8"))
    return Usage(Path(told["root"]), [Path(path) for path in told["unused"]], told["unjudged"])


def mentions(root: Path, cassettes: Iterable[Path]) -> dict[Path, str]:
    """The cassettes that some Python file names, and where: code may open them by itself.

    The file's whole name counts, and that of its folder in quotes.
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
