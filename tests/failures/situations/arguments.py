"""A call is made with other arguments than the recorded ones."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from shop.ports import Address, Colour, Order
from shop.real import RealWarehouse
from vcr_shop import VcrWarehouse

from situations.staging import TAPE, bank, replay, situation, warehouse
from vcr_gen import Cassette


@situation
def an_argument_changed() -> None:
    bank(lambda b: b.pay("ann", 10), lambda b: b.pay("ann", 11))


@situation
def an_argument_changed_and_make_records() -> None:
    bank(
        lambda b: b.pay("ann", 10),
        lambda b: b.pay("ann", 11),
        record_with="make record",
    )


@situation
def an_argument_of_an_async_call_changed() -> None:
    async def recorded(b: Any) -> None:
        await b.rate("usd")

    async def actual(b: Any) -> None:
        await b.rate("eur")

    bank(recorded, actual)


ORDER = Order(7, ("tea", "milk"), Address("1 Long Lane", "London"))


@situation
def a_nested_field_changed() -> None:
    other = replace(ORDER, address=Address("1 Long Lane", "Leeds"))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def several_fields_changed() -> None:
    other = Order(8, ("tea", "cream"), Address("2 Long Lane", "Leeds"))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def an_item_was_inserted_into_a_list() -> None:
    other = replace(ORDER, items=("honey", "tea", "milk"))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def items_of_a_long_list_changed() -> None:
    items = tuple(f"item {n}" for n in range(30))
    recorded, actual = (replace(ORDER, items=(*items, last)) for last in ("tea", "milk"))
    warehouse(lambda w: w.send(recorded), lambda w: w.send(actual))


@situation
def values_changed_that_the_tape_has_as_text() -> None:
    due = datetime(2026, 11, 19, tzinfo=UTC)
    warehouse(
        lambda w: w.paint(Colour.RED, b"red", due),
        lambda w: w.paint(Colour.BLUE, b"blue", due + timedelta(days=1)),
    )


@situation
def values_changed_that_no_type_declares() -> None:
    recorded = {"large": 10**30, "set": {1, 2}, "pair": (1, "a")}
    actual = {"large": 10**30 + 1, "set": {1, 3}, "pair": (1,)}
    warehouse(lambda w: w.tag(recorded), lambda w: w.tag(actual))


@situation
def an_object_of_another_class_is_given() -> None:
    recorded, actual = ORDER.address, ValueError("no address")
    warehouse(lambda w: w.tag(recorded), lambda w: w.tag(actual))


@situation
def a_path_below_an_anchor_changed() -> None:
    anchors = {"stock": "/srv/stock"}
    with Cassette(TAPE, "all", anchors=anchors) as cassette:
        VcrWarehouse.attach(cassette, RealWarehouse).label(Path("/srv/stock/one.txt"))
    replay(VcrWarehouse, lambda w: w.label(Path("/tmp/one.txt")), anchors=anchors)


@situation
def a_list_is_longer() -> None:
    other = replace(ORDER, items=("tea", "milk", "sugar"))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def a_list_is_shorter() -> None:
    other = replace(ORDER, items=("tea",))
    warehouse(lambda w: w.send(ORDER), lambda w: w.send(other))


@situation
def a_key_was_added_and_another_removed() -> None:
    warehouse(
        lambda w: w.tag({"size": 1, "fragile": True}),
        lambda w: w.tag({"size": 1, "heavy": True}),
    )


@situation
def the_type_of_a_value_changed() -> None:
    warehouse(lambda w: w.tag({"size": 1}), lambda w: w.tag({"size": "1"}))


STORY = "\n".join(f"line {number} of a long note to the warehouse" for number in range(1, 31))


@situation
def a_long_text_changed_in_two_lines() -> None:
    other = STORY.replace("line 9 of a long", "line 9 of a very long").replace(
        "line 20 of", "line 20 at the end of"
    )
    warehouse(lambda w: w.note(STORY), lambda w: w.note(other))


@situation
def a_long_text_lost_a_line() -> None:
    other = STORY.replace("line 12 of a long note to the warehouse\n", "")
    warehouse(lambda w: w.note(STORY), lambda w: w.note(other))


@situation
def a_long_line_changed_in_its_middle() -> None:
    before, after = "word " * 60, "end " * 60
    warehouse(
        lambda w: w.note(f"{before}two bottles of red wine {after}"),
        lambda w: w.note(f"{before}two bottles of white wine {after}"),
    )


@situation
def a_text_has_control_characters() -> None:
    warehouse(lambda w: w.note("a\tb\x1b[31m"), lambda w: w.note("a b\x1b[32m"))


@situation
def an_argument_beside_a_secret_changed() -> None:
    bank(lambda b: b.login("ann", "hunter2"), lambda b: b.login("bob", "hunter3"))


@situation
def a_path_outside_of_the_anchors_changed() -> None:
    warehouse(lambda w: w.label(Path("/a/one.txt")), lambda w: w.label(Path("/a/two.txt")))
