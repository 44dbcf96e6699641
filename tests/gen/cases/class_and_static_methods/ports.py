from typing import Protocol, Self, overload

from vcr_gen.boundary import outbound


@outbound
class Plugin(Protocol):
    @classmethod
    def create(cls, name: str) -> Self: ...
    @staticmethod
    def version(major: int = 1) -> str: ...
    @classmethod
    async def load(cls) -> int: ...
    def run(self) -> None: ...

    @overload
    @classmethod
    def named(cls, name: str) -> str: ...
    @overload
    @classmethod
    def named(cls, name: int) -> int: ...

    @overload
    @staticmethod
    def doubled(value: str) -> str: ...
    @overload
    @staticmethod
    def doubled(value: int) -> int: ...
