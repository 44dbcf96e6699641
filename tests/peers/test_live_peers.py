"""A replay whose other end is a program outside the process."""

import asyncio
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sessions import BUSY, Client, RealClient, RealLine, record
from vcr_link import VcrClient, VcrDesk, VcrLine

from vcr_gen import Cassette, DivergenceError, Driver
from vcr_gen.runtime.replay.live_peer import GONE, Patience

LIMIT = 2.0
"""What the mock server says; also the usual patience."""

LATER = LIMIT + 0.5

HOW = ["pipe", "job", "worker"]


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / "tape.yaml"
    asyncio.run(record(path))
    return path


@pytest.mark.parametrize("how", HOW)
def test_a_client_that_pauses_is_still_served(tape: Path, how: str) -> None:
    client = Client(tape, how)
    assert client.ask(1, "hello") == [{"id": 1, "result": {"method": "hello"}}]
    time.sleep(LATER)
    client.send(method="ready", params={})
    assert client.ask(2, "count", to=2)[:2] == [{"progress": 0, "of": 2}, {"progress": 1, "of": 2}]
    asked, answered = client.ask(3, "ask", text="why?")
    assert asked["params"] == {"text": "why?"}
    assert answered["result"] == {"said": "answer to why?"}
    assert client.ask(4, "announce")[0] == {"method": "changed", "params": {}}
    client.ask(5, "goodbye")
    code, said, seconds = client.end()
    assert (code, said) == (0, "")
    assert seconds < 2 * LIMIT  # also on a busy machine: the process has its interpreter to end


@pytest.mark.parametrize("how", ["pipe", "worker"])
def test_a_withheld_answer_is_reported(tape: Path, how: str) -> None:
    client = Client(tape, how)
    client.ask(1, "hello")
    client.send(method="ready", params={})
    client.ask(2, "count", to=2)
    began = time.monotonic()
    client.send(id=3, method="ask", params={"text": "why?"})
    assert client.receive()["method"] == "question"  # which is never answered
    frame = client.receive()
    assert time.monotonic() - began > LIMIT
    assert "client.request" in frame["error"]
    code, said, seconds = client.end()
    assert code == 1
    assert "client.request" in said
    assert seconds < 2 * LIMIT


def test_a_client_that_leaves_early_is_reported_at_once(tape: Path) -> None:
    client = Client(tape, "worker")
    client.ask(1, "hello")
    code, said, seconds = client.end()
    assert code == 1
    assert "server.notify" in said
    assert seconds < 2 * LIMIT


def test_every_later_request_gets_the_report_too(tape: Path) -> None:
    client = Client(tape, "worker")
    client.ask(1, "hello")
    for number in (2, 3):
        (frame,) = client.ask(number, "unheard of")
        assert "server.request" in frame["error"]
    assert client.end()[0] == 1


async def drive(path: Path, **peer: Any) -> float:
    """Ask a client twice, with input open that never comes; how long the driver lingers then."""
    with Cassette(path, "all") as cassette:
        client = VcrClient(cassette=cassette, inner=RealClient())
        await client.request("question", {"text": "one"})
        await client.request("question", {"text": "two"})
    read, write = os.pipe()
    ended = 0.0

    class Notes(RealClient):
        async def request(self, method: str, params: dict[str, Any]) -> Any:
            nonlocal ended
            answer = await super().request(method, params)
            ended = time.monotonic()
            return answer

    with (
        os.fdopen(read) as pipe,
        os.fdopen(write, "w"),
        Cassette(path, "none", patience=LATER) as cassette,
        cassette.peer(**peer),
    ):
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(asyncio.Protocol, pipe)
        await Driver(cassette, VcrClient(cassette=cassette, inner=Notes())).run()
        lingered = time.monotonic() - ended
        transport.close()
        return lingered


@pytest.mark.parametrize("pauses", [True, False])
def test_the_end_of_the_tape_is_seen_at_once(tmp_path: Path, pauses: bool) -> None:
    assert asyncio.run(drive(tmp_path / "tape.yaml", pauses=pauses)) < LATER / 2


def test_time_is_real(tape: Path) -> None:
    async def program() -> float:
        with Cassette(tape, "none") as cassette, cassette.peer():
            VcrClient(cassette=cassette, inner=RealClient())
            began = time.monotonic()
            before = asyncio.get_running_loop().time()
            await asyncio.sleep(0.3)
            took = time.monotonic() - began
            assert asyncio.get_running_loop().time() - before == pytest.approx(took, abs=0.2)
            cassette.close(RuntimeError())
            return took

    assert asyncio.run(program()) >= 0.29


def speak(line: VcrLine, pause: float, texts: str) -> threading.Thread:
    def run() -> None:
        for text in texts:
            time.sleep(pause)
            line.say(text)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


@pytest.fixture
def spoken(tmp_path: Path) -> Path:
    path = tmp_path / "spoken.yaml"
    with Cassette(path, "all") as cassette:
        desk = VcrDesk(cassette=cassette, inner=RealLine())
        speak(VcrLine(cassette=cassette, inner=RealLine()), 0.0, "ab").join()
        desk.ask("why?")
    return path


def drive_thread(path: Path, pause: float, texts: str, **peer: Any) -> None:
    with Cassette(path, "none", patience=0.3) as cassette, cassette.peer(**peer):
        thread = speak(VcrLine(cassette=cassette), pause, texts)
        try:
            Driver(cassette, VcrDesk(cassette=cassette, inner=RealLine())).run_sync()
        finally:
            thread.join()


def test_a_driver_without_a_loop_waits_too(spoken: Path) -> None:
    drive_thread(spoken, 1.0, "ab")


def test_a_peer_that_never_pauses_has_the_limit_for_each_step(spoken: Path) -> None:
    began = time.monotonic()
    with pytest.raises(DivergenceError, match=r"never made the call line\.say"):
        drive_thread(spoken, 0.0, "a", limit=1.0, pauses=False)
    assert 1.0 < time.monotonic() - began < BUSY


def test_a_peer_that_was_silent_gets_less_time() -> None:
    peer = Patience(limit=10.0, pauses=False)
    quiet = [peer.seconds(in_flight=False, misses=misses) for misses in range(200)]
    assert quiet[:2] == [1.0, 0.5]
    assert sum(quiet) < 20
    assert [peer.seconds(in_flight=True, misses=misses) for misses in (0, 1, 99)] == [
        10.0,
        5.0,
        2.0,
    ]
    assert GONE.seconds(in_flight=True, misses=2) < 0
