from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

from vcr_gen.boundary import outbound, unrecorded

Q = TypeVar("Q", bound="Query")
Row = TypeVar("Row")
U = TypeVar("U", bound="Unheard")
AnyColumn = TypeVar("AnyColumn", bound="Column[Any]")


@outbound
class Query(Protocol):
    def where(self, clause: str) -> Self: ...
    def union(self, other: Self) -> Self: ...
    def parts(self) -> Sequence[Self]: ...
    async def loaded(self) -> Self | None: ...
    def copy(self: Q) -> Q: ...
    @property
    def parent(self) -> Self: ...
    @property
    def children(self) -> list[Self]: ...
    @children.setter
    def children(self, value: list[Self]) -> None: ...
    def merge(self, others: list[Self]) -> None: ...
    def join(self, *others: Self, **named: Self) -> Self: ...


class Namespace(Generic[AnyColumn]):
    """What a column offers beside itself; only a column can be its argument."""


@outbound
class Column(Protocol[Row]):
    read: Callable[[Row], Sequence[str]]
    renamed: "Callable[[Row], str] | None"
    kind: Literal["plain", "key"]
    kinds: "list[Literal[1, 2]]"

    def namespace(self) -> Namespace[Self]: ...
    def inverted(self) -> Self: ...
    def moved(self, to: "Namespace[Self] | None", *, like: Sequence[Self]) -> Row: ...


@outbound
class Selector(Column[Row], Protocol[Row]):
    """Is a column only if it is inverted to what it is itself, as `Column` says."""

    def inverted(self) -> "Selector[Row]": ...


@outbound
class Unheard(Protocol):
    """Not recorded, and of the type of what it is asked of."""

    @unrecorded
    def copy(self) -> Self: ...
    @unrecorded
    async def loaded(self, key: str) -> "Self | None": ...
    @unrecorded
    def copied(self: U, deep: bool) -> U: ...
    @unrecorded
    def merge(self, others: list[Self], **named: Self) -> "list[Self]": ...
    @property
    @unrecorded
    def parent(self) -> "Self": ...
    @property
    @unrecorded
    def children(self) -> list[Self]: ...
    @children.setter
    def children(self, value: list[Self]) -> None: ...
    @unrecorded
    @contextmanager
    def locked(self) -> Generator[Self]: ...
