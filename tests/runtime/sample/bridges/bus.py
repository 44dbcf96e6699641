"""Callbacks."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any


class RealBus:
    def __init__(self) -> None:
        self.listeners: list[Callable[[int], str]] = []
        self._thread: threading.Thread | None = None
        self._heard = ""
        self._begun: Awaitable[str] | str = ""

    def on(self, topic: str, notify: Callable[[int], str]) -> Callable[[], None]:
        self.listeners.append(notify)
        notify(0)
        return lambda: self.listeners.remove(notify)

    def off(self, notify: Callable[[int], str]) -> None:
        self.listeners.remove(notify)

    def hint(self, notify: Callable[[int], object]) -> bool:
        return notify(1) is None

    def publish(self, number: int) -> int:
        return sum(len(notify(number)) for notify in self.listeners)

    def each(self, numbers: list[int], notify: Callable[[int], str]) -> list[str]:
        return [notify(number) for number in numbers]

    def both(self, first: Callable[[int], str], second: Callable[[int], str]) -> list[str]:
        return [first(1), second(2)]

    def back(self, notify: Callable[[int], str]) -> Callable[[int], str]:
        return notify

    async def aeach(self, numbers: list[int], notify: Callable[[int], Awaitable[str]]) -> list[str]:
        return [await notify(number) for number in numbers]

    def listen(self, listener: Any) -> str:
        return str(listener("a")) + str(listener("b", weight=2)) + str(listener("c", 3))

    def after(self, notify: Callable[[int], str]) -> None:
        def fire() -> None:
            self._heard = notify(41)

        self._thread = threading.Thread(target=fire)
        self._thread.start()

    def wait(self) -> str:
        if self._thread is not None:
            self._thread.join()
        return self._heard

    def begin(self, notify: Callable[[int], Awaitable[str] | str]) -> None:
        self._begun = notify(41)

    async def begun(self) -> str:
        return self._begun if isinstance(self._begun, str) else await self._begun

    def maker(self, prefix: str) -> Callable[[str], str]:
        return lambda text: prefix + text

    def amaker(self, prefix: str, eager: bool) -> Callable[[str], Awaitable[str]]:
        async def make(text: str) -> str:
            await asyncio.sleep(0)
            return prefix + text

        return (lambda text: asyncio.ensure_future(make(text))) if eager else make

    def submit(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return work(*args, **kwargs)
