import enum
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from vcr_gen.boundary import outbound

DAYS = 7
_PRIVATE = 3
REBOUND = 1
REBOUND = 2


class Color(enum.Enum):
    RED = 1


class Sentinel: ...


MISSING = Sentinel()
T = TypeVar("T")


@outbound
class Job(Protocol):
    STEP: int = 4

    def literal(self, a: int = -1, b: str = "it's", c: bytes = b"x", d: float = 1e3) -> None: ...
    def more(self, a: tuple[int, ...] = (), b: tuple[int, str] = (1, "a"), c: None = None) -> None: ...
    def named(self, a: Color = Color.RED, b: Sentinel = MISSING, c: int = DAYS) -> None: ...
    def other(self, a: int = logging.INFO, b: type[int] = int) -> None: ...
    def computed(self, a: int = DAYS * 86400, b: Path = Path("."), c: int = _PRIVATE) -> None: ...
    def made(
        self, a: Callable[[int], int] = lambda x: x, b: Sequence[int] = [1], c: int = REBOUND
    ) -> None: ...
    def scoped(self, a: int = STEP) -> None: ...
    def omitted(self, a: int, b: int = ..., /, c: int = ..., *, d: int = ...) -> int: ...
    def omitted_before_rest(self, a: int = ..., *rest: int, b: int = 1) -> int: ...


@outbound
class Cell(Protocol[T]):
    value: T

    def __call__(self, value: T, after: int = DAYS * 2) -> T: ...
    @classmethod
    def empty(cls, after: int = DAYS * 3) -> T: ...
