"""Puts the page together: its own style and script, and the recorded data beside them."""

import base64
import hashlib
import re
from collections.abc import Iterator
from importlib.resources import files
from typing import Final

__all__ = ["MARK", "page_parts"]

MARK: Final = "<!-- Report made by vcr-gen; it replaces this file without asking. -->"
"""By this line near its top a report is known as ours."""

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
"""In the order in which they build on each other; the page runs them as one script."""


def page_parts(data: Iterator[str]) -> Iterator[str]:
    """The page, piece by piece: `data` is taken while the page is written."""
    style = _asset("style.css")
    script = "\n".join(_asset(name) for name in _SCRIPTS)
    # Nothing but these two runs or loads, whatever a recording holds; and text can only ever be
    # set as text (trusted types), where the browser knows them.
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
