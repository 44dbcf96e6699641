import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from vcr_gen.boundary import outbound

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
K_contra = TypeVar("K_contra", contravariant=True)
_N = TypeVar("_N", int, float)
_B = TypeVar("_B", bound="Item")


class Item: ...


@outbound
class Repo(Protocol[K_contra, T_co]):
    def get(self, key: K_contra) -> T_co: ...
    def all(self) -> Iterator[T_co]: ...
    def convert(self, kind: type[T], via: Callable[[str], T]) -> Sequence[T]: ...
    def scale(self, by: _N) -> _N: ...
    def keep(self, item: _B) -> _B: ...


@outbound
class Cell(Protocol, Generic[T]):
    value: T

    def swap(self, value: T) -> T: ...


Idle_co = TypeVar("Idle_co", covariant=True)


@outbound
class Tagged(Protocol[T_co, Idle_co]):
    def get(self) -> T_co: ...


@outbound
class File(Protocol[typing.AnyStr]):
    def read(self) -> typing.AnyStr: ...
    def write(self, text: typing.AnyStr) -> int: ...
    def __enter__(self) -> typing.IO[typing.AnyStr]: ...


class Sink(Protocol[K_contra]):
    def put(self, item: K_contra) -> None: ...


@outbound
class Pump(Protocol[T_co, Idle_co]):
    """A sink takes what `T_co` says, and the pump takes, or tells of, a sink: pyright gives up."""

    def into(self, *sinks: Sink[T_co] | None) -> Idle_co: ...
    def watched(self) -> Callable[[Sink[T_co]], None]: ...


X = TypeVar("X", contravariant=True)


@outbound
class Estimator(Protocol[X, T_co]):
    def fit(self, X: X) -> None: ...
    def predict(self, X: X) -> T_co: ...
