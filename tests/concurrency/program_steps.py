"""What random programs on every loop have in common: how they are built, and their plain calls."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Any

Step = Callable[[Any], Awaitable[None]]
"""A part of a program; it is given the run, with its `world` and its `log`."""


class ProgramSteps(ABC):
    """Builds a program from a source of chance; `_word` makes the step of that word."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._names = 0

    @abstractmethod
    def step(self, depth: int) -> Step:
        """Any step; `depth` is how many levels of others it may have inside."""

    @abstractmethod
    def sequence(self, steps: list[Step]) -> Step:
        """One step after the other."""

    def _name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def _children(self, depth: int) -> list[Step]:
        return [
            self.sequence([self.step(depth - 1) for _ in range(self._chance.randint(1, 2))])
            for _ in range(self._chance.randint(2, 3))
        ]

    def _key(self) -> str:
        """Now and then the one that others have too."""
        return self._chance.choice([self._name(), "same"])

    def _fetch(self, _: int) -> Step:
        key = self._key()

        async def step(run: Any) -> None:
            run.log.append(f"> {key}")
            run.log.append(f"< {await run.world.fetch(key)}")

        return step

    def _refuse(self, _: int) -> Step:
        key = self._name()

        async def step(run: Any) -> None:
            try:
                await run.world.refuse(key)
            except Exception as error:
                run.log.append(f"! {type(error).__name__} {error}")

        return step

    def _peek(self, _: int) -> Step:
        key = self._name()

        async def step(run: Any) -> None:
            run.log.append(f"peek {run.world.peek(key)}")

        return step

    def _subscribe(self, _: int) -> Step:
        key = self._name()

        async def step(run: Any) -> None:
            await run.world.subscribe(key, lambda text: run.log.append(f"told {text}"))

        return step
