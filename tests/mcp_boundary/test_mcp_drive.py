"""A recorded client against a server under test."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.mcp_boundary.mcp_commands import ALTERED, PLAIN, driving, recording
from tests.mcp_boundary.plain_client import client_of
from tests.mcp_boundary.test_mcp_commands import conversation

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp.server_driver import BOUNDARIES, drive_stdio
from vcr_gen.errors import VerificationError


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
        client.ask("work", _meta={"progressToken": "t"})
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
        ("data", "message.params.data"),
        ("no log", "client.notify"),
        ("another log", "client notifications/message"),
        ("refused", "server echo"),
        ("renamed", "spoken"),
        ("extra", "$result.extra"),
        ("missing", "$result.said"),
        ("type", "$result.said.number"),
        ("list", "$result.said"),
        ("asks nothing", "client.request(message=roots/list"),
        ("asks another", "client ping"),
        ("asks twice", "client roots/list"),
        ("forgets", "$result.roots"),
        ("code", "args[0]"),
        ("message", "args[1]"),
        ("error data", "args[2][1]"),
        ("more error data", "args[2]"),
        ("no error data", "args"),
        ("succeeds", "server refuse"),
        ("no progress", "progress"),
        ("more", "progress"),
        ("another progress", "progress"),
        ("counts down", "server work: the server said the same in a different order"),
        ("late log", "server echo: the server said the same in a different order"),
        ("answers twice", "server echo: the server answered more than once"),
        ("died", "server echo: the server ended before its answer; the rest"),
    ],
)
def test_an_altered_server_is_caught(tape, altered, what):
    with (
        pytest.raises(VerificationError) as caught,
        Cassette(tape, "none", other_side=BOUNDARIES) as cassette,
    ):
        drive_stdio(cassette, (*ALTERED, altered))
    assert what in str(caught.value)


def test_a_different_order_is_shown(tape):
    _, report = drive(tape, (*ALTERED, "counts down"))
    rows = [line.strip() for line in report.splitlines()]
    assert rows[rows.index("+ progress 2") + 1] == "progress 1"


def test_what_follows_from_a_crash_is_not_reported(tape):
    code, report = drive(tape, (*ALTERED, "died"))
    assert code == 1
    assert "1 difference " in report


def test_an_added_message_does_not_take_the_place_of_a_later_one(tmp_path):
    tape = tmp_path / "tape.yaml"
    with client_of(recording(tape, *PLAIN)) as client:
        client.ask("echo", number=1)
        client.ask("echo", number=2)
        client.leave()
    code, report = drive(tape, (*ALTERED, "another log"))
    assert code == 1
    assert "2 differences" in report
    assert report.count("client notifications/message was called, but the tape has no such") == 2
    assert '+ client.notify(notifications/message {"number": 2})' in report


@pytest.mark.slow
def test_a_server_that_does_not_answer_is_reported(tape):
    code, report = drive(tape, (*ALTERED, "silent"))
    assert code == 1
    assert "server.request(echo" in report


def test_all_differences_are_reported_in_one_run(tape):
    alterations = ("level", "renamed", "forgets", "code", "message", "more", "more error data")
    code, report = drive(tape, (*ALTERED, *alterations))
    assert code == 1
    assert "7 differences" in report
    fields = ("params.level", "said", "spoken", "roots[0]", "args[0]", "args[1]", "args[2][3]")
    for field in (*fields, "progress"):
        assert f"{field}: " in report


def test_a_state_that_the_client_gives_back_is_the_live_one(tmp_path):
    tape = tmp_path / "tape.yaml"
    with client_of(recording(tape, *PLAIN)) as client:
        [first] = client.ask("choose")
        [second] = client.ask("choose", requestState=first["result"]["requestState"], choice=2)
        assert second["result"]["chosen"] == 2
        client.leave()
    assert drive(tape, PLAIN) == (0, "")
