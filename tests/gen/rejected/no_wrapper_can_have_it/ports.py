from collections.abc import Callable
from typing import AnyStr, Protocol, TypeVar

from vcr_gen.boundary import outbound


class Record:
    pass


R = TypeVar("R", bound=Record)


@outbound
class Loader(Protocol):
    @classmethod
    def load(cls: type[R], text: str) -> R: ...
    def store(self: Record, text: str) -> None: ...
    def own(self: "Loader") -> None: ...


@outbound
class Reader(Protocol):
    def read(self) -> AnyStr: ...
    def read_all(self) -> "list[AnyStr | None]": ...
    def read_like(self, sample: AnyStr) -> AnyStr: ...
    def reader(self) -> Callable[[AnyStr], AnyStr]: ...


@outbound
class Lines(Protocol[AnyStr]):
    def read(self) -> AnyStr: ...


T = TypeVar("T")
U = TypeVar("U")


class Store(Protocol[T]):
    def map(self, kind: type[U], item: T) -> tuple[U, T]: ...


@outbound
class Users(Store[U], Protocol[U]): ...


class Newer[A](Protocol):
    def map[C](self, item: A, other: C) -> tuple[A, C]: ...


@outbound
class Captured[C](Newer[C], Protocol): ...


@outbound
class Free[B](Newer[B], Protocol): ...
