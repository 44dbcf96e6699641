"""Types that are known only when a value arrives: `Any`, base classes, and recursive types."""

from __future__ import annotations

from typing import Final

from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.node import DYNAMIC, NO_FIT, ClassNode, Node, Wrapper
from vcr_gen.runtime.codec.scalars import BIG_INT, ESCAPED, ODD_FLOAT
from vcr_gen.runtime.codec.tags import KINDS, TYPE, kind_of
from vcr_gen.runtime.plain import Plain


class Recursive(Wrapper):
    """The way back into a recursive type; it has no inner node before the type is compiled."""

    def __init__(self, name: str) -> None:
        self.name = name

    def settle(self, target: Node) -> None:
        """Lead to the recursive type, now that it is compiled."""
        super().__init__(target)
        self.merges, self.discards, self.hides = target.merges, target.discards, target.hides

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        return self.inner.opened(plain)


_NATIVE: Final = frozenset({type(None), bool, int, float, str, list, dict})
_SPECIAL: Final[dict[str, type]] = {BIG_INT: int, ODD_FLOAT: float, ESCAPED: str}


class DynamicNode(ClassNode):
    """Any value below a base class: stored by its own type, tagged unless the plain tells it."""

    kinds = KINDS | {BIG_INT, ODD_FLOAT, ESCAPED, "$items"}

    def encode(self, value: object) -> Plain:
        cls = type(value)
        if cls in _NATIVE and issubclass(cls, self.cls):
            return self.nodes.of_value(cls).encode(value)
        return self.encode_tagged(value)

    def restore(self, plain: Plain) -> object:
        return self._native_node(plain).decode(plain)

    def fits(self, value: object) -> int:
        return DYNAMIC if isinstance(value, self.cls) else NO_FIT

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        if type(plain) is dict and TYPE in plain:
            return super().opened(plain)
        return self._native_node(plain), plain

    def replace(self, value: object) -> object:
        try:
            return self.nodes.of_value(type(value)).replace(value)
        except Fault:
            return value

    def _native_node(self, plain: Plain) -> Node:
        cls = _SPECIAL.get(kind_of(plain), type(plain))
        if not issubclass(cls, self.cls):
            raise Fault(self.name, cls.__name__)
        return self.nodes.of_value(cls)


class ProtocolNode(DynamicNode):
    """A Protocol that is not a boundary: its objects are data, or should have been marked."""

    def encode(self, value: object) -> Plain:
        try:
            return super().encode(value)
        except Fault as fault:
            if fault.path != "$" or not fault.hint:
                raise
            mark = f"{self.name} is a Protocol: mark it with @outbound or @inbound and run vcr-gen"
            hint = f"{mark} to record its objects as handles; or {fault.hint}"
            raise Fault(fault.expected, fault.got, hint) from None
