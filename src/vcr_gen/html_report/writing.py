"""Reports on disk: the one module of the report that writes files."""

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from vcr_gen.errors import UsageError
from vcr_gen.html_report.page import MARK

__all__ = ["refuse_foreign", "write_page"]


def refuse_foreign(target: Path) -> None:
    """Refuse to write over a file that is no report of ours."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{target}: path exists and is not a regular file")
    with target.open("rb") as file:
        if MARK.encode() not in file.read(1024):
            raise UsageError(
                f"{target}: this file is no report of vcr-gen, so it is not replaced\n"
                "  hint: -o writes the report elsewhere, --force replaces the file"
            )


def write_page(target: Path, parts: Iterable[str]) -> None:
    """Write the page piece by piece; it appears at once and whole, or not at all."""
    # Through a link, so that the link stays one.
    place = Path(os.path.realpath(target))
    place.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w",
        encoding="utf-8",
        # Paths and messages can hold halves of characters; JSON spells them just so.
        errors="backslashreplace",
        newline="\n",
        dir=place.parent,
        prefix=f".{place.name[:40]}.",
        suffix=".partial",
        delete=False,
    ) as file:
        try:
            file.writelines(parts)
            file.close()
            _like_any_new_file(Path(file.name))
            os.replace(file.name, place)
        except BaseException:
            file.close()
            with suppress(OSError):
                os.unlink(file.name)
            raise


def _like_any_new_file(path: Path) -> None:
    """Temporary files are for their owner alone; a report may be read like what lies around it."""
    mask = os.umask(0)
    os.umask(mask)
    path.chmod(0o666 & ~mask)
