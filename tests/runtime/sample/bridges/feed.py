"""Streams, of both colours."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

from sample.models import BoomError


class RealFeed:
    def __init__(self) -> None:
        self.steps: list[str] = []

    def lines(self, name: str) -> Iterator[str]:
        try:
            for letter in name:
                if letter == "!":
                    raise BoomError(1, where=name)
                self.steps.append(letter)
                yield letter
        finally:
            self.steps.append("over")

    def words(self, lazy: bool) -> Any:
        return iter(["x", "y"]) if lazy else ["x", "y"]

    def talk(self, first: int) -> Any:
        heard = yield first
        try:
            heard = yield len(heard)
        except ValueError as error:
            heard = yield -len(str(error))
        return heard.encode()

    async def alines(self, name: str) -> Any:
        try:
            for letter in name:
                await asyncio.sleep(0.001)
                if letter == "!":
                    raise BoomError(1, where=name)
                yield letter
        finally:
            self.steps.append("over")

    async def alines_later(self, name: str) -> Any:
        await asyncio.sleep(0.001)
        return self.alines(name)

    async def atalk(self, first: int) -> Any:
        heard = yield first
        try:
            heard = yield len(heard)
        except ValueError as error:
            yield -len(str(error))
        else:
            yield len(heard) * 100

    def upload(self, chunks: Iterator[bytes]) -> int:
        return sum(len(chunk) for chunk in chunks)

    async def aupload(self, chunks: Any) -> int:
        return sum([len(chunk) async for chunk in chunks])

    def sizes(self, chunks: Iterator[bytes]) -> Iterator[int]:
        for chunk in chunks:
            yield len(chunk)

    async def asizes(self, chunks: Any) -> AsyncIterator[int]:
        async for chunk in chunks:
            yield len(chunk)


class Stubborn:
    """An iterator, of both colours, that raises and then goes on."""

    def __init__(self, letters: str) -> None:
        self._letters = iter(letters)

    def __iter__(self) -> "Stubborn":
        return self

    def __next__(self) -> str:
        letter = next(self._letters)
        if letter in "!?":
            raise LookupError(letter)
        return letter

    def __aiter__(self) -> "Stubborn":
        return self

    async def __anext__(self) -> str:
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None


class StubbornFeed(RealFeed):
    def lines(self, name: str) -> Iterator[str]:
        return Stubborn(name)

    def alines(self, name: str) -> Any:
        return Stubborn(name)


class EagerFeed(RealFeed):
    """Looks at the name before there is a stream, as a client does that connects first."""

    def lines(self, name: str) -> Iterator[str]:
        self._check(name)
        return super().lines(name)

    def words(self, lazy: bool) -> Any:
        return super().lines("!") if lazy else self._check("!")

    def alines(self, name: str) -> Any:
        self._check(name)
        return super().alines(name)

    def _check(self, name: str) -> None:
        if name.startswith("!"):
            raise BoomError(1, where=name)
