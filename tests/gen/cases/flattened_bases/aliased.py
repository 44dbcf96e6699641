from typing import Protocol, TypeAlias, TypeVar

from vcr_gen.boundary import outbound

T = TypeVar("T")
U = TypeVar("U")


class Repo(Protocol[T]):
    def get(self, key: T) -> T: ...


class Pair(Protocol[T, U]):
    def swap(self, one: T, other: U) -> tuple[U, T]: ...


Plain = Repo
Numbers = Repo[int]
Texts: TypeAlias = Repo[str]
Lists = Repo[list[T]]
Turned = Pair[U, T]


@outbound
class ByPlain(Plain[int], Protocol): ...


@outbound
class ByNumber(Numbers, Protocol): ...


@outbound
class ByText(Texts, Protocol): ...


@outbound
class ByList(Lists[int], Protocol): ...


@outbound
class OfLists(Lists[T], Protocol[T]): ...


@outbound
class ByTurn(Turned[int, str], Protocol):
    """The alias takes its variables in the order in which they appear."""
