"""A recorded client against a server under test."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.mcp_boundary.mcp_commands import PLAIN, driving, recording
from tests.mcp_boundary.plain_client import client_of
from tests.mcp_boundary.test_mcp_commands import conversation


def drive(tape: Path, server: Sequence[str]) -> tuple[int, str]:
    run = subprocess.run(
        driving(tape, *server), capture_output=True, text=True, timeout=120, check=False
    )
    return run.returncode, run.stdout + run.stderr


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp") / "tape.yaml"
    with client_of(recording(path, *PLAIN)) as client:
        conversation(client)
        assert client.leave() == (0, "")
    return path


def test_the_recorded_server_shows_no_difference(tape):
    assert drive(tape, PLAIN) == (0, "")


def test_a_recording_with_anchors_of_a_test_drives_a_server(tape, tmp_path):
    anchored = tmp_path / "anchored.yaml"
    header, boundaries, rest = tape.read_text().partition("boundaries:\n")
    anchored.write_text(f"{header}anchors:\n- project\n- tmp\n{boundaries}{rest}")
    assert drive(anchored, PLAIN) == (0, "")


@pytest.mark.parametrize(
    ("altered", "what"),
    [
        ("level", "message.params.level"),
        pytest.param("data", "message.params.data", marks=pytest.mark.slow),
        ("no log", "client.notify"),
        pytest.param("another log", "client notifications/message", marks=pytest.mark.slow),
        pytest.param("refused", "server echo", marks=pytest.mark.slow),
        pytest.param("renamed", "spoken", marks=pytest.mark.slow),
        pytest.param("extra", "extra", marks=pytest.mark.slow),
        ("asks nothing", "client.request"),
        pytest.param("asks more", "message.params", marks=pytest.mark.slow),
        ("forgets", "roots"),
        pytest.param("code", "args[0]", marks=pytest.mark.slow),
        ("error data", "args[2][1]"),
        ("died", "client.closed"),
    ],
)
def test_an_altered_server_is_caught(tape, altered, what):
    code, report = drive(tape, (*PLAIN, altered))
    assert code == 1
    assert what in report, report


def test_all_differences_are_reported_in_one_run(tape):
    report = drive(tape, (*PLAIN, "level"))[1]
    assert "2 differences" in report


def test_a_state_that_the_client_gives_back_is_the_live_one(tmp_path):
    tape = tmp_path / "tape.yaml"
    with client_of(recording(tape, *PLAIN)) as client:
        [first] = client.ask("choose")
        [second] = client.ask("choose", requestState=first["result"]["requestState"], choice=2)
        assert second["result"]["chosen"] == 2
        client.leave()
    assert drive(tape, PLAIN) == (0, "")
