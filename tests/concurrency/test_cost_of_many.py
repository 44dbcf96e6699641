"""A replayed call costs the same, however many threads or tasks there are."""

import asyncio
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import record, replay, watchdog
from concurrency.thread_sessions import run_all
from vcr_gen import Cassette

CALLS = 1024

TRIES = 3
"""The best of them counts: the machine may be busy with something else."""


class OverlappingWorld(RealWorld):
    """Answers that take a while, so that all threads wait at the same time."""

    def peek(self, key: str) -> str:
        time.sleep(0.002 * random.random())
        return super().peek(key)


def _cost_with_threads(tape: Path, count: int, *, share: bool) -> float:
    """Processor seconds of a replayed call, of threads that share the work or not."""

    def run(mode: str) -> float:
        with watchdog(30), Cassette(tape, mode) as cassette:
            world = VcrWorld.attach(cassette, OverlappingWorld)

            shared = iter(range(CALLS))

            def work(name: int) -> None:
                for number in shared if share else range(name, CALLS, count):
                    world.peek(f"{number}")

            began = time.process_time()
            run_all([threading.Thread(target=work, args=(name,)) for name in range(count)])
            return (time.process_time() - began) / CALLS

    run("all")
    return min(run("none") for _ in range(TRIES))


def _cost_with_tasks(tape: Path, count: int) -> float:
    """The same for tasks that are spawned in a different order than recorded."""

    async def program(world: Any, order: list[int]) -> float:
        async def work(name: int) -> None:
            for number in range(2):
                await world.fetch(f"{name}.{number}")

        began = time.process_time()
        await asyncio.gather(*(work(name) for name in order))
        return (time.process_time() - began) / (2 * count)

    order = list(range(count))
    record(tape, lambda world: program(world, order))
    return min(replay(tape, lambda world: program(world, order[::-1])) for _ in range(TRIES))


@pytest.mark.parametrize("share", [False, True], ids=["own work", "shared work"])
def test_a_call_costs_the_same_in_many_threads(share: bool, tape: Path) -> None:
    cost_of_few = _cost_with_threads(tape, 8, share=share)

    assert _cost_with_threads(tape, 128, share=share) < 4 * cost_of_few


def test_a_call_costs_the_same_in_many_tasks_of_another_order(tape: Path) -> None:
    assert _cost_with_tasks(tape, 800) < 2.5 * _cost_with_tasks(tape, 100)
