"""The program ends, and recorded events are left."""

import asyncio
import contextlib
from typing import Any

from shop.real import RealBank
from vcr_shop import VcrBank, VcrTill

from situations.staging import TAPE, Program, bank, feed, record, situation
from situations.till import Shop, record_till
from vcr_gen import Cassette


@situation
def the_program_stops_early() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)
        b.pay("bob", 20)

    bank(recorded, lambda b: b.balance("ann"))


@situation
def one_task_of_two_makes_no_call() -> None:
    def program(*names: str) -> Program:
        async def use(b: Any) -> None:
            for name in names:
                await asyncio.create_task(b.rate(name))

        return use

    bank(program("usd", "eur"), program("eur"))


@situation
def many_events_are_left() -> None:
    def recorded(b: Any) -> None:
        for number in range(14):
            b.pay("ann", number)

    bank(recorded, lambda b: None)


@situation
def a_stream_is_not_read_to_its_end() -> None:
    feed(lambda f: list(f.prices("tea")), lambda f: next(f.prices("tea")))


@situation
def no_wrapper_is_attached() -> None:
    record(VcrBank, RealBank, lambda b: b.balance("ann"))
    with Cassette(TAPE):
        pass


@situation
def an_inbound_call_is_left() -> None:
    record_till(lambda till: till.buy("tea"))
    with Cassette(TAPE) as cassette:
        VcrTill(cassette=cassette, inner=Shop())


@situation
def a_divergence_was_swallowed_by_the_program() -> None:
    def actual(b: Any) -> None:
        with contextlib.suppress(BaseException):
            b.pay("ann", 11)

    bank(lambda b: b.pay("ann", 10), actual)
