"""Files that cannot be used, and values that do not fit into one."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from shop.real import RealWarehouse
from vcr_shop import VcrBank, VcrWarehouse

from situations.staging import TAPE, record, recorded_bytes, replay, situation
from vcr_gen import Cassette


@situation
def there_is_no_cassette() -> None:
    Cassette(TAPE, "none")


@situation
def a_cassette_was_torn() -> None:
    whole = recorded_bytes()
    TAPE.write_bytes(whole[: whole.rindex(b"returned:")])
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_cassette_is_of_a_later_version() -> None:
    TAPE.write_bytes(recorded_bytes().replace(b"vcr-gen: 1", b"vcr-gen: 99"))
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_file_is_no_cassette() -> None:
    TAPE.parent.mkdir()
    TAPE.write_text("interactions: []\nversion: 1\n", encoding="utf-8")
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_cassette_is_too_old() -> None:
    recorded_bytes()
    replay(VcrBank, lambda b: b.balance("ann"), max_age=timedelta(0), when_stale="fail")


@situation
def a_recorded_value_does_not_fit_its_type() -> None:
    TAPE.write_bytes(recorded_bytes().replace(b"returned: 100", b"returned: plenty"))
    replay(VcrBank, lambda b: b.balance("ann"))


@situation
def a_value_cannot_be_recorded() -> None:
    record(VcrWarehouse, RealWarehouse, lambda w: w.tag({"size": object()}))


@situation
def a_protocol_is_not_marked() -> None:
    record(VcrWarehouse, RealWarehouse, lambda w: w.rent().put("a chair"))


@situation
def several_values_cannot_be_recorded() -> None:
    def program(w: Any) -> None:
        w.note("tags")
        w.tag({"size": object()})
        w.rent()

    record(VcrWarehouse, RealWarehouse, program)


@situation
def an_anchor_is_missing() -> None:
    with Cassette(TAPE, "all", anchors={"stock": "/stock"}) as cassette:
        VcrWarehouse.attach(cassette, RealWarehouse).label(Path("/stock/a.txt"))
    replay(VcrWarehouse, lambda w: w.label(Path("/stock/a.txt")))
