"""`vcr-gen mcp record` and `vcr-gen mcp serve`, seen from outside."""

import signal
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from tests.command_line import run_command
from tests.mcp_boundary.mcp_commands import PLAIN, SERVER, driving, recording, serving
from tests.mcp_boundary.plain_client import PlainClient, client_of

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import mcp_transport

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "docs" / "examples" / "mcp_agent"


def conversation(client: PlainClient) -> list[object]:
    return [
        client.ask("echo", text="Grüße", number=1),
        client.ask("whose"),
        client.ask("refuse"),
        client.ask("echo"),
    ]


@pytest.fixture
def tape(tmp_path):
    path = tmp_path / "tape.yaml"
    with client_of(recording(path, *PLAIN)) as client:
        conversation(client)
        assert client.leave() == (0, "")
    return path


def test_every_byte_passes_unchanged(tmp_path):
    tee, outer, inner = str(HERE / "tee.py"), tmp_path / "outer", tmp_path / "inner"
    outer.mkdir()
    inner.mkdir()
    proxied = recording(tmp_path / "tape.yaml", sys.executable, tee, str(inner), *PLAIN)
    with client_of((sys.executable, tee, str(outer), *proxied)) as client:
        conversation(client)
        client.leave()
    for name in ("said.to", "said.by"):
        assert outer.joinpath(name).read_bytes() == inner.joinpath(name).read_bytes()
    assert b"a line that is not JSON\n" in outer.joinpath("said.by").read_bytes()


def test_the_mock_says_what_the_server_said(tmp_path, tape):
    with client_of(PLAIN) as client:
        live = conversation(client)
    with client_of(serving(tape)) as client:
        assert live == conversation(client)
        assert client.leave() == (0, "")


def test_progress_is_recorded_whatever_its_token(tmp_path):
    tape = tmp_path / "tape.yaml"
    token = {"progressToken": "a token of mine"}
    with client_of(recording(tape, *PLAIN)) as client:
        live = client.ask("work", _meta=token)
        assert client.leave() == (0, "")
    assert [frame["params"]["progress"] for frame in live[:-1]] == [1, 2]
    with client_of(serving(tape)) as client:
        assert live == client.ask("work", _meta=token)
        assert client.leave() == (0, "")


def test_what_is_no_message_is_passed_on_and_not_recorded(tmp_path):
    tape = tmp_path / "tape.yaml"
    for command in (recording(tape, *PLAIN), serving(tape)):
        with client_of(command) as client:
            client.say(id=1, method="echo", params=None)
            client.say(id=[], method="echo")
            client.say(method="notifications/cancelled", params=None)
            client.say(method="notifications/progress", params={"_meta": None})
            client.say(id=5)
            client.say(id=2, method="mumble", params={"_meta": None})
            while (answer := client.hear()).get("id") != 2:
                pass
            assert answer["result"] == {"half": "\ud83c"}
            assert client.leave() == (0, "")


def test_a_cancellation_may_come_earlier_than_recorded(tmp_path):
    """Over HTTP a request and the cancellation of the one before may overtake each other."""
    tape = tmp_path / "tape.yaml"
    cancelling = {"method": "notifications/cancelled", "params": {"requestId": "slow"}}
    with client_of(recording(tape, *PLAIN)) as client:
        client.say(id="slow", method="never")
        recorded = client.ask("echo", a=1)
        client.say(**cancelling)
        assert client.leave() == (0, "")
    with client_of(serving(tape)) as client:
        client.say(id="slow", method="never")
        client.say(**cancelling)
        assert recorded == client.ask("echo", a=1)
        assert client.leave() == (0, "")


def test_a_changed_request_gets_an_error_that_names_the_field(tape):
    with client_of(serving(tape)) as client:
        [answer] = client.ask("echo", text="Grüße", number=2)
        assert answer["error"]["code"] == -32603
        assert "message.params.number" in answer["error"]["message"]
        code, complaints = client.leave()
    assert code == 1
    assert "server echo was called with different arguments: message.params.number" in complaints


