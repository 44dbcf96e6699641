"""A market that is there, and sessions of programs that use it."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from market.ports import Line, Order, Rented
from vcr_market import VcrMarket

from vcr_gen import Cassette, Rule

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
ORDER = Order(
    [Line("tea", 2, 1.5, (Line("leaf", 9, 2.5),))], NOON, NOON, {"x-id": "1", "gift": "no"}
)


class RealStall:
    def sell(self, what: str) -> int:
        return len(what)


class RealMarket:
    def rent(self) -> Rented:
        return Rented(RealStall(), "gate", 1.0)

    def place(self, order: Order, *, trace: str = "") -> int:
        return len(order.lines)

    def post(self, url: str, body: bytes, headers: list[tuple[str, str]]) -> str:
        return "ok"

    def login(self, user: str, *, token: str) -> bool:
        return True

    def haggle(self) -> Iterator[Any]:
        yield 1
        return "done"

    def fetch(self, key: str, options: Any = None) -> str:
        return key

    async def afetch(self, key: str) -> str:
        return key

    def label(self, labels: dict[str, str]) -> str:
        return ", ".join(labels.values())


def session(path: Path, mode: str, program: Callable[[Any], Any], rules: Sequence[Rule]) -> None:
    """Let the program use the market, where some values may differ."""
    with Cassette(path, mode, rules=rules) as cassette:
        program(VcrMarket.attach(cassette, RealMarket))


def place(order: Order, trace: str = "t") -> Callable[[Any], Any]:
    return lambda market: market.place(order, trace=trace)


def soon(recorded: datetime, actual: datetime) -> bool:
    return abs(recorded - actual) < timedelta(hours=1)


RECORDED = place(ORDER)
