from collections.abc import Callable
from typing import Protocol, TypeVar, TypeVarTuple, Unpack

from vcr_gen.boundary import outbound

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Registry(Protocol[T, Unpack[Ts]]):
    def register(self, first: T, *args: Unpack[Ts]) -> T: ...
    def starred(self, first: T, *args: *Ts) -> T: ...
    def call(self, function: Callable[[T, Unpack[Ts]], int]) -> tuple[T, *Ts]: ...


@outbound
class Pairs(Registry[int, str, bytes], Protocol): ...


@outbound
class Bare(Registry[int], Protocol): ...


@outbound
class Longer(Registry[T, str, Unpack[Ts]], Protocol[T, Unpack[Ts]]): ...


class Emitter(Protocol[Unpack[Ts]]):
    def emit(self, *args: Unpack[Ts]) -> tuple[Unpack[Ts]]: ...


@outbound
class Silent(Emitter[()], Protocol): ...


@outbound
class Rows(Registry[str, Unpack[tuple[int, ...]]], Protocol): ...


@outbound
class Tripled(Registry[str, *tuple[int, bytes]], Protocol): ...
