from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, NewType, Protocol

from vcr_gen.boundary import outbound


class Numbered(Protocol):
    Number = NewType("Number", int)

    def next(self, number: Number) -> "Number": ...


@outbound
class Shelf(Numbered, Protocol):
    """Types that functions make, in the body of a Protocol and of its base."""

    Size = NamedTuple("Size", [("width", int), ("height", int)])
    Wood = Enum("Wood", "OAK PINE")

    def build(self, size: Size, wood: "Wood") -> "Size": ...
    def numbered(self, number: Numbered.Number) -> "list[Wood]": ...


if TYPE_CHECKING:

    @outbound
    class Ghost(Protocol):
        class Sheet: ...

        Weight = NewType("Weight", int)

        def weigh(self, sheet: Sheet) -> "Weight": ...
