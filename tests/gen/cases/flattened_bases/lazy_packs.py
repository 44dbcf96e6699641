from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVarTuple, overload

from vcr_gen.boundary import outbound

from flattened_bases.eager import Named

Ts = TypeVarTuple("Ts")


@outbound
class Spreading(Named, Protocol[*Ts]):
    """Annotations that are text; those of the base are none."""

    def spread(self, function: Callable[[*Ts], None], *args: *Ts) -> tuple[int, *Ts]: ...
    @overload
    def either(self, *args: *Ts) -> int: ...
    @overload
    def either(self, *args: *Ts, sized: bool) -> str: ...
