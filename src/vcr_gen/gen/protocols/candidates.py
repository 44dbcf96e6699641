"""Finds the modules of a project that may hold Protocols to wrap, without reading them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, Literal

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.model.field_rules import split_match
from vcr_gen.gen.settings.config import BoundaryRule, Config
from vcr_gen.gen.settings.config_file import has_own_config

__all__ = ["Candidate", "candidates", "module_name"]

_WORDS: Final = (b"Protocol", b"outbound", b"inbound")
_SKIPPED: Final = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """One module that may hold classes to wrap, by its files or by rules that name it."""

    name: str
    files: list[tuple[int, Path]] = field(default_factory=list)
    rules: list[tuple[int, BoundaryRule]] = field(default_factory=list)
    """Files and rules each with their number."""

    @property
    def paths(self) -> list[str]:
        """Its files."""
        return [str(path) for _, path in self.files]

    @property
    def named(self) -> set[str]:
        """The modules that its rules name: its own, and those of functions."""
        functions = (split_match(text)[1] for _, rule in self.rules for text in rule.match)
        return {self.name, *functions} if self.rules else set()


def _source_files(config: Config) -> Iterator[tuple[Path, str]]:
    """Every source file of the project with its module name, in a stable order."""
    seen: set[Path] = set()
    for root in config.sources:
        for path in _files(root, config):
            if path not in seen:
                seen.add(path)
                yield path, module_name(path.relative_to(root))


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
    """The modules to look into, by name; a file without the right words is not one."""
    found: dict[str, Candidate] = {}
    for number, (path, name) in enumerate(_source_files(config)):
        if name and _may_hold_boundaries(path):
            found.setdefault(name, Candidate(name)).files.append((number, path))
    for number, rule in enumerate(config.boundaries):
        name = rule.protocol.partition(":")[0]
        found.setdefault(name, Candidate(name)).rules.append((number, rule))
    return [found[name] for name in sorted(found)]


def _may_hold_boundaries(path: Path) -> bool:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return False  # it went away since its folder was listed
    except OSError:
        return True  # which will be told when it is read
    return any(word in data for word in _WORDS)
