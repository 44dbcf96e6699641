"""What cassette files cost does not grow with them."""

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest
from cassette_values import FORMATS, HEADER, SESSION

from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recording import Recording

SMALL, LARGE = 500, 10_000
ENDINGS = pytest.mark.parametrize("suffix", list(FORMATS))


def record(path: Path, count: int) -> None:
    recording = Recording(path)
    recording.begin(HEADER)
    for number in range(count):
        recording.append(SESSION[number % len(SESSION)])
    recording.finish(HEADER)


def consume(path: Path) -> None:
    with Reading(path) as reading:
        for _ in reading:
            pass


def peak(work: Callable[[], None]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def best(work: Callable[[], None]) -> float:
    times = []
    for _ in range(3):
        started = process_time()
        work()
        times.append(process_time() - started)
    return min(times)


@ENDINGS
def test_memory_for_reading_does_not_grow_with_the_tape(tmp_path, suffix):
    small, large = tmp_path / f"small.{suffix}", tmp_path / f"large.{suffix}"
    record(small, SMALL)
    record(large, LARGE)
    consume(small)
    assert peak(lambda: consume(large)) < peak(lambda: consume(small)) + 200_000
    assert large.stat().st_size > 900_000


@ENDINGS
def test_time_per_event_does_not_grow_with_the_tape(tmp_path, suffix):
    small, large = tmp_path / f"small.{suffix}", tmp_path / f"large.{suffix}"
    recorded = [
        best(lambda: record(small, SMALL)) / SMALL,
        best(lambda: record(large, LARGE)) / LARGE,
    ]
    read = [best(lambda: consume(small)) / SMALL, best(lambda: consume(large)) / LARGE]
    assert recorded[1] < 2 * recorded[0]
    assert read[1] < 2 * read[0]


@ENDINGS
def test_an_append_is_one_write_whatever_came_before(tmp_path, suffix, monkeypatch):
    written: list[int] = []
    write = os.write

    def counted(handle: int, data: bytes) -> int:
        written.append(len(data))
        return write(handle, data)

    recording = Recording(tmp_path / f"tape.{suffix}")
    recording.begin(HEADER)
    monkeypatch.setattr(os, "write", counted)
    for _ in range(100):
        recording.append(SESSION[0])
    monkeypatch.undo()
    recording.discard()
    assert len(written) == 100
    assert len(set(written)) == 1


@ENDINGS
def test_opening_a_cassette_does_not_parse_its_events(tmp_path, suffix):
    large = tmp_path / f"large.{suffix}"
    record(large, LARGE)
    assert best(lambda: Reading(large).close()) < best(lambda: consume(large)) / 5
