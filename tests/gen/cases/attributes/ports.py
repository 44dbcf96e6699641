from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from vcr_gen.boundary import outbound

Measure = Callable[[str], float]


@outbound
class Device(Protocol):
    name: str
    ports: list[int]
    kind: ClassVar[str]
    extra: "dict[str, Any]"
    ready: bool = False
    parent: None

    def reset(self) -> None: ...


@outbound
class Function(Protocol):
    __name__: str

    def __call__(self, number: int) -> int: ...


@outbound
class Slotted(Protocol):
    __slots__ = ()

    shield: bool


@outbound
class Scale(Protocol):
    """To type checkers, a function of the class is a method; one of the instance is none."""

    weigh: ClassVar[Callable[[Any, int], float]]
    measure: "ClassVar[Measure | None]"
    round: Callable[[float], int]
