from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import lru_cache
from typing import Any, ClassVar, ParamSpec, Protocol, TypeVar, overload

from vcr_gen.boundary import outbound

P = ParamSpec("P")
T = TypeVar("T")


@overload
def generator(f: Callable[P, Generator[Any, Any, T]]) -> Callable[P, Generator[Any, Any, T]]: ...
@overload
def generator(f: Callable[P, Awaitable[T]]) -> Callable[P, Generator[Any, Any, T]]: ...
def generator(f): ...


@outbound
class Port(Protocol):
    @lru_cache
    def run(self) -> int: ...

    @generator
    async def __await__(self) -> bool: ...


class Sized(Protocol):
    @property
    def size(self) -> int: ...


@outbound
class Resized(Sized, Protocol):
    @Sized.size.setter
    def size(self, size: int) -> None: ...


class Registry:
    def add(self, size: int) -> Callable[[Callable[P, T]], Callable[P, list[T]]]: ...


@outbound
class Registered(Protocol):
    registry: ClassVar[Registry] = Registry()

    @registry.add(3)
    def run(self) -> int: ...


@outbound
class Database(Protocol):
    @contextmanager
    def locked(self) -> Iterator[int]: ...

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[str]:
        yield ""
