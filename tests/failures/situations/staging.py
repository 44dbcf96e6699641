"""What every situation is made of: a recording, a replay, and a name to be listed under."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shop.real import RealBank, RealDatabase, RealDoor, RealFeed, RealWarehouse
from vcr_shop import VcrBank, VcrDatabase, VcrDoor, VcrFeed, VcrWarehouse

from vcr_gen import Cassette

TAPE = Path("cassettes/checkout.yaml")
SITUATIONS: dict[str, Callable[[], None]] = {}

Program = Callable[[Any], Any]


def situation(function: Callable[[], None]) -> Callable[[], None]:
    """List a situation under its name."""
    SITUATIONS[function.__name__] = function
    return function


def finish(result: Any) -> None:
    """Run what a coroutine function made."""
    if asyncio.iscoroutine(result):
        asyncio.run(result)


def record(wrapper: Any, real: Any, program: Program) -> None:
    with Cassette(TAPE, "all") as cassette:
        finish(program(wrapper.attach(cassette, real)))


def replay(wrapper: Any, program: Program, mode: str | None = None, **options: Any) -> None:
    with Cassette(TAPE, mode, **options) as cassette:
        finish(program(wrapper.attach(cassette, RealBank)))


def programs_of(wrapper: Any, real: Any) -> Callable[..., None]:
    """Makes situations of a boundary: record a program that uses it, and replay another."""

    def situate(recorded: Program, actual: Program, **options: Any) -> None:
        record(wrapper, real, recorded)
        replay(wrapper, actual, **options)

    return situate


bank = programs_of(VcrBank, RealBank)
warehouse = programs_of(VcrWarehouse, RealWarehouse)
feed = programs_of(VcrFeed, RealFeed)
database = programs_of(VcrDatabase, RealDatabase)
door = programs_of(VcrDoor, RealDoor)


def recorded_bytes() -> bytes:
    """A cassette that asked for a balance, as it lies on the disk."""
    record(VcrBank, RealBank, lambda b: b.balance("ann"))
    return TAPE.read_bytes()
