"""What each mode does with a cassette, and how the mode is chosen."""

import re

import pytest
from changing_world import World, session
from tape_data import read_tape

from vcr_gen import Cassette, Mode
from vcr_gen.errors import CassetteMissingError, UsageError, VerificationError


@pytest.mark.parametrize("mode", ["once", "new_episodes", "all", "rewrite", Mode.ONCE, Mode.ALL])
def test_these_modes_record_where_there_is_no_cassette(tape, mode):
    assert session(tape.path, mode, 1, 2) == [1, 2]
    assert len(read_tape(tape.path)) == 2


@pytest.mark.parametrize("mode", ["none", "once", Mode.NONE])
def test_these_modes_replay_what_is_there(tape, mode, monkeypatch):
    session(tape.path, "all", 1, 2)
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, mode, 1, 2) == [1, 2]


@pytest.mark.parametrize("mode", ["none", "verify"])
def test_these_modes_need_a_cassette(tape, mode):
    with pytest.raises(CassetteMissingError, match='record it: open the cassette with mode="all"'):
        session(tape.path, mode, 1)
    assert not tape.path.exists()


@pytest.mark.parametrize("mode", ["all", "rewrite"])
def test_these_modes_record_afresh(tape, mode, monkeypatch):
    session(tape.path, "all", 1, 2)
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, mode, 3) == [13]
    assert [entry["returned"] for entry in read_tape(tape.path)] == [13]


def test_verify_passes_while_the_world_behaves_as_recorded(tape, monkeypatch):
    session(tape.path, "all", 1, 2)
    before = tape.path.read_bytes()
    monkeypatch.setattr(World, "calls", 0)
    assert session(tape.path, "verify", 1, 2) == [1, 2]
    assert World.calls == 2
    assert tape.path.read_bytes() == before


def test_verify_reports_every_difference_at_once(tape, monkeypatch):
    session(tape.path, "all", 1, 2, 3)
    monkeypatch.setattr(World, "more", 10)
    with pytest.raises(VerificationError) as caught:
        session(tape.path, "verify", 1, 2, 3)
    assert len(caught.value.differences) == 3
    assert re.search(r"tape\.\w+:\d+", str(caught.value))


@pytest.mark.parametrize("numbers", [(1,), (1, 2, 3)])
def test_verify_reports_missing_and_additional_calls(tape, numbers):
    session(tape.path, "all", 1, 2)
    with pytest.raises(VerificationError, match="the program no longer behaves") as caught:
        session(tape.path, "verify", *numbers)
    last = caught.value.differences[-1]
    what = "called, but not on the tape" if len(numbers) > 2 else "no longer called"
    assert re.search(rf"{what}: \w+\.\w+\(\w+={max(numbers) if len(numbers) > 2 else 2}\)", last)


@pytest.mark.parametrize("mode", [None, "once", Mode.ONCE])
def test_vcr_record_makes_the_default_and_once_record_afresh(tape, mode, monkeypatch):
    session(tape.path, "all", 1)
    monkeypatch.setenv("VCR_RECORD", "1")
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, mode, 1) == [11]
    monkeypatch.setenv("VCR_RECORD", "0")
    monkeypatch.setattr(World, "more", 20)
    assert session(tape.path, mode, 1) == [11]


@pytest.mark.parametrize("mode", ["none", "new_episodes", Mode.NONE])
def test_vcr_record_leaves_other_explicit_modes_alone(tape, mode, monkeypatch):
    session(tape.path, "all", 1)
    before = tape.path.read_bytes()
    monkeypatch.setenv("VCR_RECORD", "1")
    monkeypatch.setattr(World, "more", 10)
    assert session(tape.path, mode, 1) == [1]
    assert before == tape.path.read_bytes()


def test_vcr_record_leaves_an_explicit_verify_alone(tape, monkeypatch):
    session(tape.path, "all", 1)
    monkeypatch.setenv("VCR_RECORD", "1")
    monkeypatch.setattr(World, "more", 10)
    with pytest.raises(VerificationError):
        session(tape.path, "verify", 1)


@pytest.mark.parametrize("mode", [None, "once", "new_episodes", "none"])
@pytest.mark.parametrize("word", ["", "1"])
def test_where_ci_is_set_nothing_is_recorded(tape, mode, word, monkeypatch):
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("VCR_RECORD", word)
    with pytest.raises(CassetteMissingError, match="nothing is recorded while CI is set") as caught:
        session(tape.path, mode, 1)
    assert "hint: record it outside CI, and commit it: " in str(caught.value)
    assert not tape.path.exists()


def test_an_ignored_vcr_record_is_named(tape, monkeypatch):
    monkeypatch.setenv("VCR_RECORD", "1")
    with pytest.raises(CassetteMissingError) as caught:
        session(tape.path, "none", 1)
    assert str(caught.value).startswith(
        f"{tape.path}: there is no cassette, and mode 'none' does not record; "
        "VCR_RECORD=1 is ignored because the code names the mode 'none'\n"
    )
    session(tape.path, "all", 1)
    monkeypatch.setenv("CI", "true")
    message = f"{tape.path}: VCR_RECORD=1 is ignored because CI is set"
    with pytest.warns(UserWarning, match=re.escape(message)):
        assert session(tape.path, "once", 1) == [1]


def test_where_ci_is_set_an_explicit_all_records(tape, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert session(tape.path, "all", 1) == [1]
    assert len(read_tape(tape.path)) == 1


def test_the_hint_names_what_would_record(tape, monkeypatch):
    monkeypatch.setenv("CI", "true")
    for mode, hint in ((None, "VCR_RECORD=1"), ("none", 'open the cassette with mode="all"')):
        with pytest.raises(CassetteMissingError, match=hint):
            session(tape.path, mode, 1)


def test_the_default_mode_is_none(tmp_path):
    with pytest.raises(CassetteMissingError, match="mode 'none' does not record"):
        Cassette(tmp_path / "a.yaml")


def test_an_unknown_mode_names_the_known_ones(tmp_path):
    with pytest.raises(UsageError, match="none, once, new_episodes, all, verify, rewrite"):
        Cassette(tmp_path / "a.yaml", "sometimes")


@pytest.mark.parametrize("word", ["none", "verify", "onec", "2"])
def test_a_word_in_vcr_record_that_says_neither_yes_nor_no_records_nothing(tape, monkeypatch, word):
    session(tape.path, "all", 1)
    before = tape.path.read_text()
    monkeypatch.setenv("VCR_RECORD", word)
    with pytest.raises(UsageError, match=f"VCR_RECORD must be 1 or 0; got '{word}'"):
        session(tape.path, "none", 1)
    assert before == tape.path.read_text()


@pytest.mark.parametrize("yes", ["1", "true", "Yes", "on"])
def test_vcr_record_says_yes_in_several_ways(tmp_path, monkeypatch, yes):
    monkeypatch.setenv("VCR_RECORD", yes)
    with Cassette(tmp_path / "tape.yaml") as cassette:
        assert cassette.mode is Mode.ALL


@pytest.mark.parametrize("no", ["", "0", "false", "False", "no", "off"])
def test_variables_that_say_no_are_as_if_they_were_not_set(tmp_path, monkeypatch, no):
    monkeypatch.setenv("VCR_RECORD", no)
    monkeypatch.setenv("CI", no)
    with Cassette(tmp_path / "tape.yaml", "once") as cassette:
        assert cassette.mode is Mode.ONCE
