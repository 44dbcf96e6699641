"""Writes the report of a cassette, or of two, streaming from the tape to the page."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby, islice
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeAlias, final

from vcr_gen.cassette_tools.comparison import CallDifference, Change, compare_headers, compare_tapes
from vcr_gen.cassette_tools.recorded_calls import split_name
from vcr_gen.errors import CassetteFormatError
from vcr_gen.html_report.page import page_parts, write_page
from vcr_gen.runtime.codec import MISSING
from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.failures.signature_drift import declared_types
from vcr_gen.runtime.failures.wording import member_of, name_of, object_words
from vcr_gen.runtime.formats import Entry
from vcr_gen.runtime.formats.file_layout import VERSION_KEY
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import redacting
from vcr_gen.runtime.tape.events import ROOT_STRAND, End, Event, Item, Signal, Start, kind_of
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.object_origins import Origins
from vcr_gen.runtime.tape.reading import Reading, entries_of, is_partial, open_regular, read_events

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))

# These characters are escaped in a <script> element: they could end the element, open a
# comment, or (the separators) end a line for older parsers.
_UNSAFE: Final = str.maketrans(
    {letter: f"\\u{ord(letter):04x}" for letter in ("<", ">", "&", "\u2028", "\u2029")}
)


def embedded(value: object) -> str:
    """JSON on one line that is safe inside a page."""
    return _ENCODER.encode(value).translate(_UNSAFE)


def rows(
    entries: Iterable[Entry], path: Path, signatures: Mapping[str, str] = MappingProxyType({})
) -> Iterator[str]:
    """Two lines of JSON per entry: first what the timeline and list show, then the values.

    The page reads the first lines at once, and parses the second only on demand."""
    origins = Origins()
    for _, recorded in groupby(read_events(entries, path), lambda recorded: recorded.number):
        joined = tuple(recorded)
        for each in joined:
            origins.note(each.event, each.start, signatures.get(each.start.of, ""))
        head, body = _row(tuple(each.event for each in joined), signatures, origins)
        yield f"{embedded({**head, 'line': joined[0].line})}\n{embedded(body)}\n"


def _row(
    events: tuple[Event, ...], signatures: Mapping[str, str], origins: Origins
) -> tuple[dict[str, object], list[Plain]]:
    """The fields of the timeline, and the values of an event."""
    head: dict[str, object]
    match events[0]:
        case Start() as start:
            head = {"kind": "call", "call": start.call, "at": start.at, "of": start.of}
            name = name_of(start, signatures.get(start.of, ""), origins)
            head |= {"name": name} if name != start.of else {}
            member = member_of(start, origins)
            head |= {"by": member} if member != start.of else {}
            head |= {"inbound": True} if start.inbound else {}
            head |= {"on": object_words(start.on, origins)} if start.on else {}
            head |= {"strand": start.strand} if start.strand != ROOT_STRAND else {}
            head |= {"within": start.within} if start.within is not None else {}
            said: list[Plain] = [dict(start.arguments)]
            steps = [_step(each, said) for each in events[1:] if isinstance(each, Item | Signal)]
            head |= {"steps": steps} if steps else {}
        case Item() as item:
            head = {"kind": "item", "call": item.call, "at": item.at}
            said = [item.value]
        case Signal() as signal:
            head = {"kind": signal.kind, "call": signal.call, "at": signal.at}
            said = [] if signal.value is None else [signal.value]
        case End() as end:
            head, said = {"kind": "end", "call": end.call, "at": end.at}, []
    if words := kind_of(events[0]).shown.strip():
        head["words"] = words
    last = events[-1]
    if isinstance(last, End):
        head |= {"outcome": last.outcome, "end": last.at}
        head |= {} if last.took is None else {"took": last.took}
        said.append(last.value)
    return head, said


def _step(event: Item | Signal, said: list[Plain]) -> dict[str, object]:
    """An item of a stream, or a signal, in the entry of its call; its value is put into `said`."""
    kind = "item" if isinstance(event, Item) else event.kind
    step: dict[str, object] = {"kind": kind, "at": event.at}
    if words := kind_of(event).shown.strip():
        step["words"] = words
    if isinstance(event, Item) or event.value is not None:
        step["value"] = len(said)
        said.append(event.value)
    return step


def difference_lines(before: Reading, after: Reading) -> Iterator[str]:
    """The calls that were added, removed, moved or changed; the page pairs the other calls."""
    for difference in compare_tapes(before, after):
        yield f"{embedded(_difference(difference))}\n"


def header_changes(before: Reading, after: Reading) -> list[dict[str, object]]:
    """The differences between the headers of two tapes."""
    return [_change(change) for change in compare_headers(before, after)]


def _difference(difference: CallDifference) -> dict[str, object]:
    before, after = difference.before, difference.after
    return {
        "kind": difference.kind,
        "breaking": difference.breaking,
        "before": None if before is None else before.number,
        "after": None if after is None else after.number,
        "changes": [_change(change) for change in difference.changes],
    }


def _change(change: Change) -> dict[str, object]:
    return {
        "field": change.path,
        "reason": change.words,
        "breaking": change.breaking,
        "expected": None if change.before is MISSING else exact(change.before),
        "came": None if change.after is MISSING else exact(change.after),
    }


_TOLD: Final = {VERSION_KEY, "recorded_at", "initial_state", "anchors", "boundaries"}
"""Keys of the header that the page shows separately."""


def describe_tape(path: Path, data: Mapping[str, Plain]) -> dict[str, object]:
    """The header of a tape, checked as in a replay."""
    header = Header.read(data, path)
    return {
        "name": _text(path.name),
        "path": _text(shown_path(path)),
        "recorded_at": header.recorded_at.isoformat(timespec="seconds"),
        "anchors": header.anchors,
        "initial_state": exact(dict(header.initial_state)) if header.initial_state else None,
        "settings": exact({key: value for key, value in data.items() if key not in _TOLD}),
        "boundaries": _boundaries(data.get("boundaries", {}), header.signatures),
    }


def exact(value: Plain) -> str:
    """A value as JSON text, which the page parses itself.

    JavaScript's own parser would lose the order of keys, `1.0`, and digits of large numbers.
    """
    return json.dumps(value, ensure_ascii=False)


def _boundaries(names: Plain, signatures: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """The methods of each boundary, with their types."""
    known: dict[str, dict[str, object]] = {
        name: {} for name in (names if isinstance(names, dict) else ())
    }
    for of, signature in signatures.items():
        boundary, method = split_name(of, known)
        known[boundary][method] = {"signature": signature, "types": declared_types(signature)}
    return known


def _text(name: str) -> str:
    """A path as text; file names may contain undecodable bytes."""
    return os.fsencode(name).decode(errors="replace")


@final
@dataclass(slots=True)
class Source:
    """A tape that is being read."""

    path: Path
    about: Mapping[str, object]
    """The description of its header."""
    signatures: Mapping[str, str]
    """The recorded signatures of its methods."""
    total: int
    """The number of events; 0 if it is unknown."""
    entries: Iterator[Entry]
    count: int = 0
    """The number of events read so far."""
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
        """The description of the tape, once it has been read."""
        return {**self.about, "events": self.count, "problem": self.problem}


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a tape; only a partial file may be truncated."""
    if is_partial(path):
        with open_regular(path) as stream:
            change = redacting()
            entries = (
                replace(entry, data=change(entry.data)) for entry in entries_of(stream, path)
            )
            yield _source(path, next(entries).data, 0, entries)
    else:
        with Reading(path, change=redacting()) as reading:
            yield source_of(reading)


