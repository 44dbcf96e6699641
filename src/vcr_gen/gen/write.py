"""The only module of the generator that changes files: each one whole, or not at all."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from vcr_gen.gen.diagnostics import Diagnostic, RefusedError
from vcr_gen.gen.plan import Plan

__all__ = ["apply_plan", "delete_file", "write_file"]


def apply_plan(plan: Plan) -> None:
    """Make the disk as planned: write what is missing or changed, delete what is stale."""
    for change in plan.changes:
        if change.kind == "stale":
            delete_file(change.path)
        else:
            write_file(change.path, change.after)


def write_file(path: Path, text: str) -> None:
    """Replace the file in one step; a reader sees the old text or the new one, never half."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with _explained(path, "written"):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            # Not `tempfile`: its files are private, and these must get the user's usual mode.
            with temporary.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
            if path.exists():
                temporary.chmod(path.stat().st_mode & 0o7777)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


def delete_file(path: Path) -> None:
    """Delete the file, and the folders that are empty without it."""
    with _explained(path, "deleted"):
        path.unlink(missing_ok=True)
    for folder in path.parents:
        try:
            folder.rmdir()
        except OSError:
            break  # not empty: someone else's things, or files of ours that stay


@contextlib.contextmanager
def _explained(path: Path, verb: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot be {verb}: {error.strerror or error}"
        hint = "check the permissions of the file and of its folder"
        raise RefusedError([Diagnostic(str(path), 0, 0, "VCR303", message, hint)]) from error
