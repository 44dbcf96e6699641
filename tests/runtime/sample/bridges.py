"""The real environment of the sample boundaries, small enough to run in a test."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from sample.models import BoomError, OddError, Result, Step


def an_error(kind: str) -> BaseException:
    """One exception of each sort that a bridge may raise."""
    if kind == "boom":
        return BoomError(7, where="there")
    if kind == "notes":
        error = OddError("with", "notes", 3)
        error.add_note("first")
        error.add_note("second")
        return error
    if kind == "cause":
        error = OddError("effect")
        error.__cause__ = KeyError("cause")
        return error
    if kind == "attributes":
        error = OddError("attributes")
        error.extra = {"retry": 3, "hosts": ["a", "b"]}  # type: ignore[attr-defined]
        return error
    if kind == "group":
        return ExceptionGroup("several", [ValueError("one"), ExceptionGroup("in", [OddError(2)])])
    if kind == "ends":
        return BaseExceptionGroup("what ends more", [KeyboardInterrupt(), ValueError("one")])
    simple: dict[str, BaseException] = {
        "file": FileNotFoundError(2, "No such file", "/nowhere/x"),
        "unicode": UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
        "stop": StopIteration("inside"),
        "timeout": TimeoutError(),
        "exit": SystemExit(3),
        "interrupt": KeyboardInterrupt(),
        "cancelled": asyncio.CancelledError("from within"),
    }
    return simple[kind]


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


class RealLocks:
    @contextmanager
    def lock(self, name: str, swallows: bool) -> Any:
        try:
            yield len(name)
        except KeyError:
            if not swallows:
                raise

    @asynccontextmanager
    async def alock(self, name: str, swallows: bool) -> Any:
        await asyncio.sleep(0.001)
        try:
            yield len(name)
        except KeyError:
            if not swallows:
                raise
        await asyncio.sleep(0.001)

    @contextmanager
    def guard(self, name: str) -> Any:
        yield name.upper()


class RealConnection:
    def __enter__(self) -> "RealConnection":
        return self

    def __exit__(self, kind: Any, error: Any, tb: Any) -> bool | None:
        return isinstance(error, KeyError) or None

    async def __aenter__(self) -> int:
        await asyncio.sleep(0)
        return 5

    async def __aexit__(self, kind: Any, error: Any, tb: Any) -> bool | None:
        return kind is KeyError


class RealBus:
    def __init__(self) -> None:
        self.listeners: list[Callable[[int], str]] = []
        self._thread: threading.Thread | None = None
        self._heard = ""

    def on(self, topic: str, notify: Callable[[int], str]) -> Callable[[], None]:
        self.listeners.append(notify)
        notify(0)
        return lambda: self.listeners.remove(notify)

    def off(self, notify: Callable[[int], str]) -> None:
        self.listeners.remove(notify)

    def publish(self, number: int) -> int:
        return sum(len(notify(number)) for notify in self.listeners)

    def each(self, numbers: list[int], notify: Callable[[int], str]) -> list[str]:
        return [notify(number) for number in numbers]

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

    def maker(self, prefix: str) -> Callable[[str], str]:
        return lambda text: prefix + text

    def submit(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return work(*args, **kwargs)


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
