"""Steps of random asyncio programs that have no others inside."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from concurrency.program_steps import ProgramSteps, Step


@dataclass(frozen=True)
class Style:
    """How a program is written; none of it changes what it does at its boundary."""

    yields: bool = False
    """It yields to the loop before every step."""
    tasks: bool = False
    """It runs every step in a task of its own."""
    groups: bool = False
    """It has task groups where there were gathers."""
    more_jobs: bool = False
    """It hands pure work to an executor before every step."""
    fewer_jobs: bool = False
    """It does pure work itself where it used an executor."""


@dataclass
class Run:
    """One run of a program: its boundary, its shared things, and what it saw."""

    world: Any
    style: Style = field(default_factory=Style)
    log: list[str] = field(default_factory=list)
    queue: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Leaves(ProgramSteps):
    """Streams, callbacks, sleeps, a queue, and jobs for other threads."""

    def _watch(self, _: int) -> Step:
        key, count = self._name(), self._chance.randint(0, 3)

        async def step(run: Run) -> None:
            async for item in run.world.watch(key, count):
                run.log.append(f"item {item}")

        return step

    def _watch_part(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            stream = run.world.watch(key, 3)
            run.log.append(f"first {await anext(stream)}")
            await stream.aclose()
            run.log.append(f"closed {key}")

        return step

    def _follow(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            async def listen(text: str) -> None:
                run.log.append(f"heard {text}")
                await asyncio.sleep(0)
                run.log.append(f"heard {text} out")

            await run.world.follow(key, listen)

        return step

    def _yield(self, _: int) -> Step:
        name = self._name()

        async def step(run: Run) -> None:
            await asyncio.sleep(0)
            run.log.append(f"yielded {name}")

        return step

    def _sleep(self, _: int) -> Step:
        name, seconds = self._name(), self._chance.choice([0.0003, 0.001, 0.002])

        async def step(run: Run) -> None:
            await asyncio.sleep(seconds)
            run.log.append(f"slept {name}")

        return step

    def _compute(self, _: int) -> Step:
        seconds, rounds = self._chance.choice([0.005, 0.025]), self._chance.randint(0, 3)

        async def step(run: Run) -> None:
            time.sleep(seconds)
            for _ in range(rounds):
                await asyncio.sleep(0)
                time.sleep(seconds)

        return step

    def _read_clock(self, _: int) -> Step:
        async def step(run: Run) -> None:
            run.log.append(f"at {asyncio.get_running_loop().time():.5f}")

        return step

    def _put(self, _: int) -> Step:
        name = self._name()

        async def step(run: Run) -> None:
            run.queue.put_nowait(name)
            run.log.append(f"put {name}")

        return step

    def _get(self, _: int) -> Step:
        async def step(run: Run) -> None:
            run.log.append(f"got {run.queue.get_nowait() if not run.queue.empty() else None}")

        return step

    def _thread(self, _: int) -> Step:
        name = self._name()

        async def step(run: Run) -> None:
            if run.style.fewer_jobs:
                result = name * 2
            else:
                result = await asyncio.to_thread(lambda: name * 2)
            run.log.append(f"thread {result}")

        return step

    def _thread_call(self, _: int) -> Step:
        first, name = self._key(), self._name()

        async def step(run: Run) -> None:
            result = await asyncio.to_thread(lambda: [run.world.peek(first), run.world.peek(name)])
            run.log.append(f"thread {result}")

        return step

    def _executor(self, _: int) -> Step:
        """Two jobs on a pool of their own; half of them begin alike, and then do their own work."""
        begins, name, count = self._key(), self._name(), self._chance.randint(1, 3)

        async def step(run: Run) -> None:
            def job(which: str) -> list[str]:
                own = [f"{name}{which}{number}" for number in range(count)]
                return [run.world.peek(key) for key in (begins, *own)]

            loop = asyncio.get_running_loop()
            pool = ThreadPoolExecutor(2)
            try:
                jobs = [loop.run_in_executor(pool, job, which) for which in "ab"]
                for done in asyncio.as_completed(jobs):
                    run.log.append(f"job {await done}")
            finally:
                pool.shutdown(wait=False)  # to wait here would block the loop for its own jobs

        return step