def test_what_a_client_leaves_out_is_reported(tape):
    with client_of(serving(tape)) as client:
        client.ask("echo", text="Grüße", number=1)
        code, complaints = client.leave()
    assert code == 1
    assert "server.request(whose" in complaints


def test_a_changed_answer_of_the_client_is_reported(tape):
    with client_of(serving(tape)) as client:
        client.ask("echo", text="Grüße", number=1)
        client.say(id=8, method="whose")
        asked = client.hear()
        client.say(id=asked["id"], result={"roots": ["there"]})
        assert "error" in client.hear()
        code, complaints = client.leave()
    assert code == 1
    assert "roots[0]" in complaints


def test_a_server_that_dies_dies_again(tmp_path):
    tape = tmp_path / "tape.yaml"
    with client_of(recording(tape, *PLAIN)) as client:
        client.ask("echo", a=1)
        assert client.ask("die") == []
        assert client.leave()[0] == 3
    with client_of(serving(tape)) as client:
        client.ask("echo", a=1)
        assert client.ask("die") == []
        assert client.leave() == (0, "")


def test_a_server_may_ask_a_client_that_has_left(tmp_path):
    tape = tmp_path / "tape.yaml"
    for command in (recording(tape, *PLAIN), serving(tape)):
        with client_of(command) as client:
            client.ask("postpone")
            assert client.leave() == (0, "")
    assert "method: roots/list" in tape.read_text()


def test_a_terminated_recording_can_be_served(tmp_path):
    tape = tmp_path / "tape.yaml"
    with client_of(recording(tape, *PLAIN)) as client:
        recorded = client.ask("echo", a=1)
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(60) == 128 + signal.SIGTERM
    with client_of(serving(tape)) as client:
        assert recorded == client.ask("echo", a=1)


def test_a_killed_recording_can_be_salvaged(tmp_path):
    tape, partial = tmp_path / "tape.yaml", tmp_path / "tape.yaml.partial"
    with client_of(recording(tape, *PLAIN)) as client:
        recorded = client.ask("echo", a=1)
        deadline = time.monotonic() + 60
        while b"said" not in partial.read_bytes():  # recorded beside the forwarding
            assert time.monotonic() < deadline
            time.sleep(0.01)
        client.process.kill()
    assert not tape.exists()
    run_command("cassette", "convert", "--salvage", str(partial), str(tape), cwd=tmp_path)
    with client_of(serving(tape)) as client:
        assert recorded == client.ask("echo", a=1)


def test_a_command_that_does_not_exist(tmp_path):
    with client_of(recording(tmp_path / "tape.yaml", "no-such-server")) as client:
        code, complaints = client.leave()
    assert code == 2
    assert complaints.startswith("vcr-gen: cannot run no-such-server: No such file or directory")


@pytest.mark.parametrize("command", [serving, driving])
def test_a_tape_with_several_servers_is_not_played(tmp_path, command):
    async def use(server: Any) -> None:
        async with Client(server, mode="legacy") as client:
            await client.list_tools()

    async def sessions() -> None:
        with Cassette(tape, "all") as cassette:
            await use(mcp_transport(cassette, SERVER))
            await use(mcp_transport(cassette, SERVER, name="search"))

    tape = tmp_path / "tape.yaml"
    anyio.run(sessions)
    done = run_command(*command(tape)[3:], cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"{tape}: it has several servers, or one with a name: search\n")


@pytest.mark.parametrize("action", ["serve", "drive"])
def test_a_tape_without_a_session_is_refused(action):
    tape = EXAMPLE.parent / "agent_server" / "cassettes" / "release.yaml"
    program = ["--", "server"] if action == "drive" else []
    done = run_command("mcp", action, str(tape), *program, cwd=EXAMPLE)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"{tape} contains no MCP session\n\nhint: record one: ")


def test_a_tape_with_other_boundaries_is_not_served_in_part():
    [tape] = EXAMPLE.glob("tests/cassettes/*/*.yaml")
    done = run_command("mcp", "serve", str(tape), cwd=EXAMPLE)
    assert done.code == 2
    assert "a mock server cannot play Clock and Journal" in done.err
    assert f"vcr-gen mcp record -o {tape}" in done.err
