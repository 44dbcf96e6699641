from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from datetime import datetime as Moment
from typing import Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")


class Named(Protocol):
    @property
    def name(self) -> str: ...


class Reader(Named, Protocol[T_co]):
    def read(self, size: int = -1) -> T_co: ...
    def each(self, visit: Callable[[T_co], R]) -> list[R]: ...
    def modified(self) -> Moment: ...


class Closable(Protocol):
    closed: bool

    @abstractmethod
    def close(self) -> None:
        raise NotImplementedError
