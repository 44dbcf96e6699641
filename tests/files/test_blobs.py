"""Large binary data stands in files beside the cassette."""

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cassette_values import FORMATS, HEADER
from command_line import run_command
from tape_data import salvage

from vcr_gen.errors import CassetteFormatError, DecodeError
from vcr_gen.runtime.codec import Compiler
from vcr_gen.runtime.tape.blobs import LARGE, blobs_of
from vcr_gen.runtime.tape.reading import Reading, partial_of
from vcr_gen.runtime.tape.recording import Recording, remove_cassette

pytestmark = pytest.mark.parametrize("suffix", list(FORMATS))

SMALL = LARGE // 2
BYTES = Compiler().codec(bytes)


def data_of(seed: int, size: int = LARGE) -> bytes:
    return random.Random(seed).randbytes(size)


@pytest.fixture
def tape(tmp_path: Path, suffix: str) -> Path:
    return tmp_path / f"tape.{suffix}"


def events_with(*values: bytes) -> list[dict[str, Any]]:
    return [
        {"event": "call", "id": number, "method": "A.b", "args": {"data": BYTES.encode(value)}}
        for number, value in enumerate(values)
    ]


def record(tape: Path, *values: bytes, finish: bool = True, rewrite: Any = None) -> Recording:
    recording = Recording(tape)
    recording.begin(HEADER)
    for event in events_with(*values):
        recording.append(event)
    if finish:
        recording.finish(HEADER, rewrite=rewrite)
    return recording


def blobs(tape: Path) -> list[bytes]:
    folder = blobs_of(tape)
    return sorted(file.read_bytes() for file in folder.iterdir()) if folder.exists() else []


def read(tape: Path) -> list[dict[str, Any]]:
    with Reading(tape) as reading:
        return [entry.data for entry in reading]


def test_only_large_data_stands_beside_the_cassette(tape: Path) -> None:
    large = data_of(1)
    record(tape, large, data_of(2, SMALL), large)
    assert blobs(tape) == [large]
    assert tape.stat().st_size < LARGE
    assert read(tape) == events_with(large, data_of(2, SMALL), large)


def test_a_new_recording_keeps_the_old_data_until_it_is_whole(tape: Path) -> None:
    record(tape, data_of(1), data_of(2))
    recording = record(tape, data_of(2), data_of(3), finish=False)
    assert read(tape) == events_with(data_of(1), data_of(2))
    recording.finish(HEADER)
    assert blobs(tape) == sorted([data_of(2), data_of(3)])
    record(tape, b"small")
    assert not blobs_of(tape).exists()


def test_a_discarded_copy_leaves_the_data_of_the_cassette(tape: Path) -> None:
    record(tape, data_of(1))
    copy = Recording(tape, copy=True)
    copy.begin(HEADER)
    copy.append(events_with(data_of(2))[0])
    copy.discard()
    assert blobs(tape) == [data_of(1)]


def test_an_interrupted_recording_can_be_salvaged(tape: Path) -> None:
    record(tape, data_of(1), finish=False).abandon()
    events = [entry.data for entry in salvage(partial_of(tape)).events]
    assert events == events_with(data_of(1))


def test_entries_that_are_written_anew_have_new_data(tape: Path) -> None:
    def rewrite(entries: Any) -> Any:
        for entry in entries:
            assert entry.data["args"]["data"] == BYTES.encode(data_of(1))
            yield {**entry.data, "args": {"data": BYTES.encode(data_of(2))}}

    record(tape, data_of(1), rewrite=rewrite)
    assert blobs(tape) == [data_of(2)]
    assert read(tape) == events_with(data_of(2))


def test_a_renamed_recording_takes_its_data_along(tape: Path) -> None:
    record(tape, data_of(1))
    recording = record(tape, data_of(1), data_of(2), finish=False)
    other = tape.with_stem("other")
    recording.rename(other.name)
    recording.finish(HEADER)
    assert blobs(tape) == [data_of(1)]
    assert read(other) == events_with(data_of(1), data_of(2))


def test_texts_in_the_data_are_found(tape: Path) -> None:
    recording = record(tape, data_of(1) + b"a secret", finish=False)
    assert recording.holds("a secret")
    assert not recording.holds("another")


def test_a_deleted_cassette_takes_its_data_along(tape: Path) -> None:
    record(tape, data_of(1))
    remove_cassette(tape)
    assert list(tape.parent.iterdir()) == []


def _change(file: Path) -> None:
    file.write_bytes(b"other")


@pytest.mark.parametrize(
    ("harm", "message"),
    [(_change, "was changed"), (os.unlink, "cannot be read: No such file or directory")],
)
def test_data_that_is_not_as_recorded_is_refused(
    tape: Path, harm: Callable[[Path], None], message: str
) -> None:
    record(tape, data_of(1), data_of(2))
    harm(min(blobs_of(tape).iterdir()))
    with pytest.raises(CassetteFormatError, match=message):
        read(tape)


def test_a_cassette_without_its_folder_says_so(tape: Path) -> None:
    record(tape, data_of(1))
    other = tape.rename(tape.with_stem("other"))
    [event] = read(other)
    with pytest.raises(DecodeError, match="without the folder of its large data"):
        BYTES.decode(event["args"]["data"])


def test_a_name_cannot_lead_out_of_the_folder(tape: Path) -> None:
    recording = record(tape, data_of(1), finish=False)
    recording.append(
        {"event": "call", "id": 1, "method": "A.b", "args": {"data": {"$blob": "../tape"}}}
    )
    recording.finish(HEADER)
    assert read(tape)[1]["args"] == {"data": {"$blob": "../tape"}}


def test_tools_see_the_data_and_keep_it_beside(tape: Path, tmp_path: Path) -> None:
    secret = b"\xff" + b"ghp_" + b"a1B2" * 9
    record(tape, secret + data_of(1))
    scanned = run_command("cassette", "scan", str(tape), cwd=tmp_path)
    assert "ghp_" in scanned.out
    copy = tmp_path / "copy.jsonl"
    assert run_command("cassette", "convert", str(tape), str(copy), cwd=tmp_path).code == 0
    assert blobs(copy) == blobs(tape)
