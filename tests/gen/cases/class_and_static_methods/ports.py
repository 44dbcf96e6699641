from typing import Protocol, Self, TypeVar, overload

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


Built = TypeVar("Built")


@outbound
class Builder(Protocol):
    """`cls: type[Built]` is the older way to write `Self`."""

    @classmethod
    def build(cls: type[Built], *, data: object) -> Built: ...
