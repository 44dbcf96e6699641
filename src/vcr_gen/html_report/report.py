"""Writes the report of a cassette, from the file to the page in one stream."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from vcr_gen.errors import CassetteFormatError
from vcr_gen.html_report.describing import describe_tape
from vcr_gen.html_report.page import page_parts
from vcr_gen.html_report.rows import embedded, rows
from vcr_gen.html_report.writing import write_page
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.loading import Reading, is_partial, open_regular, target_of

__all__ = ["REPORT_VERSION", "Progress", "write_report"]

REPORT_VERSION: Final = 1
"""The version of the data in the page."""

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many events are written, of how many."""

_BLOCK: Final = 2000
"""How many events stand in one element of the page."""


@dataclass(slots=True)
class _Source:
    """A tape that is being read."""

    path: Path
    about: Mapping[str, object]
    total: int
    """How many events there will be; 0 where nobody knows."""
    entries: Iterator[Entry]
    count: int = 0
    """How many were read."""
    problem: str = field(default="")
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


def write_report(
    target: Path,
    cassette: Path,
    *,
    failure: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> int:
    """Write the page of one cassette, or of what an interrupted recording left.

    `failure` says how a replay of it failed. Returns the number of events.
    """
    with _opened(cassette) as source:
        write_page(target, page_parts(_data(source, failure, progress)))
        return source.count


@contextmanager
def _opened(path: Path) -> Iterator[_Source]:
    if is_partial(path):
        with open_regular(path) as stream:
            entries = format_for(target_of(path)).read(stream, path)
            yield _Source(path, describe_tape(path, next(entries).data), 0, entries)
    else:
        with Reading(path) as reading:
            yield _Source(path, describe_tape(path, reading.header), reading.count, iter(reading))


def _data(
    source: _Source, failure: Mapping[str, object] | None, progress: Progress | None
) -> Iterator[str]:
    """The events in blocks, then what is known once they are through."""
    yield from _blocks(0, source, progress)
    document = {
        "version": REPORT_VERSION,
        "tapes": [{**source.about, "events": source.count, "problem": source.problem}],
        "failure": failure,
    }
    yield f'<script type="application/json" id="report">{embedded(document)}</script>\n'


def _blocks(tape: int, source: _Source, progress: Progress | None) -> Iterator[str]:
    lines = rows(source, source.path)
    done = 0
    while block := list(islice(lines, _BLOCK)):
        yield f'<script type="application/x-ndjson" data-tape="{tape}">\n'
        yield from block
        yield "</script>\n"
        done += len(block)
        if progress is not None:
            progress(done, max(source.total, done))
