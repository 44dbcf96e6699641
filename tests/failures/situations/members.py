"""Streams, handles, properties and context managers are used otherwise."""

from contextlib import suppress
from typing import Any

from situations.staging import Program, database, door, feed, situation


@situation
def a_stream_was_closed_early() -> None:
    def actual(f: Any) -> None:
        prices = f.prices("tea")
        next(prices)
        prices.close()

    feed(lambda f: list(f.prices("tea")), actual)


@situation
def a_stream_is_read_further_than_recorded() -> None:
    def recorded(f: Any) -> None:
        prices = f.prices("tea")
        next(prices)
        prices.close()

    feed(recorded, lambda f: list(f.prices("tea")))


@situation
def an_async_stream_is_no_longer_read() -> None:
    async def recorded(f: Any) -> None:
        async for _ in f.ticks("tea"):
            pass

    async def actual(f: Any) -> None:
        await anext(f.ticks("tea"))

    feed(recorded, actual)


@situation
def another_value_was_sent_into_a_stream() -> None:
    def program(word: str) -> Program:
        def bargain(f: Any) -> None:
            offers = f.bargain("tea")
            next(offers)
            offers.send(word)
            offers.close()

        return bargain

    feed(program("less"), program("more"))


@situation
def a_call_on_a_handle_changed() -> None:
    database(lambda d: d.connect("a").query("one"), lambda d: d.connect("a").query("two"))


@situation
def a_call_on_another_handle() -> None:
    def program(which: int) -> Program:
        def use(d: Any) -> None:
            (d.connect("a"), d.connect("b"))[which].query("one")

        return use

    database(program(0), program(1))


@situation
def a_property_was_set_to_another_value() -> None:
    def program(colour: str) -> Program:
        return lambda d: setattr(d, "colour", colour)

    door(program("red"), program("blue"))


@situation
def a_context_manager_was_left_with_an_error() -> None:
    def recorded(d: Any) -> None:
        with d.transaction("t"):
            pass

    def actual(d: Any) -> None:
        with d.transaction("t"):
            raise ValueError("no stock")

    database(recorded, actual)


@situation
def an_error_no_longer_leaves_a_context_manager() -> None:
    def recorded(d: Any) -> None:
        with suppress(ValueError), d.transaction("t"):
            raise ValueError("no stock")

    def actual(d: Any) -> None:
        with d.transaction("t"):
            pass

    database(recorded, actual)
