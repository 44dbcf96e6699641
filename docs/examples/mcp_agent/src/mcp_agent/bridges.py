"""The real environment: no logic, no state."""

from datetime import date
from pathlib import Path


class SystemClock:
    def today(self) -> date:
        return date.today()


class FileJournal:
    """A journal in a text file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, line: str) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
