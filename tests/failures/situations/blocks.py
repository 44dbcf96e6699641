"""The `with` blocks of a context manager, and what is called in them."""

from contextlib import suppress
from typing import Any

from situations.staging import database, situation


def one_call(d: Any) -> None:
    with d.transaction("t"):
        d.connect("a").query("one")


@situation
def a_call_was_added_in_a_block() -> None:
    def actual(d: Any) -> None:
        with d.transaction("t"):
            d.connect("a").query("one")
            d.connect("b")

    database(one_call, actual)


@situation
def a_call_was_dropped_in_a_block() -> None:
    def actual(d: Any) -> None:
        with d.transaction("t"):
            d.connect("a")

    database(one_call, actual)


@situation
def a_block_was_added() -> None:
    def actual(d: Any) -> None:
        with d.transaction("t"), d.transaction("u"):
            d.connect("a").query("one")

    database(one_call, actual)


@situation
def a_block_is_never_left() -> None:
    def actual(d: Any) -> None:
        d.transaction("t").__enter__()
        d.connect("a").query("one")

    database(one_call, actual)


@situation
def another_exception_leaves_a_block() -> None:
    def program(error: Exception) -> Any:
        def run(d: Any) -> None:
            with suppress(LookupError, ValueError), d.transaction("t"):
                raise error

        return run

    database(program(ValueError("no stock")), program(LookupError("no tea")))
