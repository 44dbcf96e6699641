from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from vcr_gen.boundary import inbound, outbound

if TYPE_CHECKING:
    from fractions import Fraction
else:
    Fraction = str


@outbound
class Scale(Protocol):
    def weigh(self, expected: Fraction) -> Iterable[Fraction]: ...


@inbound
class Shelf(Protocol):
    def place(self, *weights: Fraction) -> Fraction: ...
