"""The tape behind a report: a whole cassette, or what an interrupted recording left."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from vcr_gen.errors import CassetteFormatError
from vcr_gen.html_report.describing import describe_tape
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading, entries_of, is_partial, open_regular

__all__ = ["Source", "open_source", "source_of"]


@final
@dataclass(slots=True)
class Source:
    """A tape that is being read."""

    path: Path
    about: Mapping[str, object]
    """What its head says."""
    total: int
    """How many events there will be; 0 where nobody knows."""
    entries: Iterator[Entry]
    count: int = 0
    """How many were read."""
    problem: str = ""
    """Why an interrupted recording ends where it does."""

    def __iter__(self) -> Iterator[Entry]:
        try:
            for entry in self.entries:
                if entry.kind == "event":
                    self.count += 1
                    yield entry
        except CassetteFormatError as error:
            if not is_partial(self.path):
                raise
            self.problem = str(error)

    def summary(self) -> dict[str, object]:
        """What the page is told about it, once it is read."""
        return {**self.about, "events": self.count, "problem": self.problem}


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a tape; only a partial file may be torn."""
    if is_partial(path):
        with open_regular(path) as stream:
            change = redacting()
            entries = (
                replace(entry, data=change(entry.data)) for entry in entries_of(stream, path)
            )
            yield Source(path, describe_tape(path, next(entries).data), 0, entries)
    else:
        with Reading(path, change=redacting()) as reading:
            yield source_of(reading)


def source_of(reading: Reading) -> Source:
    """An opened cassette as the source of a report."""
    about = describe_tape(reading.path, reading.header)
    return Source(reading.path, about, reading.count, iter(reading))
