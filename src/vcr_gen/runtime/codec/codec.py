"""A compiled annotation as the runtime uses it, and the values that the runtime handles itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from vcr_gen.errors import DecodeError, EncodeError
from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Difference, differences
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.marked import Mark
from vcr_gen.runtime.codec.node import DYNAMIC, LIVE, NO_FIT, Node
from vcr_gen.runtime.codec.plain_kinds import Plain


@dataclass(frozen=True, slots=True)
class Codec:
    """Stores the values of one annotation."""

    encode: Callable[[Any], Plain]
    """Value to plain; raises EncodeError."""
    decode: Callable[[Plain], Any]
    """Plain to value, strictly; raises DecodeError."""
    compare: Callable[[Plain, Plain], tuple[Difference, ...]] | None = None
    """The differences that count, recorded first; None if plain equality decides."""
    replace_live: Callable[[Any], Any] | None = None
    """The value with each live part replaced; None if it cannot contain live objects."""
    marks: tuple[Mark, ...] = ()
    """Where the type itself says that less than equality counts."""
    few: tuple[tuple[Step, ...], ...] = ()
    """Where in the values only a declared few are possible."""
    rank: Callable[[Any], int | None] | None = None
    """How well a live object matches, for a union: 0 is best, None is no match."""


class LiveNode(Node):
    """A leaf whose codec the runtime gave."""

    is_live: ClassVar[bool] = True
    special: ClassVar[bool] = True
    kinds = frozenset[str]()

    def __init__(self, codec: Codec, name: str) -> None:
        self.name = name
        self._codec: Final = codec

    def encode(self, value: object) -> Plain:
        """As the runtime says."""
        try:
            return self._codec.encode(value)
        except EncodeError as error:
            raise _as_fault(error) from error

    def decode(self, plain: Plain) -> object:
        """As the runtime says."""
        try:
            return self._codec.decode(plain)
        except DecodeError as error:
            raise _as_fault(error) from error

    def fits(self, value: object) -> int:
        """As the runtime says, but never `None`, and after types that fit exactly."""
        rank = 0 if self._codec.rank is None else self._codec.rank(value)
        return NO_FIT if value is None or rank is None else min(LIVE + rank, DYNAMIC - 1)

    def compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """As the runtime says."""
        compare = self._codec.compare or differences
        return compare(recorded, actual)

    def replace(self, value: object) -> object:
        """As the runtime says."""
        replace_live = self._codec.replace_live
        return value if replace_live is None else replace_live(value)


def _as_fault(error: EncodeError | DecodeError) -> Fault:
    return Fault(error.expected, error.got, error.hint).within(error.path.removeprefix("$"))
