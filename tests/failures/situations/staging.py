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


def replay(wrapper: Any, program: Program, mode: str = "none", **options: Any) -> None:
    with Cassette(TAPE, mode, **options) as cassette:
        finish(program(wrapper.attach(cassette, RealBank)))


def bank(recorded: Program, actual: Program, **options: Any) -> None:
    """Record a program that uses the bank, and replay another."""
    record(VcrBank, RealBank, recorded)
    replay(VcrBank, actual, **options)


def warehouse(recorded: Program, actual: Program) -> None:
    record(VcrWarehouse, RealWarehouse, recorded)
    replay(VcrWarehouse, actual)


def feed(recorded: Program, actual: Program) -> None:
    record(VcrFeed, RealFeed, recorded)
    replay(VcrFeed, actual)


def database(recorded: Program, actual: Program) -> None:
    record(VcrDatabase, RealDatabase, recorded)
    replay(VcrDatabase, actual)


def door(recorded: Program, actual: Program) -> None:
    record(VcrDoor, RealDoor, recorded)
    replay(VcrDoor, actual)


def recorded_bytes() -> bytes:
    record(VcrBank, RealBank, lambda b: b.balance("ann"))
    return TAPE.read_bytes()
