"""Cassette files as plain data: written whole, event by event, and read back."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vcr_gen.errors import CassetteFormatError
from vcr_gen.runtime.formats.file_layout import Entry
from vcr_gen.runtime.tape.reading import Reading, entries_of, open_regular
from vcr_gen.runtime.tape.recording import Recording

HEADER: dict[str, Any] = {"recorded_at": "2026-11-16T05:00:00+00:00"}
"""The least that a header has."""


def write_tape(
    path: Path, events: Iterable[Mapping[str, Any]], header: Mapping[str, Any] = HEADER
) -> Path:
    """Write a cassette in the format that its name chooses."""
    recording = Recording(path)
    recording.begin(header)
    for event in events:
        recording.append(event)
    recording.finish(header)
    return path


def read_tape(path: Path) -> list[dict[str, Any]]:
    """The events of a cassette; each item of a stream is one, as if it had been interrupted."""
    with Reading(path) as reading:
        return [event for entry in reading for event in _unfolded(dict(entry.data))]


def _unfolded(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if "items" not in entry:
        yield entry
        return
    ends = {"closed_at", "ended_at", "returned", "raised", "cancelled"}
    yield {key: value for key, value in entry.items() if key not in {"items", *ends}}
    for item in entry["items"]:
        rest = {key: value for key, value in item.items() if key != "at"}
        yield {"item": entry["call"], "at": item["at"], "value": rest.get("value", rest)}
    if "closed_at" in entry:
        yield {"closed": entry["call"], "at": entry["closed_at"]}
    if "ended_at" in entry:
        outcome = {key: entry[key] for key in ends - {"closed_at", "ended_at"} if key in entry}
        yield {"end": entry["call"], "at": entry["ended_at"], **(outcome or {"returned": None})}


def read_header(path: Path) -> Mapping[str, Any]:
    """What a cassette says before its events."""
    with Reading(path) as reading:
        return reading.header


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The readable part of a partial or truncated file."""

    path: Path
    header: dict[str, Any] | None
    events: tuple[Entry, ...]
    """Every complete event."""
    tear: CassetteFormatError | None
    """Where and why reading stopped; None if the cassette is complete."""


def salvage(path: Path) -> Salvaged:
    """Read the complete events of a partial, truncated or damaged file."""
    header: dict[str, Any] | None = None
    events: list[Entry] = []
    tear: CassetteFormatError | None = None
    with open_regular(path) as stream:
        try:
            for entry in entries_of(stream, path):
                if entry.kind == "header":
                    header = entry.data
                elif entry.kind == "event":
                    events.append(entry)
        except CassetteFormatError as error:
            tear = error
    return Salvaged(path, header, tuple(events), tear)
