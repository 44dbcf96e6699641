"""The application that inbound calls go to: a shop behind a till, recorded and driven again."""

from collections.abc import Callable, Iterator
from typing import Any

from shop.real import RealBank
from vcr_shop import VcrBank, VcrTill

from situations.staging import TAPE, Program, finish
from vcr_gen import Cassette, Driver


class Shop:
    """The application: sells what it has, and may ask the bank."""

    def __init__(self, bank: Any = None, greeting: str = "sold") -> None:
        self.bank = bank
        self.greeting = greeting

    def buy(self, item: str) -> str:
        if self.bank is not None:
            self.bank.pay("shop", len(item))
        return f"{self.greeting} {item}"

    async def order(self, item: str) -> str:
        return self.buy(item)

    def receipt(self, lines: int) -> Iterator[str]:
        yield from (f"{self.greeting} {number}" for number in range(lines))


def record_till(environment: Program, shop: Callable[[Any], Any] = lambda _: Shop()) -> None:
    with Cassette(TAPE, "all") as cassette:
        real = VcrBank.attach(cassette, RealBank)
        finish(environment(VcrTill(cassette=cassette, inner=shop(real))))


def replay_till(shop: Callable[[Any], Any]) -> None:
    with Cassette(TAPE) as cassette:
        taped = VcrBank.attach(cassette, RealBank)
        Driver(cassette, VcrTill(cassette=cassette, inner=shop(taped))).run_sync()
