import contextlib
from collections.abc import AsyncIterator, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from types import TracebackType
from typing import Protocol, Self

from vcr_gen.boundary import outbound


@outbound
class Database(Protocol):
    def transaction(self) -> AbstractContextManager[int]: ...
    def session(self, name: str) -> AbstractAsyncContextManager[int]: ...

    @contextmanager
    def locked(self, value: int) -> Iterator[int]:
        """Hold the lock."""
        yield value

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[str]:
        yield ""

    @contextlib.asynccontextmanager
    async def streaming(self) -> AsyncIterator[Self]:
        yield self

    @contextlib.asynccontextmanager
    def following(self) -> AsyncIterator[int]: ...

    @contextmanager
    def nested(self, value: int) -> Iterator[Self]: ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(self, *args: object) -> None: ...


@outbound
class Opener(Protocol):
    @classmethod
    @contextmanager
    def opened(cls, name: str) -> Iterator[str]: ...
    @staticmethod
    @asynccontextmanager
    async def connected(name: str) -> AsyncIterator[str]:
        yield name
    @asynccontextmanager
    async def private(self, __name: str) -> AsyncIterator[str]:
        yield ""
