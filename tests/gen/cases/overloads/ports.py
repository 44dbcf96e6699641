from typing import Any, Literal, Protocol, overload

from vcr_gen.boundary import outbound


@outbound
class Store(Protocol):
    @overload
    def read(self, key: str) -> str: ...
    @overload
    def read(self, key: str, *, raw: Literal[True]) -> bytes: ...
    @overload
    def read(self, key: str, *, raw: Literal[False] = False, limit: int = ...) -> str: ...

    @overload
    def shift(self, amount: int, /) -> int: ...
    @overload
    def shift(self, *, hours: int = 0, minutes: int = 0) -> int: ...

    @overload
    async def find(self, key: int) -> int: ...
    @overload
    async def find(self, key: str) -> str: ...

    @overload
    def write(self, key: str, value: str) -> None: ...
    @overload
    def write(self, key: str, value: bytes, binary: bool) -> None: ...
    def write(self, key: str, value: Any, binary: bool = False) -> None:
        """Write it."""
