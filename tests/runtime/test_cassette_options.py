"""What a cassette is opened with besides its mode: maximum age, initial state, anchors."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from changing_world import World, session
from sample.bridges import RealShell
from sample.models import Step
from vcr_sample import VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import CassetteError, UsageError
from vcr_gen.runtime.runs.cassette import StaleCassetteWarning


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"when_stale": "wurst"}, "unknown when_stale 'wurst': expected one of warn, fail, record"),
        ({"max_age": 5}, "max_age: expected a timedelta; got 5"),
        ({"initial_state": {1: 2}}, "initial_state: expected names as its keys; got 1"),
    ],
)
def test_options_that_mean_nothing_are_refused_before_a_file_is_touched(tmp_path, options, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        Cassette(tmp_path / "tape.yaml", "all", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_recording_that_is_too_old_warns_fails_or_is_made_anew(tape, monkeypatch):
    session(tape.path, "all", 1)
    monkeypatch.setattr(World, "more", 10)
    old = re.sub(rb"20\d\d-", b"2001-", tape.path.read_bytes(), count=1)
    tape.path.write_bytes(old)
    week = timedelta(days=7)
    assert session(tape.path, "none", 1) == [1]
    with pytest.warns(StaleCassetteWarning, match="days old") as warned:
        assert session(tape.path, "none", 1, max_age=week) == [1]
    opened_in = session.__code__.co_filename  # not a place of ours
    assert [warning.filename for warning in warned] == [opened_in]
    with pytest.raises(CassetteError, match="days old"):
        session(tape.path, "none", 1, max_age=week, when_stale="fail")
    with pytest.raises(CassetteError, match=r"days old.*\n\nhint: mode 'none' never records"):
        session(tape.path, "none", 1, max_age=week, when_stale="record")
    assert tape.path.read_bytes() == old
    assert session(tape.path, "once", 1, max_age=week, when_stale="record") == [11]
    assert session(tape.path, "none", 1, max_age=week, when_stale="fail") == [11]


def test_a_cassette_may_carry_its_maximum_age(tape):
    session(tape.path, "all", 1, max_age=timedelta(days=7))
    tape.path.write_bytes(re.sub(rb"20\d\d-", b"2001-", tape.path.read_bytes(), count=1))
    with pytest.warns(StaleCassetteWarning):
        session(tape.path, "none", 1)


def test_the_initial_state_is_read_back_in_a_replay(tape):
    state = {"cwd": Path("/work"), "names": ("a", "b"), "deep": {"n": [1.5, None]}}
    with Cassette(tape.path, "all", initial_state=state) as cassette:
        assert cassette.initial_state == state
    with Cassette(tape.path, "none", initial_state={"ignored": 1}) as cassette:
        assert cassette.initial_state == state
    with Cassette(tape.path, "verify") as cassette:
        assert cassette.initial_state == state


def test_a_cassette_recorded_in_one_folder_replays_in_another(tape):
    def program(root):
        return lambda shell: shell.run(Step("x"), cwd=root / "sub").log == root / "sub" / "log"

    here, there = Path("/somewhere/here"), Path("/another/place")
    assert tape.record(VcrShell, RealShell, program(here), anchors={"project": here})
    assert b"/somewhere" not in tape.path.read_bytes()
    assert tape.replay(VcrShell, program(there), anchors={"project": there})


def test_a_text_that_looks_like_a_path_under_an_anchor_stays_a_text(tape):
    folder = Path("/somewhere/here")
    looks_alike = "${project}/file of the program"

    def program(shell):
        return [
            shell.store([{"password": "Tr0ub4dor&3"}, f"{folder}/file of the program"]),
            shell.store([looks_alike]),
            shell.join(looks_alike),
        ]

    recorded = tape.record(VcrShell, RealShell, program, anchors={"project": folder})
    assert tape.path.read_text(encoding="utf-8").count("$${project}/file") == 3
    assert tape.replay(VcrShell, program, anchors={"project": folder}) == recorded


def test_an_anchor_of_the_recording_must_be_declared(tape):
    tape.record(VcrShell, RealShell, lambda shell: shell.read(1), anchors={"project": "/work"})
    with pytest.raises(UsageError, match="'project'"):
        Cassette(tape.path, "none")


def test_a_recording_may_get_another_name(tmp_path):
    path, renamed = tmp_path / "tape.yaml", tmp_path / "renamed.yaml"
    path.write_text("kept")
    with Cassette(path, "all") as cassette:
        VcrShell(cassette=cassette, inner=RealShell())
        with pytest.raises(UsageError, match="with its suffix"):
            cassette.rename("renamed.jsonl")
        cassette.rename("renamed.yaml")
    assert path.read_text() == "kept"
    assert {path, renamed} == set(tmp_path.iterdir())
    with Cassette(renamed, "none") as cassette, pytest.raises(UsageError, match="only a recording"):
        cassette.rename("tape.yaml")
