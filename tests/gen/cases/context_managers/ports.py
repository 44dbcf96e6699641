from contextlib import AbstractAsyncContextManager, AbstractContextManager
from types import TracebackType
from typing import Protocol, Self

from vcr_gen.boundary import outbound


@outbound
class Database(Protocol):
    def transaction(self) -> AbstractContextManager[int]: ...
    def session(self, name: str) -> AbstractAsyncContextManager[int]: ...

    def streaming(self) -> AbstractAsyncContextManager[Self]: ...

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
    def opened(cls, name: str) -> AbstractContextManager[str]: ...
    @staticmethod
    def connected(name: str) -> AbstractAsyncContextManager[str]: ...
