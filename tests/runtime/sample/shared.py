"""Streams that any number of tasks or threads may read at once, as clients of queues have them."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

from sample.bridges import RealFeed


class Subscription:
    """Gives each task that waits the next message, first come first."""

    def __init__(self, messages: str, *, last: str = "") -> None:
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._messages = messages
        self._last = last
        self._filling: asyncio.Task[None] | None = None

    def __aiter__(self) -> "Subscription":
        return self

    async def __anext__(self) -> str:
        if self._filling is None:
            self._filling = asyncio.create_task(self._fill())
        message = await self._queue.get()
        if not message:
            self._queue.put_nowait("")
            raise StopAsyncIteration
        return message

    async def aclose(self) -> None:
        await asyncio.sleep(0.001)
        asyncio.get_running_loop().call_later(0.001, self._queue.put_nowait, self._last)

    async def _fill(self) -> None:
        for message in self._messages:
            await asyncio.sleep(0.002)
            self._queue.put_nowait(message)
        if not self._last:
            self._queue.put_nowait("")


class Barrier:
    """Lets two threads come to each item, and to the end, together."""

    def __init__(self, letters: str) -> None:
        self._letters = list(letters)
        self._together = threading.Barrier(2)
        self._taking = threading.Lock()

    def __iter__(self) -> "Barrier":
        return self

    def __next__(self) -> str:
        with self._taking:
            letter = self._letters.pop(0) if self._letters else ""
        self._together.wait(10)
        if not letter:
            raise StopIteration
        return letter


class SubscribedFeed(RealFeed):
    def alines(self, name: str) -> Any:
        return Subscription(name)


class BarrierFeed(RealFeed):
    def lines(self, name: str) -> Iterator[str]:
        return Barrier(name)
