from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeAlias, TypeVar, overload

from vcr_gen.boundary import inbound, outbound, unrecorded

T = TypeVar("T")
S = TypeVar("S")
N = TypeVar("N", int, float)
T_co = TypeVar("T_co", covariant=True)
F = TypeVar("F", bound=float)


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


Words: TypeAlias = "Reversed[str]"
WordsT = TypeVar("WordsT", bound="Reversed[str]")


@inbound
class Reversed(Protocol[T_co]):
    def first(self) -> T_co: ...

    def last(self: Words) -> str: ...

    def upper(self: WordsT) -> WordsT: ...


class Sized(Protocol):
    @property
    def size(self) -> int: ...


@outbound
class Rows(Protocol[T_co]):
    """Another Protocol, which has less, says what a method needs."""

    @property
    def size(self) -> int: ...

    def __iter__(self) -> Iterator[T_co]: ...

    def average(self: Iterable[F]) -> F: ...

    def half(self: Sized) -> int: ...

    def writer(self: Iterable[F]) -> Callable[[F], int]: ...


class First(Protocol[T_co]):
    def first(self) -> T_co: ...


@outbound
class Numbers(First[int], Protocol):
    def doubled(self: First[F]) -> F: ...


@outbound
class Maker(Protocol[T]):
    @classmethod
    def empty(cls: "type[Maker[int]]") -> int: ...

    def take(self, item: T) -> T: ...


@outbound
class Box(Protocol[T]):
    """Only who has `flat` is a box, and only a box of lists has it: type checkers give up."""

    def put(self, item: T) -> T: ...

    def flat(self: "Box[list[S]]", depth: int) -> "Box[S]": ...

    def first(self: "Box[tuple[S, T]]", otherwise: S) -> S: ...

    async def later(self: "Box[S]", times: int = 3) -> S: ...

    @property
    def last(self: "Box[list[S]]") -> S: ...

    @last.setter
    def last(self: "Box[list[S]]", value: S) -> None: ...

    @overload
    def sum(self: "Box[int]", start: int) -> int: ...
    @overload
    def sum(self: "Box[S]", start: str, *, key: Callable[[S], int] | None = None) -> S: ...


@outbound
class Pile(Protocol[T]):
    def put(self, item: T) -> T: ...

    def top(self: "Pile[list[S]]") -> S: ...

    @property
    def last(self: "Pile[list[S]]") -> S: ...


@outbound
class Nested(Protocol[T_co]):
    def get(self) -> T_co: ...

    async def flat(self: "Nested[Nested[T_co]]") -> T_co: ...


@outbound
class Sums(Protocol[T_co]):
    def get(self) -> T_co: ...

    def sum(self: "Sums[N]") -> N: ...


@outbound
class Picked(Protocol[T_co]):
    def get(self) -> T_co: ...

    @overload
    def at(self: "Picked[T_co]", index: None) -> T_co: ...
    @overload
    def at(self: "Picked[list[S]]", index: int) -> S: ...
    @overload
    def at(self: "Picked[set[S]]", index: int) -> S: ...

    @overload
    def only(self: "Picked[list[S]]", index: int) -> S: ...
    @overload
    def only(self: "Picked[dict[str, S]]", index: int) -> tuple[str, S]: ...


@outbound
class Makers(Protocol[T]):
    def put(self, item: T) -> T: ...

    def maker(self: "Makers[list[S]]") -> Callable[[S], int]: ...


@outbound
class Built(Protocol[T]):
    @overload
    def __init__(self: "Built[int]", item: int) -> None: ...
    @overload
    def __init__(self: "Built[list[S]]", item: S, *more: S) -> None: ...

    def put(self, item: T) -> T: ...
