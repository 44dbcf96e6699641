"""A compiled annotation as the runtime uses it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Difference
from vcr_gen.runtime.codec.marked import Mark
from vcr_gen.runtime.codec.plain_kinds import Plain


@dataclass(frozen=True, slots=True)
class Codec:
    """Stores the values of one annotation."""

    encode: Callable[[Any], Plain]
    """Value to plain; raises EncodeError."""
    decode: Callable[[Plain], Any]
    """Plain to value, strictly; raises DecodeError."""
    compare: Callable[[Plain, Plain], tuple[Difference, ...]] | None = None
    """The differences that count, recorded first; None when equality of plains says it all."""
    replace_live: Callable[[Any], Any] | None = None
    """The value with each live part replaced; None when nothing live can be inside."""
    marks: tuple[Mark, ...] = ()
    """Where the type itself says that less than equality counts."""
    few: tuple[tuple[Step, ...], ...] = ()
    """Where in the values only a declared few are possible."""
    rank: Callable[[Any], int | None] | None = None
    """How well a live object suits, for a union: 0 is best, None not at all."""
