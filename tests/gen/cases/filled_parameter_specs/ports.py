from typing import Concatenate, ParamSpec, Protocol, TypeVar

from vcr_gen.boundary import outbound

P = ParamSpec("P")
Q = ParamSpec("Q")
T_co = TypeVar("T_co", covariant=True)


class Callback(Protocol[P, T_co]):
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co: ...


@outbound
class Fixed(Callback[[int, str], float], Protocol):
    @property
    def name(self) -> str: ...


@outbound
class Anything(Callback[..., float], Protocol):
    @property
    def name(self) -> str: ...


@outbound
class Prefixed(Callback[Concatenate[int, Q], float], Protocol[Q]):
    @property
    def name(self) -> str: ...


@outbound
class PrefixedAnything(Callback[Concatenate[int, ...], float], Protocol):
    @property
    def name(self) -> str: ...


class Counted(Protocol[P]):
    def run(self, args_1: int, /, *args: P.args, **kwargs: P.kwargs) -> int: ...


@outbound
class CountedTwice(Counted[[str, bytes]], Protocol):
    """Has a parameter that is called what one of the filled in ones would be."""
