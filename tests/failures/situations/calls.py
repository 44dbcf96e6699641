"""Calls that come, come not, or come at another time."""

from typing import Any

from situations.staging import bank, situation


@situation
def two_calls_changed_places() -> None:
    def recorded(b: Any) -> None:
        b.pay("ann", 10)
        b.pay("bob", 20)

    def actual(b: Any) -> None:
        b.pay("bob", 20)
        b.pay("ann", 10)

    bank(recorded, actual)


@situation
def a_call_was_dropped() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, lambda b: b.pay("ann", 10))


@situation
def a_call_was_dropped_and_the_next_one_changed() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, lambda b: b.pay("ann", 0))


@situation
def a_call_was_added() -> None:
    def actual(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(lambda b: b.pay("ann", 10), actual)


@situation
def a_call_was_added_at_the_end() -> None:
    def actual(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(lambda b: b.balance("ann"), actual)


@situation
def a_call_was_repeated() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    def actual(b: Any) -> None:
        b.balance("ann")
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, actual)


@situation
def one_of_many_calls_is_like_others() -> None:
    def recorded(b: Any) -> None:
        for name in ("ann", "bob", "cid", "dee"):
            b.pay(name, 10)

    bank(recorded, lambda b: b.pay("cid", 12))
