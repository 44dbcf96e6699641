"""What the site needs beside the pages in `docs`: pages from elsewhere, and links to them."""

import posixpath
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import vcr_gen
from vcr_gen import boundary, errors

REPOSITORY: Final = Path(__file__).resolve().parents[2]
PAGES: Final = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "LICENSE": "LICENSE.md",
}
"""Files of the repository that become pages under another path."""
DOCSTRINGS: Final = "reference/docstrings.md"

_SOURCES: Final = {page: source for source, page in PAGES.items()}
_LINK: Final = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")
_FENCE: Final = re.compile(r"^( *```\w+) (?:fails|made)$", re.M)
"""What only the tests read, and the Markdown of the site does not allow."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the pages that are not in `docs`."""
    for source, page in PAGES.items():
        text = (REPOSITORY / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, DOCSTRINGS, content=docstrings()))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Point links between files of the repository at the pages of the site."""
    here = page.file.src_uri
    source = _SOURCES.get(here, f"docs/{here}")

    def link(found: re.Match[str]) -> str:
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[1]))
        target = PAGES.get(wanted, wanted.removeprefix("docs/"))
        return f"]({posixpath.relpath(target, posixpath.dirname(here) or '.')}{found[2] or ''})"

    return _LINK.sub(link, _FENCE.sub(r"\1", markdown))


def docstrings() -> str:
    """A page with the docstrings of every public name."""
    parts = ["# Docstrings\n\nThe public names with their signatures, from the source."]
    shown: set[str] = set()
    for module in (boundary, vcr_gen, errors):
        names = [name for name in module.__all__ if name not in shown]
        shown.update(names)
        parts.append(f"## {module.__name__}")
        parts.extend(f"::: {module.__name__}.{name}" for name in names)
    return "\n\n".join(parts) + "\n"
