"""The application answers otherwise, or nobody asks it."""

import asyncio
from contextlib import suppress
from typing import Any

from shop.real import RealBank
from vcr_shop import VcrBank, VcrTill

from situations.staging import TAPE, Program, door, situation
from situations.till import Shop, record_till, replay_till
from vcr_gen import Cassette, Driver


@situation
def an_inbound_call_returns_another_value() -> None:
    record_till(lambda till: till.buy("tea"))
    replay_till(lambda _: Shop(greeting="gave away"))


@situation
def an_inbound_call_raises_instead() -> None:
    class Closed(Shop):
        def buy(self, item: str) -> str:
            raise LookupError(f"no {item}")

    record_till(lambda till: till.buy("tea"))
    replay_till(lambda _: Closed())


@situation
def an_inbound_call_raises_another_exception() -> None:
    class Closed(Shop):
        def buy(self, item: str) -> str:
            raise LookupError(f"no {item}")

    class Broken(Shop):
        def buy(self, item: str) -> str:
            return item.price  # type: ignore[attr-defined]

    def customer(till: Any) -> None:
        with suppress(LookupError):
            till.buy("tea")

    record_till(customer, lambda _: Closed())
    replay_till(lambda _: Broken())


@situation
def an_inbound_call_raises_before_its_outbound_call() -> None:
    class Broken(Shop):
        def buy(self, item: str) -> str:
            raise KeyError(item)

    record_till(lambda till: till.buy("tea"), Shop)
    replay_till(Broken)


@situation
def an_async_inbound_call_returns_another_value() -> None:
    record_till(lambda till: till.order("tea"))
    with Cassette(TAPE) as cassette:
        till = VcrTill(cassette=cassette, inner=Shop(greeting="gave away"))
        asyncio.run(Driver(cassette, till).run())


@situation
def an_inbound_stream_gives_another_item() -> None:
    record_till(lambda till: list(till.receipt(2)))
    replay_till(lambda _: Shop(greeting="gave away"))


@situation
def an_inbound_call_no_longer_makes_its_outbound_call() -> None:
    record_till(lambda till: till.buy("tea"), Shop)
    replay_till(lambda _: Shop())


@situation
def an_inbound_call_makes_an_outbound_call_that_is_new() -> None:
    record_till(lambda till: till.buy("tea"))
    replay_till(Shop)


@situation
def a_callback_returns_another_value() -> None:
    def program(end: str) -> Program:
        return lambda d: d.watch(lambda name: name + end)

    door(program("!"), program("?"))


@situation
def nobody_drives_an_inbound_call() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrTill(cassette=cassette, inner=Shop()).buy("tea")
        VcrBank.attach(cassette, RealBank).balance("ann")
    with Cassette(TAPE) as cassette:
        VcrTill(cassette=cassette, inner=Shop())
        VcrBank.attach(cassette, RealBank).balance("ann")
