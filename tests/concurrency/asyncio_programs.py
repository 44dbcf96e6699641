"""Random asyncio programs: built from a seed, run on a boundary, with a log of what they see."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from concurrency.asyncio_leaves import Leaves, Run, Style
from concurrency.asyncio_scopes import Scopes
from concurrency.program_steps import Step


@dataclass(frozen=True)
class Shape:
    """What a program may be made of."""

    timers: bool = True
    cancellations: bool = True
    threads: bool = False
    races: bool = True
    """Which calls are made may depend on who comes first."""
    repeats: bool = True
    """Several calls may be equal."""
    callbacks: bool = False
    """The world calls back; a callback that is not asynchronous cannot wait for its turn."""
    computing: bool = False
    """The program keeps its loop from going round for a noticeable time."""
    depth: int = 3


class Builder(Leaves, Scopes):
    """Builds one program."""

    def __init__(self, chance: random.Random, shape: Shape) -> None:
        super().__init__(chance)
        self._shape = shape

    def program(self) -> Step:
        steps = [self.step(self._shape.depth) for _ in range(self._chance.randint(2, 4))]
        return self.sequence(steps)

    def step(self, depth: int) -> Step:
        leaves = ["fetch", "fetch", "fetch", "refuse", "watch", "watch_part", "peek", "follow"]
        leaves += ["yield", "put", "get"]
        if self._shape.callbacks:
            leaves += ["subscribe", "subscribe"]
        if self._shape.timers:
            leaves += ["sleep", "sleep"]
        if self._shape.computing:
            leaves += ["compute", "compute", "read_clock"]
        if self._shape.threads:
            leaves += ["thread", "thread_call", "executor"]
        inner = ["gather", "gather", "group", "mutex", "gate", "spawn", "signal"]
        if self._shape.races:
            inner += ["lock", "pipeline"]
        if self._shape.timers:
            inner += ["wait_for", "timeout"]
        if self._shape.cancellations:
            inner += ["cancel", "shield", "first"]
        word = self._chance.choice(inner if depth > 0 and self._chance.random() < 0.6 else leaves)
        made: Step = getattr(self, f"_{word}")(depth)
        return made

    def _key(self) -> str:
        key = super()._key()
        return key if self._shape.repeats else self._name()

    def sequence(self, steps: list[Step]) -> Step:
        async def step(run: Run) -> None:
            for one in steps:
                if run.style.yields:
                    await asyncio.sleep(0)
                if run.style.more_jobs:
                    await asyncio.to_thread(len, "work")
                if run.style.tasks:
                    await asyncio.create_task(_as_coroutine(one(run)))
                else:
                    await one(run)

        return step


async def _as_coroutine(step: Awaitable[None]) -> None:
    await step


def build(seed: int, shape: Shape) -> Step:
    """The program of a seed."""
    return Builder(random.Random(seed), shape).program()


async def run(program: Step, world: Any, style: Style | None = None) -> list[str]:
    """Run a program and return what it saw before it came to its end."""
    one = Run(world, style or Style())
    try:
        await program(one)
    except Exception as error:
        one.log.append(f"ended {type(error).__name__}")
    return list(one.log)
