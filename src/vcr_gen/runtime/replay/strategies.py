"""How an outbound call finds its recorded one: where it looks, and what must agree."""

from collections.abc import Callable, Collection, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar, final, get_args

from vcr_gen.boundary import name_of
from vcr_gen.errors import UsageError
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.boundary.spec import Boundary, make_call
from vcr_gen.runtime.codec import MISSING, Difference
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import Start
from vcr_gen.spelling import did_you_mean

StrategyWord: TypeAlias = Literal["exact", "method", "method_and_arguments", "subset", "sequential"]
"""`exact`: the method and all arguments, in the order that `order` asserts (the default).
`method`: the method; arguments are not compared.
`subset`: the method, and whatever was recorded: more arguments, keys and items may be there.
`method_and_arguments`: as `exact`, in any order: each call finds the recorded one that equals it.
`sequential`: the boundary's next recorded call, whatever its arguments, from any strand.
"""

Matching: TypeAlias = Callable[[Any, Any], bool]
"""Sees the recorded and the actual call, as typed events, and says whether they agree."""

Strategy: TypeAlias = StrategyWord | Matching

FREE: Final = frozenset({"method_and_arguments", "sequential"})
"""The strategies that find a call anywhere on the tape."""


Order: TypeAlias = Literal["strand", "total", "lanes"]
"""`strand`: in the recorded order inside each task, thread and job (the default).
`total`: in the one recorded order, across all of them.
`lanes`: in any order; each call finds the recorded one that equals it.
"""

_C = TypeVar("_C", bound=Order | Strategy)


@final
class _Choice(Generic[_C]):
    """The choice for each boundary: one for all of them, or one for some."""

    def __init__(
        self, chosen: _C | Mapping[str, _C], default: _C, check: Callable[[_C], _C]
    ) -> None:
        self.each: dict[str, _C] = {}
        self._default = self._usual = default
        if isinstance(chosen, Mapping):
            self.each = {name: check(choice) for name, choice in chosen.items()}
        else:
            self._default = check(chosen)

    def of(self, boundary: str) -> _C:
        """The choice for a boundary."""
        return self.each.get(boundary, self._default)

    def in_words(self) -> Plain:
        """As a cassette's header says it; None for the default."""
        loose = {name: _word(self.each[name]) for name in sorted(self.each)}
        loose = {name: word for name, word in loose.items() if word != self._usual}
        if loose:
            return {**loose}
        return None if self._default == self._usual else _word(self._default)


def agreed(
    strategy: Strategy,
    event: Start,
    operation: Operation,
    differences: Callable[[], list[Difference]],
) -> list[Difference]:
    """The differences between a recorded and a live call of one method that count.

    A comparison also finds out which recorded object each passed function is: it is needed where
    no difference counts, too.
    """
    if strategy in ("method", "sequential"):
        differences()
        return []
    if strategy == "subset":
        return [each for each in differences() if each.recorded is not MISSING]
    if isinstance(strategy, str):
        return differences()
    if strategy(*_typed(event, operation)):
        differences()
        return []
    reason = f"{name_of(strategy)} says they differ"
    return differences() or [Difference("", dict(event.arguments), MISSING, reason)]


def _typed(event: Start, operation: Operation) -> tuple[Any, Any]:
    """The two calls as typed events; what lives on both sides is the live one in both."""
    bound = operation.bound
    recorded = {
        name: (
            passing.restore(event.arguments[name])
            if name in event.arguments and passing.codec.replace_live is None
            else operation.arguments[name]
        )
        for name, passing in bound.arguments.items()
    }
    call, method = bound.method.call, bound.method
    return make_call(call, method, recorded), make_call(call, method, operation.arguments)


def _checked_strategy(strategy: Strategy) -> Strategy:
    if callable(strategy) or strategy in get_args(StrategyWord):
        return strategy
    words = ", ".join(get_args(StrategyWord))
    raise UsageError(f"unknown strategy {strategy!r}: expected one of {words}, or a function")


def _word(choice: Order | Strategy) -> str:
    return choice if isinstance(choice, str) else f"match {name_of(choice)}"


class Way(NamedTuple):
    """How a call finds its recorded one."""

    order: Order
    strategy: Strategy
    group: str
    """The key of its strategy: calls of different keys agree only if they are equal."""


