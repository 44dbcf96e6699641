from typing import Protocol, TypeVar, overload

from vcr_gen.boundary import outbound, unrecorded

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@outbound
class Column(Protocol[T_co]):
    """What only some columns can do says so of `self`."""

    def first(self) -> T_co: ...

    def total(self: "Column[int]", start: int = 0) -> int: ...

    async def fetched(self: "Column[int]") -> int: ...

    @property
    def length(self: "Column[str]") -> int: ...

    @overload
    def joined(self: "Column[str]", by: str, /) -> str: ...
    @overload
    def joined(self: "Column[bytes]", by: bytes, /) -> bytes: ...

    @unrecorded
    def shown(self: "Column[str]") -> str: ...

    def same(self: "Column[T_co]") -> "Column[T_co]": ...


@outbound
class Maker(Protocol[T]):
    @classmethod
    def empty(cls: "type[Maker[int]]") -> int: ...

    def take(self, item: T) -> T: ...


@outbound
class Built(Protocol[T]):
    @overload
    def __init__(self: "Built[int]", item: int) -> None: ...
    @overload
    def __init__(self: "Built[list[int]]", item: int, *more: int) -> None: ...

    def put(self, item: T) -> T: ...