def source_of(reading: Reading) -> Source:
    """An opened cassette as the source of a report."""
    return _source(reading.path, reading.header, reading.count, iter(reading))


def _source(
    path: Path, header: Mapping[str, Plain], total: int, entries: Iterator[Entry]
) -> Source:
    signatures = Header.read(header, path).signatures
    return Source(path, describe_tape(path, header), signatures, total, entries)


REPORT_VERSION: Final = 1
"""The version of the data in the page."""

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of written events and the total."""

_BLOCK: Final = 2000
"""How many events one element of the page contains."""


def write_report(
    target: Path,
    cassette: Path,
    *,
    failure: Mapping[str, object] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write the page of one cassette or partial file.

    `failure` describes how its replay failed.
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
        for block in _in_blocks(rows(source, source.path, source.signatures)):
            yield _element(f'data-tape="{index}"', block)
            done += len(block)
            if progress is not None:
                progress(done, max(total, done))


def _in_blocks(lines: Iterator[str]) -> Iterator[list[str]]:
    while block := list(islice(lines, _BLOCK)):
        yield block


def _element(attribute: str, lines: list[str]) -> str:
    """Lines of JSON in an element that browsers do not execute."""
    text = "".join(lines)
    return f'<script type="application/x-ndjson" {attribute}>\n{text}</script>\n'


def _summary(sources: list[Source], **more: object) -> str:
    """The summary, which follows the events."""
    tapes = [source.summary() for source in sources]
    document = {"version": REPORT_VERSION, "tapes": tapes, **more}
    return f'<script type="application/json" id="report">{embedded(document)}</script>\n'
