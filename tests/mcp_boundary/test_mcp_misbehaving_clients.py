"""Clients that pause, withhold an answer, or say something else than in the recording."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.mcp_boundary.mcp_commands import PLAIN, recording, serving
from tests.mcp_boundary.perturbed_sessions import MESSAGES
from tests.mcp_boundary.plain_client import client_of

pytestmark = pytest.mark.slow

PROGRAM = (sys.executable, str(Path(__file__).with_name("perturbed_sessions.py")))
SESSIONS, PROCESSES = 100, 4


@pytest.fixture
def tape(tmp_path):
    path = tmp_path / "tape.yaml"
    with client_of(recording(path, *PLAIN)) as client:
        for message in MESSAGES:
            if "method" in message and "id" in message:
                client.ask(message["method"], **message["params"])
            elif "method" in message:
                client.say(**message)
        assert client.leave() == (0, "")
    return path


def test_perturbed_sessions_end_and_say_what_differs(tape):
    each = SESSIONS // PROCESSES
    runs = [
        subprocess.Popen(
            (*PROGRAM, str(tape), str(first), str(each)), stdout=subprocess.PIPE, text=True
        )
        for first in range(0, SESSIONS, each)
    ]
    sessions = []
    for run in runs:
        printed, _ = run.communicate(timeout=1800)
        assert run.returncode == 0, printed
        sessions += map(json.loads, printed.splitlines())
    assert len(sessions) == SESSIONS
    for session in sessions:
        assert session["code"] == 1, session
        assert any(name in session["said"] for name in session["named"]), session
        assert "Traceback" not in session["said"]


def test_a_withheld_answer_is_an_error_after_ten_seconds(tape):
    with client_of(serving(tape)) as client:
        client.ask("echo", text="Grüße", number=1)
        client.say(id="whose", method="whose")
        assert client.hear()["method"] == "roots/list"
        started = time.monotonic()
        answer = client.hear()
        assert 9 < time.monotonic() - started < 100
        assert (answer["id"], answer["error"]["code"]) == ("whose", -32603)
        assert "roots/list" in answer["error"]["message"]
        code, complaints = client.leave()
    assert code == 1
    assert "client.request(roots/list" in complaints
