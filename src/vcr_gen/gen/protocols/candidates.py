"""Finds the source files of a project that may hold Protocols to wrap, without parsing them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Literal

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.settings.config_file import has_own_config

__all__ = ["Candidate", "candidates", "module_name"]

_WORDS: Final = (b"Protocol", b"outbound", b"inbound")
_SKIPPED: Final = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """One source file that may hold marked classes, and the name of its module."""

    path: Path
    name: str


def _files(folder: Path, config: Config) -> Iterator[Path]:
    try:
        names = {entry.name: entry for entry in os.scandir(folder)}
    except PermissionError as error:
        shown, reason = config.display(folder), f"the folder cannot be read: {error.strerror}"
        hint = "check its permissions, or `exclude` it"
        raise RefusedError([Diagnostic(shown, 0, 0, "VCR303", reason, hint)]) from error
    if "pyproject.toml" in names and folder not in config.sources and has_own_config(folder):
        return  # another project: from here, its modules would have other names
    for name in sorted(names):
        entry, path = names[name], folder / name
        if name.startswith(".") or _excluded(path, config):
            continue
        if _leads(entry) == "folder":
            environment = os.path.exists(path / "pyvenv.cfg")
            upwards = entry.is_symlink() and folder.resolve().is_relative_to(path.resolve())
            if name not in _SKIPPED and path != config.output and not environment and not upwards:
                yield from _files(path, config)
        elif name.endswith((".py", ".pyi")) and _leads(entry) == "file":
            yield path


def _leads(entry: os.DirEntry[str]) -> Literal["folder", "file", "nowhere"]:
    """Where a name leads; a dangling link, a pipe and links in a circle lead nowhere."""
    try:
        if entry.is_dir():
            return "folder"
        return "file" if entry.is_file() else "nowhere"
    except OSError:
        return "nowhere"


def _excluded(path: Path, config: Config) -> bool:
    shown = config.display(path)
    return any(
        fnmatchcase(shown, pattern) or fnmatchcase(shown, f"{pattern.rstrip('/')}/*")
        for pattern in config.exclude
    )


def module_name(relative: Path) -> str:
    """What Python calls the file at a path, relative to where it looks for modules."""
    parts = list(relative.with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def candidates(config: Config) -> list[Candidate]:
    """The files to look into, in the order of the tree; a file without the right words is none."""
    found: dict[Path, Candidate] = {}
    for root in config.sources:
        for path in _files(root, config):
            name = module_name(path.relative_to(root))
            if path not in found and name and _may_hold_boundaries(path):
                found[path] = Candidate(path, name)
    return list(found.values())


def _may_hold_boundaries(path: Path) -> bool:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return False  # it went away since its folder was listed
    except OSError:
        return True  # which will be told when it is read
    return any(word in data for word in _WORDS)
