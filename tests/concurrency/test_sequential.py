"""Who makes one call after the other does not wait for turns, and sees the same all the same."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from concurrency.sessions import record, replay, same


async def count_rounds(world: Any) -> tuple[list[str], int]:
    """What a hundred calls answer, and how often the loop went round meanwhile."""
    rounds = 0
    loop: Any = asyncio.get_running_loop()
    once = loop._run_once

    def counted() -> None:
        nonlocal rounds
        rounds += 1
        once()

    loop._run_once = counted
    try:
        return [await world.fetch(str(number)) for number in range(100)], rounds
    finally:
        del loop._run_once


def test_its_replay_does_not_go_round_the_loop_for_each_call(tape: Path) -> None:
    recorded, _ = record(tape, count_rounds)
    replayed, rounds = replay(tape, count_rounds)
    assert replayed == recorded
    assert rounds <= 2


async def cancels_itself(world: Any) -> list[str]:
    log = [await world.fetch("a")]
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    try:
        log.append(await world.fetch("b"))
    except asyncio.CancelledError:
        log.append("cancelled")
        task.uncancel()
    return [*log, await world.fetch("c")]


async def has_a_timer(world: Any) -> list[str]:
    log: list[str] = []
    asyncio.get_running_loop().call_later(0.0, log.append, "timer")
    log.append(await world.fetch("a"))
    asyncio.get_running_loop().call_later(3600.0, log.append, "late")
    log.append(await world.fetch("b"))
    return log


async def has_something_to_do_soon(world: Any) -> list[str]:
    log: list[str] = []
    for key in "abc":
        asyncio.get_running_loop().call_soon(log.append, f"soon {key}")
        log.append(await world.fetch(key))
    return log


async def has_a_task_beside(world: Any) -> list[str]:
    log: list[str] = []

    async def beside() -> None:
        for number in range(5):
            log.append(f"beside {number}")
            await asyncio.sleep(0)

    task = asyncio.create_task(beside())
    for key in "abc":
        answer = await world.fetch(key)
        log.append(answer)
    await task
    return log


async def has_input(world: Any) -> list[str]:
    """Input that is there is seen before the program has made many calls."""
    heard: list[str] = []
    ours, theirs = socket.socketpair()
    with ours, theirs:
        asyncio.get_running_loop().add_reader(ours, lambda: heard.append(str(ours.recv(1))))
        theirs.send(b"x")
        try:
            for number in range(20):
                await world.fetch(str(number))
            return list(heard)
        finally:
            asyncio.get_running_loop().remove_reader(ours)


@pytest.mark.parametrize(
    "program",
    [cancels_itself, has_a_timer, has_something_to_do_soon, has_a_task_beside, has_input],
)
def test_it_sees_what_it_saw_where_something_else_comes_between(program: Any, tape: Path) -> None:
    log = same(tape, program)
    assert log
