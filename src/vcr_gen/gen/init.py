"""What a project needs before the first run: settings, a first boundary, and a word to git."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["Step", "setup_steps"]

_FIRST_BOUNDARY: Final = '''\
"""The boundaries of this program: what it asks of its environment, and what it is asked."""

from datetime import datetime
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime: ...
'''

_NOT_SEARCHED: Final = {"__pycache__", "node_modules", "site-packages", "tests"}


@dataclass(frozen=True, slots=True)
class Step:
    """One file to make or to add to."""

    path: Path
    text: str
    """The whole file as it will be; empty when it is fine as it is."""
    what: str
    """What the step does, or why there is nothing to do."""


def setup_steps(root: Path) -> Iterator[Step]:
    """The steps that set a project up; nothing that is there is replaced."""
    source = root / "src" if (root / "src").is_dir() else root
    yield _settings(root, source)
    yield _boundary(source)
    yield _attributes(root)


def _settings(root: Path, source: Path) -> Step:
    path = root / "pyproject.toml"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if "[tool.vcr-gen" in before:
        return Step(path, "", "has [tool.vcr-gen] already")
    table = (
        f'[tool.vcr-gen]\nsources = ["{source.relative_to(root).as_posix()}"]\n'
        'output = "generated"\n'
    )
    return Step(path, _appended(before, table, gap="\n"), "[tool.vcr-gen] added")


def _boundary(source: Path) -> Step:
    marked = next((path for path in _python_files(source) if _is_marked(path)), None)
    if marked is not None:
        return Step(marked, "", "has an annotated Protocol already")
    packages = sorted(
        folder.parent
        for folder in source.glob("*/__init__.py")
        if folder.parent.name not in {"generated", *_NOT_SEARCHED}
    )
    path = (packages[0] if len(packages) == 1 else source) / "ports.py"
    if path.exists():
        return Step(path, "", "exists, and is left alone: mark a Protocol in it with @outbound")
    return Step(path, _FIRST_BOUNDARY, "a first annotated Protocol, to be replaced by yours")


def _attributes(root: Path) -> Step:
    path = root / ".gitattributes"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if any(line.startswith("generated/") for line in before.splitlines()):
        return Step(path, "", "speaks of generated/ already")
    line = "generated/** linguist-generated=true text eol=lf\n"
    return Step(path, _appended(before, line), "generated files are marked for git")


def _appended(before: str, addition: str, *, gap: str = "") -> str:
    if not before.strip():
        return addition
    return before.rstrip("\n") + "\n" + gap + addition


def _python_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if not any(part.startswith(".") or part in _NOT_SEARCHED for part in parts):
            yield path


def _is_marked(path: Path) -> bool:
    try:
        return b"vcr_gen.boundary" in path.read_bytes()
    except OSError:
        return False
