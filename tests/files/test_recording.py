"""Recording to disk, and opening what was recorded."""

import os
import re
import shlex
import shutil
import stat
from pathlib import Path

import pytest
from cassette_values import FORMATS, HEADER, SESSION, write
from tape_data import salvage

from vcr_gen import Cassette
from vcr_gen.cli import main
from vcr_gen.errors import (
    CassetteError,
    CassetteFormatError,
    CassetteMissingError,
    CassetteWriteError,
    EncodeError,
    UsageError,
)
from vcr_gen.runtime.formats import Entry, format_for
from vcr_gen.runtime.tape import recording as recording_module
from vcr_gen.runtime.tape.reading import Reading, partial_of, target_of
from vcr_gen.runtime.tape.recording import Recording

pytestmark = pytest.mark.parametrize("suffix", list(FORMATS))


def record(path: Path, header: dict = HEADER, session: list = SESSION) -> None:
    recording = Recording(path)
    recording.begin(header)
    for event in session:
        recording.append(event)
    recording.finish(header)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.fixture
def tape(tmp_path: Path, suffix: str) -> Path:
    return tmp_path / f"tape.{suffix}"


def test_a_recording_becomes_exactly_the_bytes_of_its_format(tape):
    record(tape)
    assert write(format_for(tape), HEADER, SESSION) == tape.read_bytes()
    assert [tape.name] == names(tape.parent)


def test_header_and_events_are_read_back_each_time_they_are_asked_for(tape):
    record(tape)
    with Reading(tape) as reading:
        assert reading.header == HEADER
        assert reading.count == len(SESSION)
        assert [event.data for event in reading] == SESSION
        assert [event.data for event in reading] == SESSION
        assert all(isinstance(event, Entry) and event.kind == "event" for event in reading)


def test_the_old_cassette_stays_until_the_new_one_is_whole(tape):
    record(tape)
    before = tape.read_bytes()
    recording = Recording(tape)
    recording.begin(HEADER)
    for event in SESSION:
        recording.append(event)
        assert before == tape.read_bytes()
    recording.finish(HEADER)
    assert before == tape.read_bytes()


def test_every_appended_event_is_on_disk_when_append_returns(tape):
    recording = Recording(tape)
    recording.begin(HEADER)
    assert salvage(partial_of(tape)).header == HEADER
    for count, event in enumerate(SESSION, start=1):
        recording.append(event)
        saved = salvage(partial_of(tape))
        assert SESSION[:count] == [entry.data for entry in saved.events]
        assert saved.tear is not None
    recording.discard()


def test_finish_under_another_header_keeps_every_event(tape):
    recording = Recording(tape)
    recording.begin(HEADER)
    for event in SESSION:
        recording.append(event)
    later = {**HEADER, "order": "total", "max_age": 3}
    recording.finish(later)
    assert write(format_for(tape), later, SESSION) == tape.read_bytes()
    assert [tape.name] == names(tape.parent)


@pytest.mark.parametrize("begun", [True, False])
def test_a_recording_without_events_is_a_whole_cassette(tape, begun):
    recording = Recording(tape)
    if begun:
        recording.begin(HEADER)
    recording.finish(HEADER)
    assert write(format_for(tape), HEADER, []) == tape.read_bytes()
    with Reading(tape) as reading:
        assert list(reading) == []


def test_an_abandoned_recording_leaves_the_old_cassette_and_what_it_had(tape):
    record(tape)
    before = tape.read_bytes()
    recording = Recording(tape)
    recording.begin(HEADER)
    recording.append({"n": 1})
    partial = recording.abandon()
    assert partial == partial_of(tape)
    assert before == tape.read_bytes()
    saved = salvage(partial)
    assert [entry.data for entry in saved.events] == [{"n": 1}]
    assert target_of(partial) == tape


def test_a_recording_abandoned_before_it_began_leaves_nothing(tape):
    assert Recording(tape).abandon() is None
    assert names(tape.parent) == []


def test_a_second_recording_of_the_same_cassette_is_refused_while_the_first_lives(tape):
    recording = Recording(tape)
    with pytest.raises(CassetteWriteError, match="another recording of it is running"):
        Recording(tape)
    recording.begin(HEADER)
    with pytest.raises(CassetteWriteError, match="another recording of it is running"):
        Recording(tape)
    recording.finish(HEADER)
    record(tape)


def test_only_the_newest_partial_file_is_kept(tape):
    for number in range(3):
        recording = Recording(tape)
        recording.begin(HEADER)
        recording.append({"attempt": number, "padding": "x" * (30 - 10 * number)})
        recording.abandon()
    assert [f"{tape.name}.partial"] == names(tape.parent)
    assert [entry.data["attempt"] for entry in salvage(partial_of(tape)).events] == [2]
    assert Recording(tape).abandon() is None  # one that records nothing replaces nothing
    assert [entry.data["attempt"] for entry in salvage(partial_of(tape)).events] == [2]
    record(tape)
    assert [tape.name] == names(tape.parent)


def test_a_missing_cassette_names_the_partial_file_and_the_command_that_saves_it(tape):
    recording = Recording(tape)
    recording.begin(HEADER)
    recording.append({"n": 1})
    recording.abandon()
    command = f"vcr-gen cassette convert --salvage {partial_of(tape)} {tape}"
    with pytest.raises(CassetteMissingError, match=re.escape(command)):
        Reading(tape)
    with pytest.raises(CassetteMissingError, match=re.escape(command)):
        Cassette(tape, "none")
    assert main(shlex.split(command)[1:]) == 0
    with Reading(tape) as reading:
        assert reading.count == 1


