"""How strictly the order of outbound calls is asserted."""

from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias, final, get_args

from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.rules import suggestion
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.replay.strategies import FREE, Strategies, Strategy

__all__ = ["Order", "Orders"]

Order: TypeAlias = Literal["strand", "total", "lanes"]
"""`strand`: in the recorded order inside each task, thread and job (the default).
`total`: in the one recorded order, across all of them.
`lanes`: in any order; each call finds the recorded one that equals it.
"""


@final
class Orders:
    """How a call finds its recorded one: where it looks, and what must agree."""

    def __init__(
        self, order: Order | Mapping[str, Order], strategies: Strategies | None = None
    ) -> None:
        self._strategies = strategies or Strategies()
        self._each: dict[str, Order] = {}
        self._default: Order = "strand"
        if isinstance(order, str):
            self._default = _checked(order)
        else:
            self._each = {name: _checked(word) for name, word in order.items()}

    def of(self, method: str) -> Order:
        """The order for a method, named as `Boundary.method`."""
        if self._strategies.of(method) in FREE:
            return "lanes"
        if not self._each:
            return self._default
        return self._each.get(method.partition(".")[0], self._default)

    def strategy(self, method: str) -> Strategy:
        """What must agree, for a method."""
        return self._strategies.of(method)

    def check(self, boundary: Boundary) -> None:
        """Refuse what has no meaning for a boundary."""
        name = boundary.name
        if boundary.direction == "inbound" and name in self._strategies.each:
            raise UsageError(
                f"`strategy` applies to outbound calls, and {name} is inbound\n\n"
                f"hint: to loosen the comparison of its answers, pass rules=[Rule({name!r}, "
                "'$result…', …)]"
            )
        strategy = self._strategies.of(f"{name}.")
        if strategy in FREE and self._each.get(name, self._default) == "total":
            raise UsageError(
                f"{name}: the strategy {strategy!r} matches calls in any order, "
                "which contradicts order='total'"
            )

    def unused(self, known: Collection[str]) -> list[str]:
        """What was said of boundaries that took no part."""
        words: dict[str, Collection[str]] = {
            "order": self._each,
            "strategy": self._strategies.each,
        }
        return [
            f"{word} of {name}  (there is no {name} here{suggestion(name, known)})"
            for word, names in words.items()
            for name in names
            if name not in known
        ]

    def strategies_in_words(self) -> Plain:
        """The strategies as a cassette's header says them; None for the default."""
        return self._strategies.in_words()

    def in_words(self) -> Plain:
        """The orders as a cassette's header says them; None for the default."""
        loose = {name: order for name, order in self._each.items() if order != "strand"}
        if loose:
            return {name: loose[name] for name in sorted(loose)}
        return None if self._default == "strand" else self._default


def _checked(order: Order) -> Order:
    if order not in get_args(Order):
        words = ", ".join(get_args(Order))
        raise UsageError(f"unknown order {order!r}: expected one of {words}")
    return order
