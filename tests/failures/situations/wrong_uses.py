"""The runtime is used in a way in which it cannot be."""

from shop.real import RealBank
from vcr_shop import VcrBank, VcrTill

from situations.staging import TAPE, record, recorded_bytes, replay, situation
from situations.till import Shop
from vcr_gen import Cassette, Driver


@situation
def an_inner_is_missing_in_a_recording() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrBank(cassette=cassette)


@situation
def an_inner_is_given_in_a_replay() -> None:
    recorded_bytes()
    with Cassette(TAPE) as cassette:
        VcrBank(cassette=cassette, inner=RealBank())


@situation
def an_object_is_attached_in_a_recording() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrBank.attach(cassette, RealBank())


@situation
def an_object_is_attached_in_a_replay() -> None:
    recorded_bytes()
    with Cassette(TAPE) as cassette:
        VcrBank.attach(cassette, RealBank())


@situation
def a_class_that_needs_an_argument_is_attached() -> None:
    class RemoteBank(RealBank):
        def __init__(self, url: str) -> None:
            super().__init__()

    with Cassette(TAPE, "all") as cassette:
        VcrBank.attach(cassette, RemoteBank)  # type: ignore[arg-type]


@situation
def attach_gets_its_arguments_in_the_wrong_order() -> None:
    with Cassette(TAPE, "all") as cassette:
        VcrBank.attach(RealBank, cassette)  # type: ignore[arg-type]


@situation
def attach_gets_a_path_instead_of_a_cassette() -> None:
    VcrBank.attach(str(TAPE), RealBank)  # type: ignore[arg-type]


@situation
def a_wrapper_gets_none_instead_of_a_cassette() -> None:
    VcrBank(cassette=None, inner=RealBank())  # type: ignore[arg-type]


@situation
def a_wrapper_of_the_program_gets_a_path_instead_of_a_cassette() -> None:
    VcrTill(cassette=TAPE, inner=Shop())  # type: ignore[arg-type]


@situation
def a_wrapper_is_attached_to_a_closed_cassette() -> None:
    with Cassette(TAPE, "all") as cassette:
        pass
    VcrBank.attach(cassette, RealBank)


@situation
def a_boundary_is_used_after_the_close() -> None:
    recorded_bytes()
    with Cassette(TAPE) as cassette:
        taped = VcrBank.attach(cassette, RealBank)
        taped.balance("ann")
    taped.balance("ann")


@situation
def a_driver_is_made_while_recording() -> None:
    with Cassette(TAPE, "all") as cassette:
        Driver(cassette, VcrTill(cassette=cassette, inner=Shop()))


@situation
def an_unrecorded_member_is_used_in_a_replay() -> None:
    record(VcrBank, RealBank, lambda b: b.disconnect())
    replay(VcrBank, lambda b: b.disconnect())
