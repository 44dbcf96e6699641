from typing import Protocol

from typing_extensions import TypeVar

from vcr_gen.boundary import outbound

_ResultT_co = TypeVar("_ResultT_co", default=None, covariant=True)


@outbound
class Closing(Protocol[_ResultT_co]):
    """Old and new type parameters, of which the old one has a default."""

    def close[ErrorT: BaseException](self, error: ErrorT, /) -> _ResultT_co | ErrorT: ...


Item = TypeVar("Item")


@outbound
class Twice(Protocol):
    """A name that one method takes for a type variable, and another has in its brackets."""

    def old(self, item: "Item", rest: list[Item]) -> "dict[str, Item]": ...
    def new[Item](self, item: "Item", rest: list[Item]) -> "dict[str, Item]": ...
