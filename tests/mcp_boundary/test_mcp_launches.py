"""Clients that launch the command of a server more than once."""

import pytest
from tests.mcp_boundary.mcp_commands import PLAIN, recording, serving
from tests.mcp_boundary.plain_client import client_of


def probe(command: tuple[str, ...], method: str = "server/discover") -> list[object]:
    with client_of(command) as client:
        heard = client.ask(method)
        assert client.leave()[0] == 0
    return heard


def session(command: tuple[str, ...], **echoed: object) -> list[object]:
    with client_of(command) as client:
        heard = [client.ask("echo", **echoed), client.ask("whose")]
        assert client.leave()[0] == 0
    return heard


@pytest.mark.parametrize("probe_comes_first", [True, False])
def test_a_probe_and_a_session_are_recorded_and_served(tmp_path, probe_comes_first):
    tape = tmp_path / "tape.yaml"
    steps = {"probe": probe, "session": session}
    order = ["probe", "session"] if probe_comes_first else ["session", "probe"]
    recorded = {name: steps[name](recording(tape, *PLAIN)) for name in order}
    assert {each.name for each in tmp_path.iterdir()} == {"tape.yaml", "tape.probe.yaml"}
    assert "method: echo" not in tmp_path.joinpath("tape.probe.yaml").read_text()
    for name in (*order, *order):
        assert recorded[name] == steps[name](serving(tape))


def test_a_session_takes_the_place_of_an_earlier_one(tmp_path):
    tape = tmp_path / "tape.yaml"
    session(recording(tape, *PLAIN), number=1)
    recorded = session(recording(tape, *PLAIN), number=2)
    assert list(tmp_path.iterdir()) == [tape]
    assert recorded == session(serving(tape), number=2)


def test_launches_beside_each_other_have_their_own_cassettes(tmp_path):
    tape = tmp_path / "tape.yaml"
    with client_of(recording(tape, *PLAIN)) as client:
        client.ask("echo", number=1)
        with client_of(recording(tape, *PLAIN)) as other:
            other.ask("whose")
            code, told = other.leave()
        client.leave()
    assert code == 0
    assert told == f"vcr-gen: {tape} has another launch; this one is {tmp_path}/tape.2.yaml\n"
    assert {each.name for each in tmp_path.iterdir()} == {"tape.yaml", "tape.2.yaml"}
    with client_of(serving(tape)) as client:
        client.ask("whose")
        assert client.leave() == (0, "")
