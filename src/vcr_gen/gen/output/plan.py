"""Plans the changes that make the files match the sources; it reads and never writes."""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.ownership import is_ours, stale_files
from vcr_gen.gen.settings.config import Config

Kind: TypeAlias = Literal["changed", "missing", "stale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One generated file that must change."""

    path: Path
    kind: Kind
    before: str
    """What is on disk; empty when it is missing."""
    after: str
    """What should be there; empty when it is stale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All changes, in order of path, and the number of unchanged files."""

    changes: tuple[Change, ...]
    unchanged: int
    notes: tuple[str, ...] = ()
    """Remarks about Protocols that can be wrapped; empty if nothing had to be generated."""


def make_plan(config: Config, files: Mapping[Path, str], owned: Iterable[Path]) -> Plan:
    """Compare the wanted files with the disk; `owned` are our files on disk.

    Raises `RefusedError` when anything that is not ours is in the way of a file.
    """
    changes: list[Change] = []
    problems: list[Diagnostic] = []
    spelled: dict[str, Path] = {}
    for path, text in sorted(files.items()):
        twin = spelled.setdefault(str(path).casefold(), path)
        problem = _obstacle(config, path) if twin is path else _same_file(config, path, twin)
        if problem is not None:
            problems.append(problem)
            continue
        before = _read(path)
        if before is None:
            changes.append(Change(path=path, kind="missing", before="", after=text))
        elif not is_ours(before):
            problems.append(_foreign(config, path))
        elif not same_text(before, text):
            changes.append(Change(path=path, kind="changed", before=before, after=text))
    if problems:
        raise RefusedError(problems)
    fine = len(files) - len(changes)
    changes += (
        Change(path=path, kind="stale", before=_read(path) or "", after="")
        for path in stale_files(config, files, owned)
    )
    return Plan(changes=tuple(sorted(changes, key=lambda c: c.path)), unchanged=fine)


def same_text(first: str, second: str) -> bool:
    """Whether two texts are equal except for line ends: git may check files out with CRLF."""
    return _plain(first) == _plain(second)


def unified_diff(config: Config, plan: Plan) -> Iterator[str]:
    """The lines of one diff from the disk to the wanted files, missing ones included."""
    for change in plan.changes:
        yield from _diff(config.in_project(change.path), change)


def summary(plan: Plan, verbs: dict[str, str]) -> str:
    """A summary: `1 changed, 2 missing, 5 unchanged`."""
    counts = [
        f"{count} {verb}"
        for kind, verb in verbs.items()
        if (count := sum(change.kind == kind for change in plan.changes))
    ]
    return ", ".join([*counts, f"{plan.unchanged} unchanged"])


def _plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RefusedError(
            [Diagnostic(str(path), 0, 0, "VCR303", f"cannot be read: {error.strerror}", "")]
        ) from error


def _obstacle(config: Config, path: Path) -> Diagnostic | None:
    """Report what is in the place of the file or of one of its folders."""
    for place in (path, *path.parents):
        what = None
        if place.is_symlink() and place != config.output and place.is_relative_to(config.output):
            what = "a symbolic link"
        elif place == path and place.exists() and not place.is_file():
            what = "a folder" if place.is_dir() else "a special file"
        elif place != path and place.exists() and not place.is_dir():
            what = "a file, where a folder is needed,"
        if what is not None:
            return Diagnostic(
                config.display(place),
                0,
                0,
                "VCR302",
                f"{what} is in the way of the generated file {config.display(path)}",
                "remove it, or set another `output` in [tool.vcr-gen]",
            )
        if place != path and place.is_dir() and config.output.is_relative_to(place):
            break  # the parents of a folder are folders
    return None


def _same_file(config: Config, path: Path, twin: Path) -> Diagnostic:
    return Diagnostic(
        config.display(path),
        0,
        0,
        "VCR304",
        f"differs from {config.display(twin)} only in case, which some file systems ignore",
        "rename one of the source modules",
    )


def _foreign(config: Config, path: Path) -> Diagnostic:
    return Diagnostic(
        config.display(path),
        1,
        1,
        "VCR301",
        "vcr-gen would write this file, but the existing one was not generated",
        "move it away, or set another `output` in [tool.vcr-gen]; nothing was written",
    )


def _diff(name: str, change: Change) -> Iterator[str]:
    before = change.before.replace("\r\n", "\n").splitlines(keepends=True)
    lines = difflib.unified_diff(
        before,
        change.after.splitlines(keepends=True),
        fromfile="/dev/null" if change.kind == "missing" else f"a/{name}",
        tofile="/dev/null" if change.kind == "stale" else f"b/{name}",
    )
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
