"""The only module of the generator that writes files: each completely, or not at all."""

import contextlib
import errno
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import Final

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.output.plan import Plan

_STAGED: Final = ".vcr-gen-*.tmp"
_ABANDONED: Final = 600.0
"""Seconds after which a staged file is certainly abandoned."""


def apply_plan(plan: Plan) -> None:
    """Write the missing and changed files of a plan, and delete the stale ones.

    All texts are written before the first file is replaced, so a full disk changes nothing.
    """
    written = [change for change in plan.changes if change.kind != "stale"]
    _replace_files((change.path, change.after) for change in written)
    for change in plan.changes:
        if change.kind == "stale":
            delete_file(change.path)


def remove_leftovers(folders: Iterable[Path]) -> None:
    """Delete the staged files that a killed run left behind."""
    for folder in folders:
        with contextlib.suppress(OSError):  # a folder without read permission
            for path in folder.glob(f"**/{_STAGED}"):
                _remove_if_abandoned(path)


def _remove_if_abandoned(path: Path) -> None:
    with contextlib.suppress(OSError):
        if not path.is_symlink() and time.time() - path.stat().st_mtime > _ABANDONED:
            path.unlink()


def write_file(path: Path, content: str | bytes) -> None:
    """Replace a file atomically: a reader sees the old text or the new one."""
    _replace_files([(path, content)])


def _replace_files(contents: Iterable[tuple[Path, str | bytes]]) -> None:
    staged: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, content in contents:
            with _explained(path, "written"):
                made += [folder for folder in path.parents if not folder.exists()]
                path.parent.mkdir(parents=True, exist_ok=True)
                # Not `tempfile`: its files are private, and these must get the user's usual mode.
                temporary = path.with_name(_STAGED.replace("*", token_hex(8)))
                staged[path] = temporary
                with temporary.open("xb") as file:
                    file.write(content.encode() if isinstance(content, str) else content)
                if path.exists():
                    temporary.chmod(path.stat().st_mode & 0o7777)
        for path, temporary in staged.items():
            with _explained(path, "written"):
                temporary.replace(path)
    except BaseException:
        for temporary in staged.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        for folder in sorted(made, reverse=True):  # inner folders first
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise


def delete_file(path: Path) -> None:
    """Delete a file, and the folders that become empty."""
    with _explained(path, "deleted"):
        path.unlink(missing_ok=True)
    for folder in path.parents:
        try:
            folder.rmdir()
        except OSError:
            break  # not empty


@contextlib.contextmanager
def _explained(path: Path, verb: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot be {verb}: {error.strerror or error}"
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        hint = "make room" if full else "check the permissions of the file and of its folder"
        raise RefusedError([Diagnostic(str(path), 0, 0, "VCR303", message, hint)]) from error
