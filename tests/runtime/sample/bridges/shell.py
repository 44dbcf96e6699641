"""Single calls."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from sample.bridges.errors import an_error
from sample.models import Result, Step


class RealShell:
    def __init__(self) -> None:
        self.closed = False
        self.told: list[str] = []
        self.given: list[object] = []

    def run(self, step: Step, *, cwd: Path, timeout: float = 1.0) -> Result:
        self.given.append(timeout)
        return Result(len(step.tags), f"{step.name} in {cwd}", cwd / "log")

    async def arun(self, name: str, delay: float = 0.0) -> Result:
        await asyncio.sleep(delay)
        return Result(0, name)

    def later(self, name: str) -> Awaitable[Result]:
        return self.arun(name)

    def promise(self, name: str) -> "asyncio.Future[Result]":
        return asyncio.ensure_future(self.arun(name))

    def maybe(self, name: str, wait: bool) -> Result | Awaitable[Result]:
        return self.arun(name) if wait else Result(1, name)

    def fail(self, kind: str) -> None:
        raise an_error(kind)

    async def afail(self, kind: str) -> None:
        await asyncio.sleep(0)
        raise an_error(kind)

    async def hang(self) -> None:
        await asyncio.Event().wait()

    def grep(self, pattern: str, limit: int = 2) -> list[str]:
        return [pattern] * limit

    def join(self, *parts: str, **options: int) -> str:
        return ",".join([*parts, *(f"{name}={value}" for name, value in options.items())])

    def store(self, values: list[Any]) -> int:
        return len(values)

    def login(self, user: str, token: str) -> str:
        return f"{user}:{token}"

    def stamp(self, at: float, name: str) -> None:
        self.told.append(name)

    def exit(self, code: int) -> Any:
        raise SystemExit(code)

    def tell(self, text: str) -> None:
        self.told.append(text)

    def fill(self, buffer: bytearray, found: dict[str, list[int]], more: list[Any]) -> int:
        buffer[:] = b"data" if buffer else b""
        for numbers in found.values():
            numbers.sort()
        if more:
            more.append(self)
        return len(buffer)

    def read(self, what: Any, *, twice: bool = False) -> Any:
        return what * 2 if twice else what

    def close(self) -> None:
        self.closed = True
