"""The one walk over the source folders of a project: every file is listed and read once."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path
from typing import Final, Literal

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.settings.config import Config
from vcr_gen.gen.settings.config_reader import has_own_config

MISSING: Final = ""
"""The digest of a file that does not exist or cannot be read."""

_SETTINGS: Final = "pyproject.toml"
_WORDS: Final = (b"Protocol", b"outbound", b"inbound")
_SKIPPED: Final = frozenset({"node_modules", "site-packages", "build", "dist"})


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A Python file below a source folder, or the settings of a project inside the project."""

    path: str
    module: str
    """Its module name; empty for settings, and for an `__init__` in a source folder itself."""
    searched: bool
    """Whether it is searched for boundaries: it is not excluded, and belongs to this project."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that is searched for boundaries, with what was read from it."""

    path: Path
    module: str
    data: bytes | None
    """None if it cannot be read; parsing it reports the reason."""
    digest: str
    candidate: bool
    """Whether it may contain marked classes: it has one of the words that they need."""


def list_files(config: Config) -> Iterator[ListedFile]:
    """Every Python file below the source folders, in the order of the tree."""
    for root in config.sources:
        yield from _Walk(config, str(root)).files()


def read_sources(config: Config) -> list[SourceFile]:
    """Every file that is searched for boundaries; a file in two source folders counts once."""
    found: dict[str, SourceFile] = {}
    for file in list_files(config):
        if file.searched and file.path not in found:
            source = _read(file)
            if source is not None:
                found[file.path] = source
    return list(found.values())


def module_name(relative: Path) -> str:
    """The module name of a file, from its path relative to an import root."""
    parts = list(relative.with_suffix("").parts)
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def digest(data: bytes) -> str:
    """A hash of a text that ignores whether lines end with LF or CRLF."""
    return blake2b(data.replace(b"\r\n", b"\n"), digest_size=16).hexdigest()


def digest_at(path: str) -> str:
    """The digest of a file, or of the names in a folder; `MISSING` when there is neither.

    Caches and hidden files do not count.
    """
    try:
        with open(path, "rb") as file:
            return digest(file.read())
    except IsADirectoryError:
        names = (name for name in os.listdir(path) if not name.startswith((".", "__pycache__")))
        return digest("\n".join(sorted(names)).encode())
    except OSError:
        return MISSING


def _read(file: ListedFile) -> SourceFile | None:
    path = Path(file.path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None  # it was removed since its folder was listed
    except OSError:
        return SourceFile(path, file.module, None, MISSING, candidate=bool(file.module))
    candidate = bool(file.module) and any(word in data for word in _WORDS)
    return SourceFile(path, file.module, data, digest(data), candidate)


@dataclass(frozen=True, slots=True)
class _Walk:
    """Walks one source folder."""

    config: Config
    root: str

    def files(self) -> Iterator[ListedFile]:
        return self._inside(self.root, (os.path.realpath(self.root),), searched=True)

    def _inside(
        self, folder: str, above: tuple[str, ...], *, searched: bool
    ) -> Iterator[ListedFile]:
        """The files of a folder; `above` are the real paths of the folder and its parents."""
        entries = self._entries(folder, searched=searched)
        if _SETTINGS in entries and folder != self.root:
            yield ListedFile(os.path.join(folder, _SETTINGS), "", searched=False)
            if Path(folder) not in self.config.sources and has_own_config(Path(folder)):
                searched = False  # another project: from here, its modules would have other names
        for name in sorted(entries):
            path = os.path.join(folder, name)
            if name.startswith((".", "__pycache__")):
                continue
            inner = searched and not self._is_excluded(path)
            kind = _kind(entries[name])
            if kind == "folder":
                is_link = entries[name].is_symlink()
                real = os.path.realpath(path) if is_link else os.path.join(above[-1], name)
                if self._is_entered(real, above):
                    inner = inner and name not in _SKIPPED
                    yield from self._inside(path, (*above, real), searched=inner)
            elif kind == "file" and name.endswith((".py", ".pyi")):
                yield ListedFile(path, module_name(Path(path).relative_to(self.root)), inner)

    def _entries(self, folder: str, *, searched: bool) -> dict[str, os.DirEntry[str]]:
        try:
            return {entry.name: entry for entry in os.scandir(folder)}
        except PermissionError as error:
            if not searched:
                return {}
            shown = self.config.display(Path(folder))
            reason = f"the folder cannot be read: {error.strerror}"
            hint = "check its permissions, or `exclude` it"
            raise RefusedError([Diagnostic(shown, 0, 0, "VCR303", reason, hint)]) from error

    def _is_entered(self, real: str, above: tuple[str, ...]) -> bool:
        """Whether a folder is not our output, an environment, or a link to a parent."""
        if real == str(self.config.output) or os.path.exists(os.path.join(real, "pyvenv.cfg")):
            return False
        return not any(f"{folder}{os.sep}".startswith(f"{real}{os.sep}") for folder in above)

    def _is_excluded(self, path: str) -> bool:
        if not self.config.exclude:
            return False
        shown = self.config.in_project(Path(path))
        return any(
            fnmatchcase(shown, pattern) or fnmatchcase(shown, f"{pattern.rstrip('/')}/*")
            for pattern in self.config.exclude
        )


def _kind(entry: os.DirEntry[str]) -> Literal["folder", "file", "other"]:
    """The kind of an entry; dangling links, pipes and circular links are `other`."""
    try:
        if entry.is_dir():
            return "folder"
        return "file" if entry.is_file() else "other"
    except OSError:
        return "other"
