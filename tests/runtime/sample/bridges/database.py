"""Handles, and handles of handles."""

import asyncio
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any


class RealRow:
    def __init__(self, number: int) -> None:
        self._number = number

    @property
    def number(self) -> int:
        return self._number

    def cells(self) -> Iterator[str]:
        yield f"a{self._number}"
        yield f"b{self._number}"


class RealCursor:
    def __init__(self) -> None:
        self.closed = False

    def fetch(self, count: int) -> list[tuple[int, str]]:
        return [(number, str(number)) for number in range(count)]

    def rows(self) -> Iterator[RealRow]:
        yield RealRow(1)
        yield RealRow(2)

    async def arows(self) -> Any:
        for row in self.rows():
            await asyncio.sleep(0)
            yield row

    def close(self) -> None:
        self.closed = True


class RealDatabase:
    def __init__(self, label: str = "original") -> None:
        self._label = label
        self._same = RealCursor()
        self.used: list[object] = []

    def cursor(self) -> RealCursor:
        return RealCursor()

    async def acursor(self) -> RealCursor:
        await asyncio.sleep(0)
        return RealCursor()

    def same(self) -> RealCursor:
        return self._same

    def pool(self) -> list[RealCursor]:
        return [RealCursor(), self._same, RealCursor()]

    def named(self) -> dict[str, RealCursor]:
        return {"a": RealCursor(), "same": self._same}

    def pair(self) -> tuple[RealCursor, int]:
        return RealCursor(), 2

    def find(self, exists: bool) -> RealCursor | None:
        return RealCursor() if exists else None

    def each(self) -> Iterator[RealCursor]:
        yield self._same
        yield RealCursor()

    def use(self, cursor: Any) -> int:
        self.used.append(cursor)
        return int(cursor is self._same)

    def use_all(self, cursors: list[Any]) -> int:
        self.used.extend(cursors)
        return sum(cursor is self._same for cursor in cursors)

    def any_of(self, kind: str) -> Any:
        return {"row": RealRow(3), "cursor": self._same, "call": lambda: 4, "int": 5}[kind]

    def use_any(self, one: Any) -> str:
        return type(one).__name__

    def tell(self, what: object) -> None:
        self.used.append(what)

    @contextmanager
    def transaction(self) -> Any:
        yield self._same

    @asynccontextmanager
    async def atransaction(self) -> Any:
        await asyncio.sleep(0)
        yield RealCursor()

    def clone(self) -> "RealDatabase":
        return RealDatabase("clone")

    def itself(self) -> "RealDatabase":
        return self

    def clones(self) -> list["RealDatabase"]:
        return [RealDatabase("one"), self]

    def label(self) -> str:
        return self._label
