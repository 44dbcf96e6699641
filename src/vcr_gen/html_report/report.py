"""Writes reports, from the tape to the page in one stream."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from vcr_gen.html_report.comparing import difference_lines, header_changes
from vcr_gen.html_report.page import page_parts
from vcr_gen.html_report.rows import embedded, rows
from vcr_gen.html_report.sources import Source, open_source, source_of
from vcr_gen.html_report.writing import write_page
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.reading import Reading

__all__ = ["REPORT_VERSION", "Progress", "write_comparison", "write_report"]

REPORT_VERSION: Final = 1
"""The version of the data in the page."""

Progress: TypeAlias = Callable[[int, int], None]
"""Is told how many events are written, of how many."""

_BLOCK: Final = 2000
"""How many events stand in one element of the page."""


def write_report(
    target: Path,
    cassette: Path,
    *,
    failure: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the page of one cassette, or of what an interrupted recording left.

    `failure` says how a replay of it failed.
    """
    with open_source(cassette) as source:

        def data() -> Iterator[str]:
            yield from _tapes([source], progress)
            yield _summary([source], failure=failure)

        write_page(target, page_parts(data()))


def write_comparison(
    target: Path, before: Path, after: Path, *, progress: Progress | None = None
) -> None:
    """Write the page of two cassettes side by side."""
    change = redacting()
    with Reading(before, change=change) as left, Reading(after, change=change) as right:
        changes = header_changes(left, right)
        sources = [source_of(left), source_of(right)]

        def data() -> Iterator[str]:
            yield from _tapes(sources, progress)
            for block in _in_blocks(difference_lines(left, right)):
                yield _element("data-differences", block)
            yield _summary(sources, header_changes=changes)

        write_page(target, page_parts(data()))


def _tapes(sources: list[Source], progress: Progress | None) -> Iterator[str]:
    total = sum(source.total for source in sources)
    done = 0
    for index, source in enumerate(sources):
        for block in _in_blocks(rows(source, source.path)):
            yield _element(f'data-tape="{index}"', block)
            done += len(block)
            if progress is not None:
                progress(done, max(total, done))


def _in_blocks(lines: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(lines, _BLOCK)):
        yield block


def _element(attribute: str, lines: list[str]) -> str:
    """Lines of JSON in an element that no browser takes for a script."""
    text = "".join(lines)
    return f'<script type="application/x-ndjson" {attribute}>\n{text}</script>\n'


def _summary(sources: list[Source], **more: object) -> str:
    """What is known once all events are through."""
    tapes = [source.summary() for source in sources]
    document = {"version": REPORT_VERSION, "tapes": tapes, **more}
    return f'<script type="application/json" id="report">{embedded(document)}</script>\n'
