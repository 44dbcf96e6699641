"""Worlds that change one call on its way: what a program looks like that was changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

Kind = Literal["drop", "add", "alter", "swap"]
KINDS: tuple[Kind, ...] = ("drop", "add", "alter", "swap")
_NOTHING = "nothing"
"""What a program gets for a call that is dropped."""


@dataclass(frozen=True)
class Made:
    """One call of a program."""

    method: str
    arguments: tuple[Any, ...]
    task: int
    """Which task made it, by the order of their first calls."""


@dataclass
class Watched:
    """A world that notes the calls it is given, in order."""

    world: Any
    made: list[Made] = field(default_factory=list)
    tasks: list[asyncio.Task[Any] | None] = field(default_factory=list)

    def _note(self, method: str, *arguments: Any) -> int:
        task = asyncio.current_task()
        if task not in self.tasks:
            self.tasks.append(task)
        self.made.append(Made(method, arguments, self.tasks.index(task)))
        return len(self.made) - 1

    async def fetch(self, key: str) -> str:
        return str(await self._pass("fetch", key))

    async def refuse(self, key: str) -> str:
        return str(await self._pass("refuse", key))

    def peek(self, key: str) -> str:
        self._note("peek", key)
        return str(self.world.peek(key))

    def watch(self, key: str, count: int) -> AsyncIterator[str]:
        self._note("watch", key, count)
        stream: AsyncIterator[str] = self.world.watch(key, count)
        return stream

    async def follow(self, key: str, listener: Callable[[str], Awaitable[None]]) -> None:
        await self.world.follow(key, listener)

    async def _pass(self, method: str, key: str) -> Any:
        self._note(method, key)
        return await getattr(self.world, method)(key)


@dataclass
class Mutant(Watched):
    """A world on which one call of the program is another."""

    kind: Kind = "drop"
    changes: dict[int, Made] = field(default_factory=dict)
    """Which calls are changed; for a swap, into what."""

    def peek(self, key: str) -> str:
        if self._note("peek", key) not in self.changes:
            return str(self.world.peek(key))
        if self.kind == "drop":
            return _NOTHING
        if self.kind == "add":
            self.world.peek("added")
        return str(self.world.peek(self._changed(key)))

    def watch(self, key: str, count: int) -> AsyncIterator[str]:
        changed = self._note("watch", key, count) in self.changes
        if changed and self.kind == "drop":
            return _some(count)
        if changed and self.kind == "add":
            self.world.peek("added")
        stream: AsyncIterator[str] = self.world.watch(self._changed(key) if changed else key, count)
        return stream

    async def _pass(self, method: str, key: str) -> Any:
        if self._note(method, key) not in self.changes:
            return await getattr(self.world, method)(key)
        if self.kind == "drop":
            return _NOTHING
        if self.kind == "add":
            await self.world.fetch("added")
        if self.kind == "swap":
            other = self.changes[len(self.made) - 1]
            return await getattr(self.world, other.method)(*other.arguments)
        return await getattr(self.world, method)(self._changed(key))

    def _changed(self, key: str) -> str:
        match self.kind:
            case "alter":
                return f"{key}, altered"
            case "swap":
                return str(self.changes[len(self.made) - 1].arguments[0])
            case _:
                return key


async def _some(count: int) -> AsyncIterator[str]:
    for _ in range(max(count, 1)):
        yield _NOTHING


def swaps(made: list[Made]) -> list[dict[int, Made]]:
    """Every way to swap two different neighbours among the calls of one task."""
    found: list[dict[int, Made]] = []
    for task in {call.task for call in made}:
        mine = [(number, call) for number, call in enumerate(made) if call.task == task]
        for (first, one), (second, other) in pairwise(mine):
            if _swappable(one, other):
                found.append({first: other, second: one})
    return found


def _swappable(one: Made, other: Made) -> bool:
    if (one.method, one.arguments) == (other.method, other.arguments):
        return False
    asynchronous = {"fetch", "refuse"}
    return one.method == other.method == "peek" or {one.method, other.method} <= asynchronous
