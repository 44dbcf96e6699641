"""The Protocol changed after the recording."""

from typing import Any

from shop.real import RealMailer
from vcr_shop import (
    VcrBank,
    VcrDeskBefore,
    VcrDeskWithMore,
    VcrMailerBefore,
    VcrMailerRenamed,
    VcrMailerRetyped,
    VcrMailerWithLess,
    VcrMailerWithMore,
    VcrMailerWithoutPost,
)

from situations.staging import TAPE, Program, record, replay, situation
from situations.till import Shop
from vcr_gen import Cassette, Driver


def mailer(now: Any, program: Program) -> None:
    def recorded(m: Any) -> None:
        m.ping()
        m.post("ann", "hello")

    record(VcrMailerBefore, RealMailer, recorded)
    replay(now, program)


@situation
def a_parameter_was_added_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post("ann", "hello", priority=2)

    mailer(VcrMailerWithMore, program)


@situation
def a_parameter_was_removed_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post("ann")

    mailer(VcrMailerWithLess, program)


@situation
def a_parameter_was_renamed_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post("ann", body="hello")

    mailer(VcrMailerRenamed, program)


@situation
def a_parameter_has_another_type_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.post(["ann"], "hello")

    mailer(VcrMailerRetyped, program)


@situation
def a_method_was_renamed_since() -> None:
    def program(m: Any) -> None:
        m.ping()
        m.send("ann", "hello")

    mailer(VcrMailerWithoutPost, program)


@situation
def an_inbound_parameter_was_added_since() -> None:
    class Desk:
        def ask(self, question: str, language: str = "en") -> str:
            return "yes"

    with Cassette(TAPE, "all") as cassette:
        VcrDeskBefore(cassette=cassette, inner=Desk()).ask("open?")
    with Cassette(TAPE) as cassette:
        Driver(cassette, VcrDeskWithMore(cassette=cassette, inner=Desk())).run_sync()


@situation
def a_boundary_was_renamed_since() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrDeskBefore(cassette=cassette, inner=Shop())
        VcrMailerBefore.attach(cassette, RealMailer).ping()
    replay(VcrBank, lambda b: None)
