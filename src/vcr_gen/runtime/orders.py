"""How strictly the order of outbound calls is asserted."""

from collections.abc import Mapping
from typing import Literal, TypeAlias, final, get_args

from vcr_gen.errors import UsageError
from vcr_gen.runtime.plain import Plain

__all__ = ["Order", "Orders"]

Order: TypeAlias = Literal["strand", "total", "lanes"]
"""`strand`: in the recorded order inside each task, thread and job (the default).
`total`: in the one recorded order, across all of them.
`lanes`: in any order; each call finds the recorded one that equals it.
"""


@final
class Orders:
    """The order that holds for each boundary."""

    def __init__(self, order: Order | Mapping[str, Order]) -> None:
        self._each: dict[str, Order] = {}
        self._default: Order = "strand"
        if isinstance(order, str):
            self._default = _checked(order)
        else:
            self._each = {name: _checked(word) for name, word in order.items()}

    def of(self, method: str) -> Order:
        """The order for a method, named as `Boundary.method`."""
        if not self._each:
            return self._default
        return self._each.get(method.partition(".")[0], self._default)

    def in_words(self) -> Plain:
        """As a cassette's header says it; None for the default."""
        loose = {name: order for name, order in self._each.items() if order != "strand"}
        if loose:
            return {name: loose[name] for name in sorted(loose)}
        return None if self._default == "strand" else self._default


def _checked(order: Order) -> Order:
    if order not in get_args(Order):
        words = ", ".join(get_args(Order))
        raise UsageError(f"unknown order {order!r}: expected one of {words}")
    return order
