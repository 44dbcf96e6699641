"""Executor jobs of a loop: each gets the answers that it got while it was recorded."""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from concurrency.sessions import record, replay

DELAYS = (0.0, 0.03, 0.06, 0.09)


async def jobs_that_begin_alike(world: Any, delays: Sequence[float], *, way: str) -> list[Any]:
    def job(number: int) -> list[str]:
        time.sleep(delays[number])
        return [world.peek("same"), world.peek(f"own {number}"), world.peek("same")]

    loop = asyncio.get_running_loop()
    numbers = range(len(delays))
    if way == "to_thread":
        return await asyncio.gather(*(asyncio.to_thread(job, number) for number in numbers))
    with ThreadPoolExecutor(len(delays)) as pool:
        jobs = [loop.run_in_executor(pool, job, number) for number in numbers]
        return await asyncio.gather(*jobs)


@pytest.mark.parametrize("way", ["to_thread", "run_in_executor"])
def test_jobs_that_begin_with_an_equal_call_keep_their_own_answers(way: str, tape: Path) -> None:
    """Which job begins first depends on the threads, and says nothing about which one it is."""
    recorded = record(tape, lambda world: jobs_that_begin_alike(world, DELAYS, way=way))

    replayed = replay(tape, lambda world: jobs_that_begin_alike(world, DELAYS[::-1], way=way))

    assert recorded == replayed


def test_a_task_that_begins_with_an_equal_call_does_not_take_the_answer_of_a_job(
    tape: Path,
) -> None:
    async def program(world: Any, *, job_delay: float, task_delay: float) -> list[Any]:
        def job() -> list[str]:
            time.sleep(job_delay)
            return [world.peek("same"), world.peek("job")]

        async def task() -> list[str]:
            time.sleep(task_delay)
            return [world.peek("same"), world.peek("task")]

        return await asyncio.gather(asyncio.to_thread(job), task())

    recorded = record(tape, lambda world: program(world, job_delay=0.0, task_delay=0.1))

    replayed = replay(tape, lambda world: program(world, job_delay=0.1, task_delay=0.0))

    assert recorded == replayed
