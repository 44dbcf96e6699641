"""The example projects, run from outside as its users run it."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parents[2]
EXAMPLES: Final = REPOSITORY / "docs" / "examples"


@dataclass(frozen=True)
class Example:
    """A copy of an example."""

    root: Path

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = self.read(path)
        assert text.count(old) == 1, f"{old!r} is in {path} {text.count(old)} times"
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")

    def python(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        kept = {name: value for name, value in os.environ.items() if name != "VCR_RECORD"}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={
                **kept,
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": os.pathsep.join(("src", "generated", "tests")),
                **environment,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def pytest(self, **environment: str) -> "subprocess.CompletedProcess[str]":
        options = ("-q", "-p", "no:cacheprovider", "-p", "vcr_gen.pytest_plugin")
        alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # our own tools are slow to load
        return self.python("-m", "pytest", *options, **alone, **environment)

    def replay(self) -> "subprocess.CompletedProcess[str]":
        """Replay the committed cassette; its workspace exists nowhere."""
        session = ("tests/session.py", "replay", "cassettes/release.yaml", "/nowhere/at/all")
        return self.python(*session)
