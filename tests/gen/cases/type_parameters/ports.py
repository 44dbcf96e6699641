from collections.abc import Callable
from typing import Never, Protocol

from vcr_gen.boundary import outbound

type Pair[A] = tuple[A, A]
type Count = int
type Fails = Never


@outbound
class Box[T, U: (int, str) = int](Protocol):
    def get(self) -> T: ...
    def pair(self) -> Pair[U]: ...
    def mapped[R: object](self, function: Callable[[T], R]) -> list[R]: ...
    def count(self) -> Count: ...
    async def stop(self) -> Fails: ...


@outbound
class Runner(Protocol):
    def run[**P, R](self, job: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R: ...
    def gather[*Ts](self, *values: *Ts) -> tuple[*Ts]: ...


class Read[S, R](Protocol):
    def __call__(self, source: S, /) -> R: ...


@outbound
class ReadCallback[S, R](Protocol):
    """pyright does not find out what `S` is: a reader takes it, and the callback takes a reader."""

    def __call__(self, read: Read[S, R], name: str, /) -> R: ...


@outbound
class Registry[T](Protocol):
    """What only a returned function mentions is that function's own."""

    def register[F: Callable[..., object]](self, name: str) -> Callable[[F], F]: ...
    async def route[**P, R](self) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
    def seeded[S, F](self, seed: S) -> Callable[[F], tuple[F, S]]: ...
    def packed[*Ts](self) -> Callable[[*Ts], tuple[*Ts]]: ...
