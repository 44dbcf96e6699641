from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeVar, overload

from vcr_gen.boundary import outbound

KeyT = TypeVar("KeyT")
KeyT_contra = TypeVar("KeyT_contra", contravariant=True)
ValueT = TypeVar("ValueT")
RowT_co = TypeVar("RowT_co", covariant=True)


class Comparable(Protocol[KeyT_contra, RowT_co]):
    def compare(self, other: KeyT_contra) -> RowT_co: ...


@outbound
class Compares(Protocol):
    """The second overload's arguments could be the first one's, with another result."""

    @overload
    def __call__(self, left: Comparable[KeyT, ValueT], right: KeyT, /) -> ValueT: ...
    @overload
    def __call__(self, left: KeyT, right: Comparable[KeyT, ValueT], /) -> ValueT: ...


@outbound
class Field(Protocol[RowT_co]):
    """`self` is the Protocol itself, not a type variable."""

    def same(self: "Field[RowT_co]") -> Sequence[RowT_co]: ...


@outbound
class Options(Protocol):
    """A keyword may be called `self`."""

    @overload
    def __call__(self, name: str, /) -> str: ...
    @overload
    def __call__(self, /, **options: int) -> int: ...


@outbound
class MaybeAsync(Protocol):
    """One overload is a coroutine function, the other is not."""

    @overload
    def next(self, key: str) -> str: ...
    @overload
    async def next(self, key: str, default: int) -> int: ...


@outbound
class Getter(Protocol[RowT_co]):
    """The second overload takes anything, also what the first takes."""

    @overload
    def get(self, at: None) -> str: ...
    @overload
    def get(self, at: Any) -> RowT_co: ...


Rows = TypeVar("Rows", bound=list[Any])
R = TypeVar("R")


@outbound
class Session(Protocol):
    """An argument with `Any` in it might be that of another overload, mypy thinks."""

    @overload
    def total(self, rows: list[Any]) -> int: ...
    @overload
    def total(self, rows: list[str], start: int = 0) -> str: ...

    @overload
    def request(self, kind: type[R], *, stream: Literal[True], into: type[Rows]) -> Rows: ...
    @overload
    def request(self, kind: type[R], *, stream: Literal[False] = False) -> R: ...
    @overload
    def request(
        self, kind: type[R], *, stream: bool = False, into: type[Rows] | None = None
    ) -> R | Rows: ...
