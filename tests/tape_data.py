"""Cassette files as plain data: written whole, event by event, and read back."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from vcr_gen.runtime.tape.reading import Reading
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
    """The events of a cassette."""
    with Reading(path) as reading:
        return [dict(entry.data) for entry in reading]


def read_header(path: Path) -> Mapping[str, Any]:
    """What a cassette says before its events."""
    with Reading(path) as reading:
        return reading.header
