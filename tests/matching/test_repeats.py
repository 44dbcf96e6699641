"""A rule lets a call be made more often than recorded, or less often."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from market_sessions import RealMarket
from vcr_market import VcrDesk, VcrMarket

from vcr_gen import Cassette, DivergenceError, Driver, Repeat
from vcr_gen.errors import UnusedEventsError

RULES = [Repeat("Market.fetch")]


def session(path: Path, mode: str, program: Callable[[Any], Any], **more: Any) -> Any:
    with Cassette(path, mode, **{"rules": RULES, **more}) as cassette:
        return program(VcrMarket.attach(cassette, RealMarket))


def polling(times: int) -> Callable[[Any], list[Any]]:
    return lambda market: [
        market.label({"a": "first"}),
        *[market.fetch("job", {}) for _ in range(times)],
        market.label({"a": "last"}),
    ]


@pytest.mark.parametrize("order", ["strand", "total", "lanes"])
@pytest.mark.parametrize("times", [1, 2, 3, 4, 7])
def test_a_call_may_repeat_in_any_order(tmp_path: Path, order: str, times: int) -> None:
    session(tmp_path / "t.yaml", "all", polling(3))
    found = session(tmp_path / "t.yaml", "none", polling(times), order=order)
    assert found == ["first", *["job"] * times, "last"]


@pytest.mark.parametrize("times", [2, 4])
def test_a_rule_for_other_calls_does_not_help(tmp_path: Path, times: int) -> None:
    session(tmp_path / "t.yaml", "all", polling(3), rules=[])
    rules = [Repeat("Market.label")]
    with pytest.raises((DivergenceError, UnusedEventsError), match=r"Market\.(fetch|label)"):
        session(tmp_path / "t.yaml", "none", polling(times), rules=rules)


def test_arguments_are_compared(tmp_path: Path) -> None:
    def asking(*keys: str) -> Callable[[Any], list[str]]:
        return lambda market: [market.fetch(key, {}) for key in keys]

    session(tmp_path / "t.yaml", "all", asking("a", "b"))
    assert session(tmp_path / "t.yaml", "none", asking("a", "a", "b", "a")) == ["a", "a", "b", "a"]
    with pytest.raises(DivergenceError):
        session(tmp_path / "t.yaml", "none", asking("a", "c", "b"))
    with pytest.raises(UnusedEventsError):
        session(tmp_path / "t.yaml", "none", asking("a", "a"))


def test_an_exception_repeats_too(tmp_path: Path) -> None:
    class Failing(RealMarket):
        def fetch(self, key: str, options: Any = None) -> str:
            raise LookupError(key)

    def program(times: int) -> Callable[[Any], None]:
        def run(market: Any) -> None:
            for _ in range(times):
                with pytest.raises(LookupError, match="job"):
                    market.fetch("job", {})

        return run

    for mode, times in (("all", 1), ("none", 3)):
        with Cassette(tmp_path / "t.yaml", mode, rules=RULES) as cassette:
            program(times)(VcrMarket.attach(cassette, Failing))


def test_threads_that_poll_less_do_not_hold_up_others(tmp_path: Path) -> None:
    def program(times: int) -> Callable[[Any], list[str]]:
        def run(market: Any) -> list[str]:
            log: list[str] = []

            def ask(key: str, count: int) -> None:
                log.extend(market.fetch(key, {}) for _ in range(count))

            threads = [Thread(target=ask, args=("a", times)), Thread(target=ask, args=("b", 3))]
            for thread in threads:
                thread.start()
                thread.join()
            return log

        return run

    session(tmp_path / "t.yaml", "all", program(3))
    for times in (1, 5):
        assert session(tmp_path / "t.yaml", "none", program(times)) == ["a"] * times + ["b"] * 3


def test_an_inbound_call_may_poll_more_or_less(tmp_path: Path) -> None:
    class Clerk:
        def __init__(self, market: Any, times: int) -> None:
            self.market, self.times = market, times

        def fail(self, question: str) -> None:
            for _ in range(self.times):
                self.market.fetch(question, {})

    def run(mode: str, times: int) -> None:
        with Cassette(tmp_path / "t.yaml", mode, rules=RULES) as cassette:
            clerk: Any = Clerk(VcrMarket.attach(cassette, RealMarket), times)
            desk = VcrDesk(cassette=cassette, inner=clerk)
            if cassette.calls_real:
                desk.fail("tea")
                desk.fail("milk")
            else:
                Driver(cassette, desk).run_sync()

    run("all", 3)
    for times in (1, 2, 3, 5):
        run("none", times)


def test_asynchronous_calls_repeat(tmp_path: Path) -> None:
    async def program(mode: str, times: int) -> list[str]:
        with Cassette(tmp_path / "t.yaml", mode, rules=[Repeat("Market")]) as cassette:
            market = VcrMarket.attach(cassette, RealMarket)

            async def ask(key: str) -> list[str]:
                found = []
                for _ in range(times):
                    found.append(await market.afetch(key))
                    await asyncio.sleep(0.01)
                return found

            both = await asyncio.gather(ask("a"), ask("b"))
            return [*both[0], *both[1], await market.afetch("last")]

    asyncio.run(program("all", 3))
    for times in (1, 2, 3, 6):
        found = asyncio.run(program("none", times))
        assert found == ["a"] * times + ["b"] * times + ["last"]
