from typing import NamedTuple, Protocol, TypeVar

from vcr_gen.boundary import outbound


@outbound
class Page(Protocol):
    def text(self) -> str: ...


@outbound
class Seal(Protocol):
    def broken(self) -> bool: ...


@outbound
class Note(Protocol):
    def text(self) -> str: ...


@outbound
class Blob(Protocol):
    def size(self) -> int: ...


@outbound
class Stamp(Protocol):
    def year(self) -> int: ...


@outbound
class Ink(Protocol):
    def color(self) -> str: ...


Pen = NamedTuple("Pen", [("ink", Ink)])
StampT = TypeVar("StampT", bound=Stamp)
