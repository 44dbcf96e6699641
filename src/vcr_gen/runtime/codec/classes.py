"""Which node stores the values of a class, and the nodes of enums, types and subclasses."""

from __future__ import annotations

import types
from collections.abc import Callable
from enum import Enum, Flag
from typing import Any, Final

from vcr_gen.runtime.codec.dynamic import DynamicNode, ProtocolNode
from vcr_gen.runtime.codec.exceptions import exception_node
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.foreign import attrs_node, msgspec_node
from vcr_gen.runtime.codec.libraries.library_codecs import library_node
from vcr_gen.runtime.codec.lookup import describe
from vcr_gen.runtime.codec.node import EXACT, NO_FIT, ClassNode, DeclaredClass, Node, Nodes
from vcr_gen.runtime.codec.object_state import object_node
from vcr_gen.runtime.codec.pydantic_models import pydantic_node, validation_error_node
from vcr_gen.runtime.codec.records import dataclass_node, namedtuple_node, typeddict_node
from vcr_gen.runtime.codec.standard_types import (
    STANDARD,
    completed_process_node,
    logger_node,
    struct_node,
)
from vcr_gen.runtime.codec.subclasses import subclass_node
from vcr_gen.runtime.codec.tags import NULL, STR
from vcr_gen.runtime.plain import Plain


class EnumNode(ClassNode):
    """A member of an enum, by its name."""

    few = True
    kinds = frozenset({STR})

    def __init__(self, nodes: Nodes, cls: type[Enum], name: str) -> None:
        super().__init__(nodes, cls, name)
        self._members: Final[dict[str, Enum]] = dict(cls.__members__)

    def bare(self, value: object) -> Plain:
        assert isinstance(value, Enum)
        return value.name

    def restore(self, plain: Plain) -> object:
        member = self._members.get(plain) if type(plain) is str else None
        if member is None or member.name != plain:
            raise Fault(f"a member of {self.name}", show(plain))
        return member


class FlagNode(ClassNode):
    """A set of flags: `R|W`, `0` for none, `0x80` for bits without a name."""

    few = True
    kinds = frozenset({STR})

    def __init__(self, nodes: Nodes, cls: type[Flag], name: str) -> None:
        super().__init__(nodes, cls, name)
        self._flags: Final = cls
        self._bits: Final = {
            member.name: member.value
            for member in cls
            if member.name is not None and member.value.bit_count() == 1
        }

    def bare(self, value: object) -> Plain:
        assert isinstance(value, Flag)
        rest: int = value.value
        if rest < 0:
            return hex(rest)
        names: list[str] = []
        for name, bit in self._bits.items():
            if rest & bit:
                names.append(name)
                rest &= ~bit
        if rest:
            names.append(hex(rest))
        return "|".join(names) or "0"

    def restore(self, plain: Plain) -> object:
        if type(plain) is str:
            try:
                bits = 0
                for part in plain.split("|"):
                    bits |= self._bits[part] if part in self._bits else int(part, 16)
                value = self._flags(bits)
            except ValueError:
                pass
            else:
                if type(value) is self._flags and self.bare(value) == plain:
                    return value
        raise Fault(f"flags of {self.name}", show(plain))


class TypeNode(Node):
    """A class below `base`, by its name."""

    kinds = frozenset({STR})

    def __init__(self, nodes: Nodes, base: type, name: str) -> None:
        self.name = name
        self._nodes: Final = nodes
        self._base: Final = base

    def encode(self, value: object) -> Plain:
        if not isinstance(value, type) or not issubclass(value, self._base):
            raise Fault(self.name, show(value))
        name = self._nodes.type_name(value)
        if self._base is object and not self._nodes.may_name(value):
            raise Fault(self.name, f"the class {name}", KNOWN)
        if self._nodes.find_type(name, self._base) is not value:
            raise Fault(self.name, f"a class that cannot be found by its name, {name}")
        return name

    def decode(self, plain: Plain) -> object:
        if type(plain) is not str:
            raise Fault(self.name, show(plain))
        cls = self._nodes.find_type(plain, self._base)
        if self._base is object and not self._nodes.may_name(cls):
            raise Fault(self.name, f"the class {plain}", KNOWN)
        return cls

    def fits(self, value: object) -> int:
        return EXACT if isinstance(value, type) and issubclass(value, self._base) else NO_FIT


class TracebackNode(Node):
    """A traceback: it belongs to one run, so it is stored as null and read as `None`."""

    name = "types.TracebackType"
    kinds = frozenset({NULL})
    discards = True

    def encode(self, value: object) -> Plain:
        if isinstance(value, types.TracebackType) or value is None:
            return None
        raise Fault(self.name, show(value))

    def decode(self, plain: Plain) -> object:
        if plain is None:
            return None
        raise Fault("nothing (a traceback is not recorded)", show(plain))

    def fits(self, value: object) -> int:
        return EXACT if isinstance(value, types.TracebackType) else NO_FIT


KNOWN: Final = "declare type[Base] with a base of the class, or register it with `known`"


def _enum_node(declared: DeclaredClass) -> Node | None:
    cls = declared.cls
    if not issubclass(cls, Enum) or not cls.__members__:
        return None
    if issubclass(cls, Flag):
        return FlagNode(declared.nodes, cls, declared.name)
    return EnumNode(declared.nodes, cls, declared.name)


def _metaclass_node(declared: DeclaredClass) -> Node | None:
    is_metaclass = issubclass(declared.cls, type)
    return TypeNode(declared.nodes, object, declared.name) if is_metaclass else None


def _traceback_node(declared: DeclaredClass) -> Node | None:
    return TracebackNode() if issubclass(declared.cls, types.TracebackType) else None


def _protocol_node(declared: DeclaredClass) -> Node | None:
    is_protocol = getattr(declared.cls, "_is_protocol", False)
    return ProtocolNode(declared.nodes, declared.cls, declared.name) if is_protocol else None


CLASS_KINDS: Final[tuple[Callable[[DeclaredClass], Node | None], ...]] = (
    _metaclass_node,
    _traceback_node,
    _enum_node,
    struct_node,
    completed_process_node,
    logger_node,
    typeddict_node,
    validation_error_node,
    exception_node,
    dataclass_node,
    namedtuple_node,
    attrs_node,
    msgspec_node,
    pydantic_node,
    library_node,
    subclass_node,
    _protocol_node,
    object_node,
)
"""The kinds of classes whose values can be stored; each gives None for other classes.

The first one that knows a class stores its values.
"""


def class_node(nodes: Nodes, cls: type[Any], args: tuple[Any, ...]) -> Node:
    """The node of a class, given its type arguments."""
    name = describe(types.GenericAlias(cls, args) if args else cls, nodes.type_name)
    if cls in STANDARD:
        return STANDARD[cls](nodes, cls, name, args)
    declared = DeclaredClass(nodes, cls, name, args)
    found = (node for kind in CLASS_KINDS if (node := kind(declared)) is not None)
    return next(found, None) or DynamicNode(nodes, cls, name)
