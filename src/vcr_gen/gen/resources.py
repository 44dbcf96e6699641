"""The files that ship with vcr-gen: templates, error pages, the example.

A wheel contains copies inside the package. An editable install reads those of the repository,
because copies would go stale.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent
_REPOSITORY = _PACKAGE.parent.parent


def templates_dir() -> Path:
    """The folder of the shipped jinja2 templates."""
    return _locate(_PACKAGE / "_templates", _REPOSITORY / "templates")


def error_pages_dir() -> Path:
    """The folder of the pages `<code>.md` that `--explain` prints."""
    return _locate(_PACKAGE / "_errors", _REPOSITORY / "docs" / "errors")


def example_dir() -> Path:
    """The folder of the example project that `vcr-gen demo` shows."""
    return _locate(_PACKAGE / "_example", _REPOSITORY / "docs" / "examples" / "agent_server")


def _locate(shipped: Path, in_repository: Path) -> Path:
    return shipped if shipped.is_dir() else in_repository
