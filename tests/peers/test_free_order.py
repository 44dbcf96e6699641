"""Calls in any order bring along what belongs to them, and need not all come."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sessions import Client, record
from vcr_link import VcrClient, VcrServer

from vcr_gen import Cassette, DivergenceError, Driver, Repeat
from vcr_gen.errors import UnusedEventsError

LOOSE = "method_and_arguments"


class Told:
    """A client that notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        self.heard.append(method)
        return f"answer to {params['text']}"

    async def notify(self, method: str, params: dict[str, Any]) -> None:
        self.heard.append(method)


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / "tape.yaml"
    asyncio.run(record(path))
    return path


async def play(path: Path, *calls: tuple[str, dict[str, Any]], **options: Any) -> list[Any]:
    told = Told()
    with Cassette(path, "none", **{"strategy": LOOSE, **options}) as cassette:
        server = VcrServer(cassette=cassette)
        driving = asyncio.ensure_future(
            Driver(cassette, VcrClient(cassette=cassette, inner=told)).run()
        )
        for method, params in calls:

            async def progress(done: int) -> None:
                told.heard.append(done)

            told.heard.append(
                (await server.request(method, params, progress))[
                    "said" if method == "ask" else "method"
                ]
            )
        await driving
    return told.heard


def test_one_call_alone_brings_its_callbacks(tape: Path) -> None:
    heard = asyncio.run(play(tape, ("count", {"to": 2}), leftovers=True))
    assert heard == [0, 1, "count"]


def same_method(recorded: Any, actual: Any) -> bool:
    return bool(recorded.method == actual.method)


@pytest.mark.parametrize("strategy", ["method", same_method])
def test_a_call_whose_arguments_do_not_count_brings_its_callbacks(
    tape: Path, strategy: Any
) -> None:
    calls = [("hello", {"name": "x"}), ("count", {"to": 9})]
    heard = asyncio.run(play(tape, *calls, strategy=strategy, order="lanes", leftovers=True))
    assert heard == ["hello", 0, 1, "count"]


def test_one_call_alone_brings_what_the_environment_asked_meanwhile(tape: Path) -> None:
    heard = asyncio.run(play(tape, ("ask", {"text": "why?"}), leftovers=True))
    assert heard == ["question", "answer to why?"]


def test_an_answer_that_differs_is_reported_at_the_end(
    tape: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Told] = []

    async def other(self: Told, method: str, params: dict[str, Any]) -> Any:
        asked.append(self)
        return "another answer"

    monkeypatch.setattr(Told, "request", other)
    calls = [("ask", {"text": "why?"}), ("count", {"to": 2})]
    with pytest.raises(DivergenceError, match="the application returned"):
        asyncio.run(play(tape, *calls, leftovers=True))
    assert asked[0].heard == ["answer to why?", 0, 1, "count"]


def test_calls_in_another_order_keep_what_is_theirs(tape: Path) -> None:
    calls = [("announce", {}), ("ask", {"text": "why?"}), ("count", {"to": 2})]
    heard = asyncio.run(play(tape, *calls, leftovers=True))
    assert heard == ["changed", "announce", "question", "answer to why?", 0, 1, "count"]


def test_a_call_with_a_callback_repeats(tape: Path) -> None:
    calls = [("count", {"to": 2}), ("count", {"to": 2}), ("announce", {})]
    heard = asyncio.run(play(tape, *calls, leftovers=True, rules=[Repeat("server")]))
    assert heard == [0, 1, "count", "count", "changed", "announce"]


def test_leftovers_fail_unless_they_are_allowed(tape: Path) -> None:
    with pytest.raises((UnusedEventsError, DivergenceError)):
        asyncio.run(play(tape, ("count", {"to": 2})))


def test_what_belongs_to_overlapping_calls_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"

    class Slow:
        def __init__(self) -> None:
            self.client: Any = None
            self.speaks = asyncio.Lock()

        async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
            for done in range(2):
                await asyncio.sleep(params["pace"])
                async with self.speaks:
                    await progress(done + params["base"])
                    await self.client.notify(f"log of {method}", {})
            return {"method": method}

        async def notify(self, method: str, params: dict[str, Any]) -> None:
            pass

    many = [("a", {"pace": 0.02, "base": 0}), ("b", {"pace": 0.03, "base": 10})]

    async def both() -> None:
        with Cassette(path, "all") as cassette:
            slow = Slow()
            slow.client = VcrClient(cassette=cassette, inner=Told())
            server = VcrServer(cassette=cassette, inner=slow)

            async def ask(method: str, params: dict[str, Any]) -> None:
                async def progress(done: int) -> None:
                    pass

                await server.request(method, params, progress)

            await asyncio.gather(*(ask(*each) for each in many))

    asyncio.run(both())
    only = [10, "log of b", 11, "log of b", "b"]
    assert asyncio.run(play(path, many[1], leftovers=True)) == only
    both_heard = [*only, 0, "log of a", 1, "log of a", "a"]
    assert asyncio.run(play(path, *reversed(many))) == both_heard


def test_a_mock_server_answers_one_call_of_many(tape: Path) -> None:
    client = Client(tape, "worker", LOOSE)
    assert client.ask(1, "count", to=2)[:2] == [{"progress": 0, "of": 1}, {"progress": 1, "of": 1}]
    asked, _ = client.ask(2, "ask", text="why?")
    assert asked["method"] == "question"
    code, said, _ = client.end()
    assert (code, said) == (0, "")
