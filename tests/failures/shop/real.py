"""The environment of the shop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class RealBank:
    def __init__(self, balance: int = 100) -> None:
        self._balance = balance

    def login(self, user: str, password: str) -> None: ...

    def balance(self, account: str) -> int:
        return self._balance

    def pay(self, account: str, amount: int) -> str:
        return f"paid {amount}"

    async def rate(self, currency: str) -> float:
        await asyncio.sleep(0.001)
        return 1.5

    def disconnect(self) -> None: ...


class RealWarehouse:
    def send(self, order: object) -> bool:
        return True

    def paint(self, *_: object) -> None: ...

    def note(self, text: str) -> None: ...

    def tag(self, details: Any) -> None: ...

    def label(self, file: Path) -> str:
        return file.name

    def rent(self) -> "RealShelf":
        return RealShelf()


class RealShelf:
    def put(self, item: str) -> None: ...


class RealFeed:
    def prices(self, item: str) -> Iterator[int]:
        yield from (10, 20, 30)

    def bargain(self, item: str) -> Generator[int, str, None]:
        price = 10
        while (yield price):
            price -= 1

    async def ticks(self, item: str) -> AsyncIterator[int]:
        for tick in (1, 2, 3):
            await asyncio.sleep(0.001)
            yield tick


class RealConnection:
    def query(self, text: str) -> list[str]:
        return [text]


class RealDatabase:
    def connect(self, name: str) -> RealConnection:
        return RealConnection()

    @contextmanager
    def transaction(self, name: str) -> Iterator[int]:
        yield 1


class RealDoor:
    colour = "red"

    def watch(self, seen: Callable[[str], str]) -> int:
        return len(seen("ann") + seen("bob"))


class RealMailer:
    def post(self, to: Any, text: str = "", priority: int = 1, body: str = "") -> bool:
        return True

    def ping(self) -> bool:
        return True
