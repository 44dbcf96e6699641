"""Assembles the page from its style, script and data, and writes it."""

import base64
import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Final

from vcr_gen.errors import UsageError

MARK: Final = "<!-- Report made by vcr-gen; it replaces this file without asking. -->"
"""A line near the top that identifies our reports."""

_SCRIPTS: Final = (
    "dom.js",
    "json.js",
    "tape.js",
    "lanes.js",
    "filter.js",
    "values.js",
    "details.js",
    "list.js",
    "drawing.js",
    "timeline.js",
    "failure.js",
    "session.js",
    "comparison.js",
    "main.js",
)
"""In dependency order; the page runs them as one script."""


def page_parts(data: Iterator[str]) -> Iterator[str]:
    """The parts of the page; `data` is consumed while the page is written."""
    style = _asset("style.css")
    script = "\n".join(_asset(name) for name in _SCRIPTS)
    # Only this style and this script may run, whatever a recording contains; text can only be
    # set as text (trusted types), if the browser supports that.
    policy = (
        "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; "
        f"style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    pieces = {"mark": MARK, "policy": policy, "style": style, "script": script}
    for position, part in enumerate(re.split(r"\{\{ (\w+) \}\}", _asset("page.html"))):
        if position % 2 == 0:
            yield part
        elif part == "data":
            yield from data
        else:
            yield pieces[part]


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def refuse_foreign(target: Path) -> None:
    """Refuse to overwrite a file that is not one of our reports."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{target}: path exists and is not a regular file")
    with target.open("rb") as file:
        if MARK.encode() not in file.read(1024):
            raise UsageError(
                f"{target}: not a report of vcr-gen, so it is not replaced\n"
                "  hint: -o writes the report elsewhere, --force replaces the file"
            )


def write_page(target: Path, parts: Iterable[str]) -> None:
    """Write the page atomically, part by part."""
    # Resolve a symbolic link, so that it stays a link.
    place = Path(os.path.realpath(target))
    place.parent.mkdir(parents=True, exist_ok=True)
    partial = place.with_name(f".{place.name[:40]}.{os.getpid()}.partial")
    try:
        # Paths and messages may contain lone surrogates; JSON escapes them the same way.
        with partial.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.writelines(parts)
        os.replace(partial, place)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
