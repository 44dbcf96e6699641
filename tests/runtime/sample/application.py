"""The system behind the inbound sample boundaries; `log` is all that it saw."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from sample.bridges import an_error
from sample.models import Result, Step


class ARoom:
    def __init__(self, name: str, log: list[Any]) -> None:
        self.name = name
        self._said: list[str] = []
        self._log = log

    def say(self, text: str) -> str:
        self._log.append((self.name, text))
        self._said.append(text)
        return f"{self.name}: {text}"

    def history(self) -> Iterator[str]:
        yield from self._said

    def sub(self, name: str) -> "ARoom":
        return ARoom(f"{self.name}/{name}", self._log)


class Application:
    """Answers the environment, and notes everything."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.topic = "none"
        self._load = 1
        self._rooms: dict[str, ARoom] = {}
        self.closed = False

    def status(self) -> str:
        self.log.append("status")
        return f"{len(self.log)} seen"

    def run(self, step: Step, *, timeout: float = 1.0) -> Result:
        self.log.append(step)
        return Result(len(step.tags), step.name)

    async def start(self, name: str, arguments: str = "") -> str:
        self.log.append(("start", name, arguments))
        await asyncio.sleep(0.005 * len(name))
        self.log.append(("started", name))
        return name.upper()

    def later(self, name: str) -> Awaitable[str]:
        self.log.append(("later", name))
        return self.start(name)

    def login(self, user: str, *, token: str) -> bool:
        self.log.append(("login", user))
        return True

    def fail(self, kind: str) -> None:
        self.log.append(("fail", kind))
        raise an_error(kind)

    async def afail(self, kind: str) -> None:
        self.log.append(("afail", kind))
        await asyncio.sleep(0)
        raise an_error(kind)

    async def sleep(self) -> str:
        self.log.append("asleep")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.log.append("cancelled")
            raise
        return "never"

    def join(self, *parts: str, **options: int) -> str:
        self.log.append((parts, options))
        return "".join(parts) + str(sum(options.values()))

    def grep(self, pattern: str, limit: int = 2) -> list[str]:
        self.log.append((pattern, limit))
        return [pattern] * limit

    def read(self, what: Any) -> Any:
        self.log.append(what)
        return what

    def count(self, upto: int) -> Iterator[int]:
        try:
            for number in range(upto):
                self.log.append(("count", number))
                yield number
            if upto > 3:
                raise an_error("boom")
        finally:
            self.log.append("count over")

    def words(self) -> Any:
        self.log.append("words")
        return ["x", "y"]

    def talk(self, first: int) -> Any:
        heard = yield first
        self.log.append(heard)
        try:
            heard = yield len(heard)
        except ValueError as error:
            self.log.append(str(error))
            heard = yield -1
        self.log.append(heard)
        return heard.encode()

    async def acount(self, upto: int) -> Any:
        try:
            for number in range(upto):
                await asyncio.sleep(0.001)
                self.log.append(("acount", number))
                yield number
            if upto > 3:
                raise an_error("boom")
        finally:
            self.log.append("acount over")

    async def acount_later(self, upto: int) -> Any:
        await asyncio.sleep(0)
        return self.acount(upto)

    async def atalk(self, first: int) -> Any:
        heard = yield first
        self.log.append(heard)
        try:
            heard = yield len(heard)
            self.log.append(heard)
        except ValueError as error:
            self.log.append(str(error))
            yield -1

    @contextmanager
    def lock(self, swallows: bool) -> Any:
        self.log.append(("locked", swallows))
        try:
            yield "key"
            self.log.append("in peace")
        except KeyError as error:
            self.log.append(repr(error))
            if not swallows:
                raise
        finally:
            self.log.append("unlocked")

    @asynccontextmanager
    async def alock(self, swallows: bool) -> Any:
        await asyncio.sleep(0)
        with self.lock(swallows) as key:
            yield key

    hold, ahold = lock, alock

    def subscribe(self, notify: Callable[[str], int]) -> int:
        self.log.append([notify("one"), notify("three")])
        return len(self.log)

    async def asubscribe(self, notify: Callable[[str], Awaitable[int]]) -> int:
        self.log.append([await notify("one"), await notify("three")])
        return len(self.log)

    def handler(self, prefix: str) -> Callable[[str], str]:
        def handle(text: str) -> str:
            self.log.append(("handled", text))
            return prefix + text

        return handle

    def consume(self, chunks: Iterator[bytes]) -> int:
        seen = []
        while True:
            try:
                seen.append(next(chunks))
            except StopIteration as finished:
                self.log.append((seen, finished.value))
                return sum(map(len, seen))

    async def aconsume(self, chunks: Any) -> int:
        seen = [chunk async for chunk in chunks]
        self.log.append(seen)
        return sum(map(len, seen))

    def open(self, name: str) -> ARoom:
        self._rooms[name] = ARoom(name, self.log)
        return self._rooms[name]

    def rooms(self) -> dict[str, ARoom]:
        return dict(self._rooms)

    def close(self, room: Any) -> str:
        self.log.append(("own room", type(room).__name__))
        return next(name for name, known in self._rooms.items() if known is room)

    def connect(self, client: Any) -> str:
        self.log.append(client.notify("hello"))
        return "connected"

    async def aconnect(self, clients: list[Any]) -> int:
        self.log.append([await client.anotify(str(n)) for n, client in enumerate(clients)])
        return len(clients)

    def itself(self) -> "Application":
        return self

    @property
    def load(self) -> int:
        self.log.append("load")
        return self._load

    @load.setter
    def load(self, value: int) -> None:
        self.log.append(value)
        self._load = value

    @classmethod
    def version(cls) -> str:
        return "1"

    def __len__(self) -> int:
        return len(self.log)

    def __getitem__(self, key: str) -> int:
        self.log.append(key)
        return {"a": 1}[key]

    def __call__(self, text: str) -> str:
        self.log.append(text)
        return text[::-1]

    def shutdown(self) -> None:
        self.closed = True


class RealClient:
    """An object of the environment."""

    def __init__(self, weight: int = 1) -> None:
        self._weight = weight

    def notify(self, text: str) -> int:
        return len(text) * self._weight

    async def anotify(self, text: str) -> int:
        await asyncio.sleep(0)
        return len(text) * self._weight
