"""A divergence in other modes than `none`."""

from typing import Any

from shop.real import RealBank
from vcr_shop import VcrBank

from situations.staging import TAPE, bank, record, situation
from vcr_gen import Cassette


@situation
def a_divergence_in_new_episodes() -> None:
    def actual(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 11)

    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    bank(recorded, actual, mode="new_episodes")


@situation
def the_environment_answers_otherwise_in_verify() -> None:
    record(VcrBank, RealBank, lambda b: b.balance("ann"))
    with Cassette(TAPE, "verify") as cassette:
        VcrBank.attach(cassette, lambda: RealBank(balance=90)).balance("ann")


@situation
def the_program_calls_otherwise_in_verify() -> None:
    def recorded(b: Any) -> None:
        b.balance("ann")
        b.pay("ann", 10)

    def actual(b: Any) -> None:
        b.balance("bob")
        b.login("bob", "hunter2")

    bank(recorded, actual, mode="verify")
