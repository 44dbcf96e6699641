"""The world behind the boundaries, and programs that use it."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any


class RealConnection:
    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, size: int) -> str:
        return self.name * size


class RealWorld:
    def run(self, command: str) -> str:
        if command == "fail":
            raise OSError(2, "no such command")
        return command.upper()

    async def arun(self, command: str) -> str:
        for _ in range(10 * len(command)):  # no timer: on a busy machine their order is chance
            await asyncio.sleep(0)
        return command.upper()

    def words(self, text: str) -> Iterator[str]:
        yield from text.split()

    def open(self, name: str) -> RealConnection:
        return RealConnection(name)

    def same(self, connection: RealConnection) -> bool:
        return isinstance(connection, RealConnection)

    def each(self, text: str, tell: Callable[[str], int]) -> int:
        return sum(tell(word) for word in text.split())


def calls(world: Any) -> list[object]:
    found: list[object] = [world.run("a"), list(world.words("b c"))]
    try:
        world.run("fail")
    except OSError as error:
        found.append(error.args)
    return found


def objects(world: Any) -> list[object]:
    one, two = world.open("x"), world.open("y")
    told: list[str] = []

    def tell(word: str) -> int:
        told.append(word + one.read(1))
        return len(told)

    return [two.read(2), one.read(1), world.same(two), world.each("p q", tell), told]


def tasks(world: Any) -> list[object]:
    async def both(name: str) -> list[str]:
        return [await world.arun(name), await world.arun(f"{name}{name}")]

    async def main() -> list[object]:
        found: list[object] = list(await asyncio.gather(both("aaa"), both("b"), world.arun("c")))
        await asyncio.sleep(0.002)
        found.append(await asyncio.to_thread(lambda: len(found)))
        return [*found, await world.arun("end")]

    return asyncio.run(main())


def threads(world: Any) -> list[object]:
    found: list[object] = []
    with ThreadPoolExecutor(2) as pool:
        found += [pool.submit(world.run, word).result() for word in "ab"]
    thread = threading.Thread(target=lambda: found.append(world.run("c")))
    thread.start()
    thread.join()
    return found
