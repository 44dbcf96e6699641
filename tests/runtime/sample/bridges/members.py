"""Properties, dunder methods and generics."""

import asyncio
from collections.abc import Iterator

from sample.models import OddError, Result


class RealDevice:
    kind = "disk"

    def __init__(self, number: int = 1) -> None:
        self.name = f"device {number}"
        self._size = number

    @property
    def size(self) -> int:
        return self._size

    @size.setter
    def size(self, value: int) -> None:
        self._size = value

    @size.deleter
    def size(self) -> None:
        self._size = 0

    @property
    def serial(self) -> str:
        raise OddError("no serial")

    @classmethod
    def make(cls, number: int) -> "RealDevice":
        return cls(number)

    @staticmethod
    def parse(text: str) -> int:
        return int(text)


class RealTable:
    def __init__(self) -> None:
        self._cells = {"a": 1, "b": 2}

    def __call__(self, name: str) -> int:
        return len(name)

    def __getitem__(self, key: str) -> int:
        return self._cells[key]

    def __setitem__(self, key: str, value: int) -> None:
        self._cells[key] = value

    def __delitem__(self, key: str) -> None:
        del self._cells[key]

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return False

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)


class RealTicker:
    def __init__(self) -> None:
        self._count = 0

    def __aiter__(self) -> "RealTicker":
        return self

    async def __anext__(self) -> int:
        await asyncio.sleep(0)
        self._count += 1
        if self._count > 3:
            raise StopAsyncIteration
        return self._count


class RealStore:
    def get(self, key: str) -> Result:
        return Result(len(key), key)

    def all(self) -> tuple[Result, ...]:
        return (Result(1, "x"),)


class RealSettings:
    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        return name.upper()

    def section(self, name: str) -> "RealSettings":
        return self if name == "own" else RealSettings()


class RealBranch:
    def __init__(self, name: str = "main") -> None:
        self.name = name

    def up(self) -> "RealBranch":
        return RealBranch(self.name[:-1])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RealBranch | str) and str(other) == self.name

    def __hash__(self) -> int:
        return len(self.name)

    def __str__(self) -> str:
        return self.name
