"""Types that are known only when a value arrives: `Any`, base classes, and recursive types."""

from __future__ import annotations

from functools import cached_property
from math import isfinite
from types import FunctionType
from typing import Final, cast

from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.mappings import MappingNode
from vcr_gen.runtime.codec.node import DYNAMIC, NO_FIT, ClassNode, Node, Nodes, Wrapper
from vcr_gen.runtime.codec.object_state import ObjectNode
from vcr_gen.runtime.codec.registry import HINT, REGISTER
from vcr_gen.runtime.codec.scalars import (
    BIG_INT,
    ESCAPED,
    ODD_FLOAT,
    ConstantNode,
    FloatNode,
    IntNode,
    StrNode,
)
from vcr_gen.runtime.codec.sequences import ItemsNode
from vcr_gen.runtime.codec.tags import KINDS, TYPE, kind_of
from vcr_gen.runtime.plain import INT_MAX, INT_MIN, Plain, is_plain_text


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


_NATIVE: Final[dict[type, type[Node]]] = {
    type(None): ConstantNode,
    bool: ConstantNode,
    int: IntNode,
    float: FloatNode,
    str: StrNode,
    list: ItemsNode,
    dict: MappingNode,
}
"""The types whose values a plain tells without a tag, and how they are stored."""
_SPECIAL: Final[dict[str, type]] = {BIG_INT: int, ODD_FLOAT: float, ESCAPED: str}


class DynamicNode(ClassNode):
    """Any value below a base class: stored by its own type, with a tag unless the form shows it."""

    kinds = KINDS | {BIG_INT, ODD_FLOAT, ESCAPED, "$items"}
    holds_objects = True

    def encode(self, value: object) -> Plain:
        if self._is_usual:
            if type(value) is str and value.isascii():
                return value
            copied = _copied(value)
            if copied is not _OTHER:
                return cast("Plain", copied)
        cls = type(value)
        if cls in _NATIVE and issubclass(cls, self.cls):
            return self.nodes.of_value(cls).encode(value)
        return self.encode_tagged(value)

    def decode(self, plain: Plain) -> object:
        if self._is_usual:
            if type(plain) is str and plain.isascii():
                return plain
            copied = _copied(plain)
            if copied is not _OTHER:
                return copied
        return super().decode(plain)

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

    @cached_property
    def _is_usual(self) -> bool:
        """Whether values may be of any type, and no native one has a codec of the user's."""
        return self.cls is object and all(
            type(self.nodes.of_value(cls)) is node for cls, node in _NATIVE.items()
        )

    def _native_node(self, plain: Plain) -> Node:
        cls = _SPECIAL.get(kind_of(plain), type(plain))
        if not issubclass(cls, self.cls):
            raise Fault(self.name, cls.__name__)
        return self.nodes.of_value(cls)


_OTHER: Final = object()


def _copied(value: object) -> object:
    """A copy of data that is stored as it is, in one quick walk; `_OTHER` for anything else."""
    cls = type(value)
    if cls is dict:
        entries: dict[object, object] = {}
        for key, item in cast("dict[object, object]", value).items():
            if type(key) is not str or key[:1] == "$":
                return _OTHER
            if not key.isascii() and not is_plain_text(key):
                return _OTHER
            if type(item) is not str or not item.isascii():
                item = _copied(item)  # noqa: PLW2901
                if item is _OTHER:
                    return _OTHER
            entries[key] = item
        return entries
    if cls is list:
        items: list[object] = []
        for item in cast("list[object]", value):
            if type(item) is not str or not item.isascii():
                item = _copied(item)  # noqa: PLW2901
                if item is _OTHER:
                    return _OTHER
            items.append(item)
        return items
    if type(value) is int:
        is_plain = INT_MIN <= value <= INT_MAX
    elif type(value) is float:
        is_plain = isfinite(value)
    elif type(value) is str:
        is_plain = is_plain_text(value)
    else:
        is_plain = value is None or value is True or value is False
    return value if is_plain else _OTHER


class UnresolvedNode(DynamicNode):
    """A type whose name has no meaning here: its objects may be meant to be handles."""

    def encode(self, value: object) -> Plain:
        if is_ordinary(self.nodes, value):
            raise Fault("", f"a value of type {self.nodes.type_name(type(value))}", HINT)
        return super().encode(value)


class ProtocolNode(DynamicNode):
    """A Protocol that is not a boundary: its objects are data, or should have been marked."""

    def __init__(self, nodes: Nodes, protocol: type, name: str) -> None:
        super().__init__(nodes, object, name)
        self._protocol: Final = protocol

    def encode(self, value: object) -> Plain:
        if self._has_methods and is_ordinary(self.nodes, value):
            raise Fault("", f"a value of type {self.nodes.type_name(type(value))}", self._hint)
        try:
            return super().encode(value)
        except Fault as fault:
            if fault.path != "$" or not fault.hint:
                raise
            raise Fault(fault.expected, fault.got, self._hint) from None

    @property
    def _hint(self) -> str:
        mark = f"{self.name} is a Protocol: mark it with @outbound or @inbound and run vcr-gen"
        return f"{mark} to record its objects as handles; or register a codec: {REGISTER}"

    @cached_property
    def _has_methods(self) -> bool:
        """Whether its objects do something; otherwise the Protocol only describes data."""
        declared = [base for base in self._protocol.__mro__ if getattr(base, "_is_protocol", False)]
        members = [each for base in declared for each in vars(base).items()]
        return any(isinstance(each, FunctionType) and not _is_made(name) for name, each in members)


def _is_made(name: str) -> bool:
    """Whether `typing` itself gives a Protocol a method of this name."""
    return name in ("__init__", "__subclasshook__", "__init_subclass__", "__class_getitem__")


def is_ordinary(nodes: Nodes, value: object) -> bool:
    """Whether nothing but its attributes says how to store a value."""
    try:
        return isinstance(nodes.of_value(type(value)), ObjectNode)
    except Fault:
        return False
