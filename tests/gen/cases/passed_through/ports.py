from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from vcr_gen.boundary import inbound, outbound, unrecorded

P = ParamSpec("P")
T = TypeVar("T")


class Hook(Generic[T]):
    """Made of a method, and no method."""

    def __init__(self, function: Callable[[Any, int], T]) -> None:
        self.function = function

    def described(self) -> str:
        return self.function.__name__


def listed(name: str) -> Callable[[Callable[P, T]], Callable[P, list[T]]]:
    return lambda function: lambda *args, **kwargs: [function(*args, **kwargs)]


@outbound
class Plugin(Protocol):
    """Nobody can tell what decorators make of these, and nobody needs to."""

    @unrecorded
    @Hook
    def hook(self, size: int) -> int: ...
    @listed("all")
    @unrecorded
    def listing(self, size: int = 3, *, key: str = "") -> int: ...
    def run(self) -> int: ...


@inbound
class Cached(Protocol[T]):
    @unrecorded
    @lru_cache
    def sized(self, size: int) -> int: ...
    def run(self, item: T) -> T: ...