def test_a_copy_that_fails_keeps_the_partial_file_it_is_made_from(tape, monkeypatch):
    recording = Recording(tape)
    recording.begin(HEADER)
    recording.append({"n": 1})
    recording.abandon()
    monkeypatch.setattr(recording_module, "_seal", lambda *_: 1 / 0)
    assert main(["cassette", "convert", "--salvage", str(partial_of(tape)), str(tape)]) != 0
    assert [f"{tape.name}.partial"] == names(tape.parent)
    assert len(salvage(partial_of(tape)).events) == 1


def test_an_event_that_cannot_be_written_leaves_the_recording_usable(tape):
    recording = Recording(tape)
    recording.begin(HEADER)
    recording.append({"n": 1})
    with pytest.raises(EncodeError):
        recording.append({"n": float("nan")})
    recording.append({"n": 2})
    recording.finish(HEADER)
    with Reading(tape) as reading:
        assert [event.data for event in reading] == [{"n": 1}, {"n": 2}]


def test_a_partial_file_that_is_a_link_is_never_written_through(tape):
    elsewhere = tape.parent / "elsewhere"
    elsewhere.write_bytes(b"")
    partial_of(tape).symlink_to(elsewhere)
    with pytest.raises(CassetteWriteError, match="cannot be written"):
        Recording(tape)
    assert elsewhere.read_bytes() == b""


def test_a_recording_is_used_in_one_order_only(tape):
    recording = Recording(tape)
    with pytest.raises(UsageError, match="has not begun"):
        recording.append({})
    recording.begin(HEADER)
    with pytest.raises(UsageError, match="has already begun"):
        recording.begin(HEADER)
    recording.finish(HEADER)
    with pytest.raises(UsageError, match="is over"):
        recording.append({})
    assert recording.abandon() is None
    recording.discard()
    assert [tape.name] == names(tape.parent)


def test_folders_are_made_as_needed(tape):
    deep = tape.parent / "a" / "b" / tape.name
    record(deep)
    assert deep.is_file()


def test_a_cassette_that_is_a_link_stays_one(tape):
    real = tape.parent / "real" / tape.name
    record(real)
    tape.symlink_to(real)
    record(tape, session=[{"n": 1}])
    assert tape.is_symlink()
    assert write(format_for(tape), HEADER, [{"n": 1}]) == real.read_bytes()


def test_the_permissions_of_the_old_cassette_are_kept(tape):
    record(tape)
    tape.chmod(0o640)
    record(tape)
    assert stat.S_IMODE(tape.stat().st_mode) == 0o640


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_refused_both_ways_without_waiting(tape, make):
    make(tape)
    with pytest.raises(CassetteWriteError, match="not a regular file"):
        Recording(tape)
    with pytest.raises(CassetteError):
        Reading(tape)
    with pytest.raises(CassetteError):
        salvage(tape)
    tape.rmdir() if tape.is_dir() else tape.unlink()
    make(partial_of(tape))
    with pytest.raises(CassetteWriteError):
        Recording(tape)


def test_a_device_is_refused(tape):
    tape.symlink_to("/dev/zero")
    with pytest.raises(CassetteError, match="not a regular file"):
        Reading(tape)
    with pytest.raises(CassetteWriteError, match="not a regular file"):
        Recording(tape)


def test_a_file_where_a_folder_is_needed_is_a_clear_error(tape):
    tape.parent.joinpath("file").write_text("")
    inside = tape.parent / "file" / tape.name
    with pytest.raises(CassetteWriteError, match="cannot be written: "):
        Recording(inside)
    with pytest.raises(CassetteMissingError):
        Reading(inside)


def test_a_name_that_cannot_be_a_file_is_a_clear_error(tape):
    for name in (f"{'x' * 300}{tape.suffix}", f"a\0{tape.suffix}"):
        with pytest.raises(CassetteError):
            Reading(tape.with_name(name))
        with pytest.raises(CassetteError):
            Recording(tape.with_name(name))


def test_a_missing_cassette_is_told_from_a_broken_one(tape):
    with pytest.raises(CassetteMissingError, match="no such cassette"):
        Reading(tape)
    tape.write_bytes(b"")
    with pytest.raises(CassetteFormatError):
        Reading(tape)


def test_a_torn_cassette_is_refused_when_it_is_opened(tape):
    record(tape)
    tape.write_bytes(tape.read_bytes()[:-30])
    with pytest.raises(CassetteFormatError) as caught:
        Reading(tape)
    assert caught.value.line is not None


def test_a_whole_event_gone_from_the_middle_is_noticed_when_it_is_opened(tape):
    record(tape)
    gone = format_for(tape).event(SESSION[1])
    tape.write_bytes(tape.read_bytes().replace(gone, b""))
    with pytest.raises(CassetteFormatError, match="counts 5 events, but the file holds 4"):
        Reading(tape)


def test_salvage_says_that_a_whole_cassette_is_whole(tape):
    record(tape)
    saved = salvage(tape)
    assert saved.tear is None
    assert saved.header == HEADER
    assert [entry.data for entry in saved.events] == SESSION


def test_a_recording_whose_folder_vanished_does_not_call_its_events_safe(tmp_path, suffix):
    folder = tmp_path / "folder"
    recording = Recording(folder / f"tape.{suffix}")
    recording.begin(HEADER)
    recording.append(SESSION[0])
    shutil.rmtree(folder)
    with pytest.raises(CassetteWriteError, match=r"No such file or directory$"):
        recording.finish(HEADER)
    recording.abandon()