@final
class _Named:
    """The strategies for some calls of a boundary, by the names that messages give them."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.boundary, _, names = key.partition(" ")
        self._patterns = names.split("|")
        self.is_used = False

    def is_for(self, name: str) -> bool:
        """Whether a call with this name is meant."""
        title = name.removeprefix(f"{self.boundary} ")
        found = any(fnmatchcase(title, pattern) for pattern in self._patterns)
        self.is_used = self.is_used or found
        return found


@final
class Orders:
    """How a call finds its recorded one: where it looks, and what must agree."""

    def __init__(
        self,
        order: Order | Mapping[str, Order] | None,
        strategy: Strategy | Mapping[str, Strategy] = "exact",
    ) -> None:
        self._is_chosen = order is not None
        self._orders: _Choice[Order] = _Choice(
            "strand" if order is None else order, "strand", _checked_order
        )
        self._strategies: _Choice[Strategy] = _Choice(strategy, "exact", _checked_strategy)
        self.strategies_in_words = self._strategies.in_words
        """The strategies for a cassette's header; None for the default."""
        self._named = [_Named(key) for key in self._strategies.each if " " in key]
        self._named.reverse()
        self._known: dict[str, Order] = {}
        """The orders of the methods that were asked for: they are asked for with each event."""

    def free(self) -> None:
        """Match calls in any order, unless an order was chosen: the tape does not know theirs."""
        if not self._is_chosen:
            self._orders = _Choice("lanes", "strand", _checked_order)
            self._known.clear()

    def of(self, method: str) -> Order:
        """The order for a method, named as `Boundary.method`."""
        order = self._known.get(method)
        if order is None:
            boundary = method.partition(".")[0]
            order = "lanes" if self._free_strategy(boundary) else self._orders.of(boundary)
            self._known[method] = order
        return order

    def names_calls(self, method: str) -> bool:
        """Whether the way of a call depends on its name."""
        return bool(self._named and self._named_of(method.partition(".")[0]))

    def way(self, method: str, name: str = "") -> Way:
        """How a call finds its recorded one; `name` is its name in messages, if it counts."""
        boundary = method.partition(".")[0]
        named = self._named_of(boundary) if name else ()
        group = next((each.key for each in named if each.is_for(name)), boundary)
        return Way(self.of(method), self._strategies.of(group), group)

    def _named_of(self, boundary: str) -> list[_Named]:
        return [each for each in self._named if each.boundary == boundary]

    def _free_strategy(self, boundary: str) -> Strategy | None:
        """One of the strategies of a boundary that finds calls anywhere; None if none does."""
        keys = (boundary, *(each.key for each in self._named_of(boundary)))
        chosen = (self._strategies.of(key) for key in keys)
        return next((strategy for strategy in chosen if strategy in FREE), None)

    def in_words(self) -> Plain:
        """The orders for a cassette's header; None for the default."""
        return self._orders.in_words()

    def check(self, boundary: Boundary) -> None:
        """Refuse what has no meaning for a boundary."""
        name = boundary.name
        if boundary.direction == "inbound" and (
            name in self._strategies.each or self._named_of(name)
        ):
            raise UsageError(
                f"`strategy` applies to outbound calls, and {name} is inbound\n\n"
                f"hint: to loosen the comparison of its answers, pass rules=[Rule({name!r}, "
                "'$result…', …)]"
            )
        strategy = self._free_strategy(name)
        if strategy is not None and self._orders.of(name) == "total":
            raise UsageError(
                f"{name}: the strategy {strategy!r} matches calls in any order, "
                "which contradicts order='total'"
            )

    def unused(self, known: Collection[str]) -> list[str]:
        """The settings of boundaries that took no part."""
        boundaries: dict[str, Collection[str]] = {
            "order": self._orders.each,
            "strategy": [key.partition(" ")[0] for key in self._strategies.each],
        }
        unknown = [
            f"{word} of {name}  (there is no {name} here{did_you_mean(name, known)})"
            for word, names in boundaries.items()
            for name in dict.fromkeys(names)
            if name not in known
        ]
        not_called = [
            f"strategy of {each.key}  (no such call was made)"
            for each in reversed(self._named)
            if each.boundary in known and not each.is_used
        ]
        return unknown + not_called


def _checked_order(order: Order) -> Order:
    if order not in get_args(Order):
        words = ", ".join(get_args(Order))
        raise UsageError(f"unknown order {order!r}: expected one of {words}")
    return order
