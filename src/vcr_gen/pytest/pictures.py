"""Writes the HTML report of each replay that failed, where `--vcrgen-report` asks for it."""

from collections.abc import Callable
from pathlib import Path

from vcr_gen.errors import DivergenceError, VcrError
from vcr_gen.pytest.notes import Note

__all__ = ["Pictures"]


class Pictures:
    """The folder of the reports; it lies as the cassettes do, so no two share a file."""

    def __init__(self, folder: Path, root: Path, note: Callable[[Note], None]) -> None:
        self._folder = folder
        self._root = root
        self._note = note

    def write(self, cassette: Path, error: DivergenceError | VcrError, test: str) -> None:
        """Write one, and note where it is; that it cannot be written fails no test."""
        from vcr_gen.html_report.failure import describe_failure
        from vcr_gen.html_report.report import write_report
        from vcr_gen.html_report.writing import refuse_foreign

        target = self._target(cassette)
        detail = ""
        try:
            refuse_foreign(target)
            write_report(target, cassette, failure=describe_failure(error, test))
        except (VcrError, OSError) as problem:
            detail = f"(not written: {str(problem).splitlines()[0]})"
        self._note(Note("pictured", str(target), detail))

    def _target(self, cassette: Path) -> Path:
        """Cassettes have safe names, each its own; the page is named after the whole of it."""
        if cassette.is_relative_to(self._root):
            below = cassette.relative_to(self._root)
        else:
            below = Path(*cassette.absolute().parts[1:])
        return self._folder / below.with_name(f"{below.name}.html")
