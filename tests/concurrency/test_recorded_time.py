"""A recording takes the time that the program takes, and its replay comes to the same."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import uvloop
from world.real import RealWorld

from concurrency.sessions import record, replay, run_on
from vcr_gen.cassette_tools.tapes import Tape
from vcr_gen.runtime.record.recording_turns import LAG

Measured = Callable[[Any], Awaitable[tuple[str, float]]]
"""A program that tells what happened, and how long that really took."""

LOOPS = pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])


async def sleep_after_computing(world: Any) -> tuple[str, float]:
    await world.fetch("before")
    time.sleep(0.2)
    began = time.monotonic()
    await asyncio.sleep(0.2)
    return await world.fetch("after"), time.monotonic() - began


async def timeout_around_computing(world: Any) -> tuple[str, float]:
    await world.fetch("before")
    began = time.monotonic()
    try:
        async with asyncio.timeout(0.2):
            time.sleep(0.25)
            await asyncio.sleep(10)
    except TimeoutError:
        return await world.fetch("expired"), time.monotonic() - began
    return await world.fetch("in time"), time.monotonic() - began


async def timeout_while_the_loop_is_busy(world: Any) -> tuple[str, float]:
    await world.fetch("before")
    began = time.monotonic()
    rounds = 0
    try:
        async with asyncio.timeout(0.2):
            for _ in range(200):
                rounds += 1
                time.sleep(0.01)
                await asyncio.sleep(0)
    except TimeoutError:
        return await world.fetch(f"expired in round {rounds}"), time.monotonic() - began
    return await world.fetch("in time"), time.monotonic() - began


async def deadline_set_before_computing(world: Any) -> tuple[str, float]:
    await world.fetch("before")
    began = time.monotonic()
    deadline = asyncio.get_running_loop().time() + 0.3
    time.sleep(0.2)
    left = deadline - asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(deadline):
            await asyncio.sleep(10)
    except TimeoutError:
        return await world.fetch(f"expired, {left:.6f} left"), time.monotonic() - began
    return await world.fetch("in time"), time.monotonic() - began


async def periodic_timer(world: Any) -> tuple[str, float]:
    await world.fetch("before")
    loop, began = asyncio.get_running_loop(), time.monotonic()
    ended, ticks = asyncio.Event(), 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1
        if ticks == 3:
            ended.set()
            return
        time.sleep(0.05)
        loop.call_later(0.1, tick)

    tick()
    await ended.wait()
    return await world.fetch("after"), time.monotonic() - began


@LOOPS
@pytest.mark.parametrize(
    ("program", "seconds"),
    [
        (sleep_after_computing, 0.2),
        (timeout_around_computing, 0.2),
        (deadline_set_before_computing, 0.3 - LAG),  # it reads the clock, which may be behind
        (periodic_timer, 0.3),
    ],
)
def test_timers_take_as_long_as_without_a_cassette(
    loop: Callable[[], asyncio.AbstractEventLoop], program: Measured, seconds: float, tape: Path
) -> None:
    recorded, took = record(tape, program, loop_factory=loop)

    assert recorded == replay(tape, program, loop_factory=loop)[0]
    assert took >= seconds


@LOOPS
def test_a_call_has_its_real_duration_also_where_the_program_blocks_the_loop(
    loop: Callable[[], asyncio.AbstractEventLoop], tape: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def peek(_: RealWorld, key: str) -> str:
        time.sleep(0.1)
        return key

    monkeypatch.setattr(RealWorld, "peek", peek)

    async def program(world: Any) -> list[str]:
        peeked = world.peek("blocks")
        time.sleep(0.1)
        return [peeked, await world.fetch("after")]

    assert record(tape, program, loop_factory=loop) == replay(tape, program, loop_factory=loop)
    with Tape(tape) as recorded:
        peeked, fetched = recorded.calls()
    assert peeked.took is not None
    assert peeked.took >= 0.1
    # The clock of the loop counts both blocking steps as a part of the call that follows them.
    assert fetched.end is not None
    assert fetched.took is not None
    assert fetched.end.at - fetched.at >= fetched.took + 0.19


def test_a_timeout_fires_in_a_loop_that_is_never_idle(tape: Path) -> None:
    recorded, took = record(tape, timeout_while_the_loop_is_busy)

    assert recorded == replay(tape, timeout_while_the_loop_is_busy)[0]
    assert recorded.startswith("expired")
    assert took >= 0.2


def test_a_short_lag_of_the_clock_is_made_up_for(tape: Path) -> None:
    """What is too short to be worth an event on the tape still counts."""

    async def program(world: Any) -> tuple[str, float]:
        await world.fetch("before")
        began = time.monotonic()
        for _ in range(3):
            time.sleep(0.005)
            await asyncio.sleep(0.02)
        return await world.fetch("after"), time.monotonic() - began

    recorded, took = record(tape, program)

    assert recorded == replay(tape, program)[0]
    assert took >= 0.075


def test_sleeps_on_trio_take_their_time_too(tape: Path) -> None:
    import anyio

    async def program(world: Any) -> tuple[str, float]:
        await world.fetch("before")
        time.sleep(0.2)
        began = time.monotonic()
        await anyio.sleep(0.2)
        return await world.fetch("after"), time.monotonic() - began

    recorded, took = run_on("trio", tape, "all", program)

    assert recorded == run_on("trio", tape, "none", program)[0]
    assert took >= 0.19


def test_a_job_that_ends_while_the_program_computes_does_not_move_the_clock(tape: Path) -> None:
    """When its thread tells the loop differs in each run, so it is no step of the program."""

    async def program(computing: float, working: float, world: Any) -> list[tuple[str, float]]:
        now = asyncio.get_running_loop().time
        log: list[tuple[str, float]] = []

        async def sleep() -> None:
            began = now()
            await asyncio.sleep(0.001)
            log.append(("slept", round(now() - began, 6)))

        job = asyncio.create_task(asyncio.to_thread(time.sleep, working))
        sleeper = asyncio.create_task(sleep())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        time.sleep(computing)
        await asyncio.gather(job, sleeper)
        log.append((await world.fetch("after"), 0.0))
        return log

    recorded = record(tape, partial(program, 5 * LAG, LAG))
    assert recorded == replay(tape, partial(program, 0.0, 3 * LAG))
