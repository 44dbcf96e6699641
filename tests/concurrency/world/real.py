"""The real world: slow, and never twice the same."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio
from world.ports import WorldError

_chance = random.SystemRandom()


def _latency() -> float:
    return _chance.choice((0.0, 0.0005, 0.001, 0.002)) * _chance.random()


class RealWorld:
    def __init__(self) -> None:
        self._calls = 0

    def _answer(self, key: str) -> str:
        self._calls += 1
        return f"{key}#{self._calls}"

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def fetch(self, key: str) -> str:
        await self._pause(_latency())
        return self._answer(key)

    async def refuse(self, key: str) -> str:
        await self._pause(_latency())
        raise WorldError(self._answer(key))

    async def watch(self, key: str, count: int) -> AsyncIterator[str]:
        for _ in range(count):
            await self._pause(_latency())
            yield self._answer(key)

    def peek(self, key: str) -> str:
        time.sleep(_latency() / 4)
        return self._answer(key)

    async def follow(self, key: str, listener: Callable[[str], Awaitable[None]]) -> None:
        for _ in range(2):
            await self._pause(_latency())
            await listener(self._answer(key))

    async def subscribe(self, key: str, listener: Callable[[str], None]) -> None:
        for _ in range(2):
            await self._pause(_latency())
            listener(self._answer(key))


class AnyWorld(RealWorld):
    """The same on trio, or wherever anyio runs."""

    async def _pause(self, seconds: float) -> None:
        await anyio.sleep(seconds)
