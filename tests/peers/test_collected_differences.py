"""A driver that goes on after a difference and reports all of them at the end."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sessions import RealClient, RealLine
from vcr_link import VcrClient, VcrDesk, VcrLine, VcrServer

from vcr_gen import Cassette, DivergenceError, Driver
from vcr_gen.errors import VerificationError


class Tools:
    """An application that answers, and notifies and asks its own server."""

    def __init__(self, server: Any, **changes: Any) -> None:
        self._server = server
        self._changes = changes

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        for text in self._changes.get("told", ["begin", "middle", "end"]):
            await self._server.notify("log", {"text": text, "of": method})
        if method in self._changes.get("fails", ()):
            raise ValueError(method)
        return self._changes.get(method, {"answer": method, "size": 3})

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        pass


class Nothing(RealClient):
    async def request(self, method: str, params: dict[str, Any], progress: Any = None) -> Any:
        return None


async def record(path: Path) -> None:
    with Cassette(path, "all") as cassette:
        server = VcrServer(cassette=cassette, inner=Nothing())
        client = VcrClient(cassette=cassette, inner=Tools(server))
        for method in ("one", "two", "three"):
            await client.request(method, {})


def drive(path: Path, *, collect: bool = True, peer: bool = False, **changes: Any) -> None:
    async def main() -> None:
        with Cassette(path, "none") as cassette:
            client = VcrClient(
                cassette=cassette, inner=Tools(VcrServer(cassette=cassette), **changes)
            )
            driver = Driver(cassette, client, collect=collect)
            if not peer:
                await driver.run()
                return
            with cassette.peer(0.5, pauses=False):
                await driver.run()

    asyncio.run(main())


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / "tape.yaml"
    asyncio.run(record(path))
    return path


def differences(path: Path, **changes: Any) -> list[str]:
    with pytest.raises(VerificationError) as caught:
        drive(path, **changes)
    return [text.partition(": ")[2] for text in caught.value.differences]


def test_a_program_that_did_not_change_passes(tape: Path) -> None:
    drive(tape)
    drive(tape, peer=True)


@pytest.mark.parametrize("peer", [False, True])
def test_all_different_answers_are_reported_with_their_fields(tape: Path, peer: bool) -> None:
    changes = {"one": {"answer": "one", "size": 4}, "three": {"answer": "", "size": 3}}
    first, second = differences(tape, peer=peer, **changes)
    assert "$result.size" in first
    assert "- 3" in first
    assert "+ 4" in first
    assert "answer" in second


def test_an_error_in_place_of_an_answer_is_one_of_them(tape: Path) -> None:
    first, second = differences(tape, fails=["two"], three=None)
    assert "raised ValueError" in first
    assert "returned" in second


@pytest.mark.parametrize("peer", [False, True])
def test_so_are_calls_with_different_arguments(tape: Path, peer: bool) -> None:
    found = differences(tape, peer=peer, told=["begin", "muddle", "end"])
    assert len(found) == 3
    assert all("different arguments" in each and "muddle" in each for each in found)


@pytest.mark.parametrize("peer", [False, True])
def test_so_are_calls_that_are_no_longer_made(tape: Path, peer: bool) -> None:
    found = differences(tape, peer=peer, told=["begin", "middle"], two=0)
    assert sum("where the tape has" in each and '"end"' in each for each in found) == 3, found
    assert sum("returned a different value" in each for each in found) == 1, found
    assert len(found) == 4


def test_so_is_a_call_that_the_tape_does_not_have(tape: Path) -> None:
    found = differences(tape, told=["begin", "middle", "end", "again"], three=0)
    assert any("no more calls" in each or "again" in each for each in found)


def test_without_it_the_first_difference_ends_the_replay(tape: Path) -> None:
    with pytest.raises(DivergenceError, match="size"):
        drive(tape, collect=False, one={"answer": "one", "size": 4}, three=0)


def test_a_driver_without_a_loop_collects_too(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"

    class Desk:
        def __init__(self, line: Any, word: str = "") -> None:
            self._line, self._word = line, word

        def ask(self, text: str) -> str:
            return f"{self._line.say(text + self._word)}{self._word}"

    with Cassette(path, "all") as cassette:
        line = VcrLine(cassette=cassette, inner=RealLine())
        desk = VcrDesk(cassette=cassette, inner=Desk(line))
        assert [desk.ask(text) for text in "ab"] == ["a!", "b!"]

    def replay() -> None:
        with Cassette(path, "none") as cassette:
            desk = VcrDesk(cassette=cassette, inner=Desk(VcrLine(cassette=cassette), "?"))
            Driver(cassette, desk, collect=True).run_sync()

    with pytest.raises(VerificationError, match="4 differences"):
        replay()
