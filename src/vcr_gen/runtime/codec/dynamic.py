"""`Any` and `object`: stored by the value's own type, with a tag unless the plain says it all."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import ClassVar, Final

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Difference
from vcr_gen.runtime.codec.node import DYNAMIC, NO_FIT, Node, Nodes, StandIns, compare_tagged
from vcr_gen.runtime.codec.plain_kinds import KINDS, TYPE, Fault, Plain, kind_of
from vcr_gen.runtime.codec.scalars import BIG_INT, ESCAPED, ODD_FLOAT

MAX_DEPTH: Final = 150
"""How deep values may be nested in themselves; a cycle is noticed when it gets there."""


class Depth(threading.local):
    """How deep the current thread is in recursive values.

    Counted in place, not by methods: at the end of the stack a call could fail on the way back.
    """

    level: int = 0


def too_deep() -> Fault:
    """The fault of a value nested too deep."""
    return Fault(f"at most {MAX_DEPTH} levels of nesting", "more, or a value that contains itself")


class Guarded(Node):
    """The way back into a recursive type: the only place where nesting can go on for ever."""

    def __init__(self, name: str, depth: Depth) -> None:
        self.name = name
        self.kinds = frozenset()
        self._depth: Final = depth
        self._target: Node | None = None

    def settle(self, target: Node) -> None:
        """Lead to the recursive type, now that it is compiled."""
        self._target = target
        self.name, self.kinds, self.natural = target.name, target.kinds, target.natural
        self.merges, self.discards = target.merges, target.discards
        self.hides = target.hides

    @property
    def target(self) -> Node:
        """The recursive type."""
        if self._target is None:
            raise Fault(f"a type that {self.name} leads to", "itself and nothing else")
        return self._target

    def kinds_made(self) -> frozenset[str]:
        """What the recursive type makes."""
        return self.target.kinds_made()

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The recursive type."""
        return (((), self.target),)

    def encode(self, value: object) -> Plain:
        """One level down."""
        depth = self._depth
        if depth.level >= MAX_DEPTH:
            raise too_deep()
        depth.level += 1
        try:
            return self.target.encode(value)
        finally:
            depth.level -= 1

    def decode(self, plain: Plain) -> object:
        """One level down."""
        depth = self._depth
        if depth.level >= MAX_DEPTH:
            raise too_deep()
        depth.level += 1
        try:
            return self.target.decode(plain)
        finally:
            depth.level -= 1

    def fits(self, value: object) -> int:
        """What fits the recursive type."""
        return self.target.fits(value)

    def compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """As the recursive type; the depth of the plains is known by now."""
        return self.target.compare(recorded, actual)

    def replace(self, value: object) -> object:
        """One level down."""
        depth = self._depth
        if depth.level >= MAX_DEPTH:
            raise too_deep()
        depth.level += 1
        try:
            return self.target.replace(value)
        finally:
            depth.level -= 1


_SCALARS: Final = frozenset({type(None), bool, int, float, str})
_NATIVE: Final = frozenset({*_SCALARS, list, dict})


class DynamicNode(Node):
    """Any value the codec knows, or any below a base class that has no fields of its own."""

    is_open: ClassVar[bool] = True
    kinds = KINDS | {BIG_INT, ODD_FLOAT, ESCAPED, "$items"}

    def __init__(self, nodes: Nodes, base: type, name: str, depth: Depth) -> None:
        self.name = name
        self._nodes: Final = nodes
        self._base: Final = base
        self._depth: Final = depth
        self._others: Final = StandIns(nodes, name, base)

    def encode(self, value: object) -> Plain:
        """The plain of a value, with a tag unless it is of a plain kind itself."""
        cls = type(value)
        if cls in _SCALARS and issubclass(cls, self._base):
            return self._nodes.of_value(cls).encode(value)
        depth = self._depth
        if depth.level >= MAX_DEPTH:
            raise too_deep()
        depth.level += 1
        try:
            if cls in _NATIVE and issubclass(cls, self._base):
                return self._nodes.of_value(cls).encode(value)
            return self._others.encode(value)
        finally:
            depth.level -= 1

    def decode(self, plain: Plain) -> object:
        """The value of a plain, by its tag or by its kind."""
        if type(plain) is dict or type(plain) is list:
            depth = self._depth
            if depth.level >= MAX_DEPTH:
                raise too_deep()
            depth.level += 1
            try:
                if type(plain) is dict and TYPE in plain:
                    return self._others.decode(plain)
                return self._native_node(plain).decode(plain)
            finally:
                depth.level -= 1
        return self._native_node(plain).decode(plain)

    def fits(self, value: object) -> int:
        """Anything below the base."""
        return DYNAMIC if isinstance(value, self._base) else NO_FIT

    def compare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """By the node that both lead to."""
        return compare_tagged(self._others, self._compare_native, recorded, actual)

    def replace(self, value: object) -> object:
        """The result of the node of the value's own type."""
        if type(value) in _SCALARS:
            return value
        try:
            return self._nodes.of_value(type(value)).replace(value)
        except Fault:
            return value

    def _compare_native(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        return self._native_node(recorded).compare(recorded, actual)

    def _native_node(self, plain: Plain) -> Node:
        cls = _SPECIAL.get(kind_of(plain), type(plain))
        if not issubclass(cls, self._base):
            raise Fault(self.name, cls.__name__)
        return self._nodes.of_value(cls)


class ProtocolNode(DynamicNode):
    """A Protocol that is no boundary: its objects are data, or should have been marked."""

    def __init__(self, nodes: Nodes, name: str, depth: Depth) -> None:
        super().__init__(nodes, object, name, depth)

    def encode(self, value: object) -> Plain:
        """Any data; for another object, an error that suggests a boundary."""
        try:
            return super().encode(value)
        except Fault as fault:
            if fault.path != "$" or not fault.hint:
                raise
            mark = f"{self.name} is a Protocol: mark it with @outbound or @inbound and run vcr-gen"
            hint = f"{mark} to record its objects as handles; or {fault.hint}"
            raise Fault(fault.expected, fault.got, hint) from None


_SPECIAL: Final[dict[str, type]] = {BIG_INT: int, ODD_FLOAT: float, ESCAPED: str}
