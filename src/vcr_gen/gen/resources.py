"""The files that ship with vcr-gen: templates, error pages, the example.

A wheel carries copies inside the package. An editable install has none (a copy would go stale),
so there they are read from the repository.
"""

from collections.abc import Iterable
from pathlib import Path

__all__ = ["error_pages_dir", "example_dir", "stray_templates", "templates_dir"]

_PACKAGE = Path(__file__).resolve().parent.parent
_REPOSITORY = _PACKAGE.parent.parent
_TEMPLATE_ENDINGS = {".j2", ".jinja", ".jinja2"}


def templates_dir() -> Path:
    """The folder of the shipped jinja2 templates."""
    return _locate(_PACKAGE / "_templates", _REPOSITORY / "templates")


def stray_templates(folder: Path, known: Iterable[str]) -> list[str]:
    """The templates in a folder that have no known name and that no other template mentions.

    Files that are not templates are ignored.
    """
    own = [path for path in sorted(folder.glob("*")) if path.suffix in _TEMPLATE_ENDINGS]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in own}
    return [
        path.name
        for path in own
        if path.name not in known
        and not path.name.startswith(".")
        and not any(path.name in text for other, text in texts.items() if other != path)
    ]


def error_pages_dir() -> Path:
    """The folder of the pages `<code>.md` that `--explain` prints."""
    return _locate(_PACKAGE / "_errors", _REPOSITORY / "docs" / "errors")


def example_dir() -> Path:
    """The folder of the example project that `vcr-gen demo` shows."""
    return _locate(_PACKAGE / "_example", _REPOSITORY / "docs" / "examples" / "agent_server")


def _locate(shipped: Path, in_repository: Path) -> Path:
    return shipped if shipped.is_dir() else in_repository
