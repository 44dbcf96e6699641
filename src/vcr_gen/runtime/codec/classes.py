"""Which node stores the values of a class, and the nodes of enums, types and subclasses."""

from __future__ import annotations

import dataclasses
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, Flag
from typing import Any, ClassVar, Final

from vcr_gen.runtime.codec.builtin_structs import piecewise
from vcr_gen.runtime.codec.dynamic import Depth, DynamicNode, ProtocolNode
from vcr_gen.runtime.codec.exceptions import ExceptionNode
from vcr_gen.runtime.codec.foreign import foreign_node
from vcr_gen.runtime.codec.lookup import describe
from vcr_gen.runtime.codec.node import DYNAMIC, EXACT, NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import NULL, STR, Fault, Plain, show
from vcr_gen.runtime.codec.pydantic_models import pydantic_node, validation_error_node
from vcr_gen.runtime.codec.records import (
    RecordNode,
    dataclass_shape,
    namedtuple_shape,
    typeddict_shape,
)
from vcr_gen.runtime.codec.registry import HINT
from vcr_gen.runtime.codec.resolve_annotations import class_annotations
from vcr_gen.runtime.codec.rewrite import strip_qualifiers
from vcr_gen.runtime.codec.standard_types import CONTAINERS, LEAVES


class EnumNode(ClassNode):
    """A member of an enum, by its name."""

    few = True
    kinds = frozenset({STR})
    is_open: ClassVar[bool] = False

    def __init__(self, nodes: Nodes, cls: type[Enum], name: str) -> None:
        super().__init__(nodes, cls, name)
        self._members: Final[dict[str, Enum]] = dict(cls.__members__)

    def bare(self, value: object) -> Plain:
        """The member's name."""
        assert isinstance(value, Enum)
        return value.name

    def restore(self, plain: Plain) -> object:
        """The member of that name."""
        member = self._members.get(plain) if type(plain) is str else None
        if member is None or member.name != plain:
            raise Fault(f"a member of {self.name}", show(plain))
        return member


class FlagNode(ClassNode):
    """A set of flags: `R|W`, `0` for none, `0x80` for bits without a name."""

    few = True
    kinds = frozenset({STR})
    is_open: ClassVar[bool] = False

    def __init__(self, nodes: Nodes, cls: type[Flag], name: str) -> None:
        super().__init__(nodes, cls, name)
        self._flags: Final = cls
        self._bits: Final = {
            member.name: member.value
            for member in cls
            if member.name is not None and member.value.bit_count() == 1
        }

    def bare(self, value: object) -> Plain:
        """The names of the flags that are set."""
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
        """The flags of these names."""
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
        """The name of the class, if it leads back to it."""
        if not isinstance(value, type) or not issubclass(value, self._base):
            raise Fault(self.name, show(value))
        name = self._nodes.type_name(value)
        if self._base is object and not self._nodes.may_name(value):
            raise Fault(self.name, f"the class {name}", KNOWN)
        if self._nodes.find_type(name, self._base) is not value:
            raise Fault(self.name, f"a class that cannot be found by its name, {name}")
        return name

    def decode(self, plain: Plain) -> object:
        """The class of that name."""
        if type(plain) is not str:
            raise Fault(self.name, show(plain))
        cls = self._nodes.find_type(plain, self._base)
        if self._base is object and not self._nodes.may_name(cls):
            raise Fault(self.name, f"the class {plain}", KNOWN)
        return cls

    def fits(self, value: object) -> int:
        """A class below the base."""
        return EXACT if isinstance(value, type) and issubclass(value, self._base) else NO_FIT


class TracebackNode(Node):
    """A traceback: it belongs to one run, so it is stored as null and read as `None`."""

    name = "types.TracebackType"
    kinds = frozenset({NULL})
    discards = True

    def encode(self, value: object) -> Plain:
        """Null."""
        if isinstance(value, types.TracebackType) or value is None:
            return None
        raise Fault(self.name, show(value))

    def decode(self, plain: Plain) -> object:
        """`None`."""
        if plain is None:
            return None
        raise Fault("nothing (a traceback is not recorded)", show(plain))

    def fits(self, value: object) -> int:
        """A traceback."""
        return EXACT if isinstance(value, types.TracebackType) else NO_FIT


class UnsupportedNode(Node):
    """An annotation whose values cannot be stored; says so when one arrives."""

    kinds = frozenset[str]()

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self._why: Final = why

    def encode(self, value: object) -> Plain:
        """Refused."""
        raise Fault(f"a value that can be stored ({self.name}: {self._why})", show(value), HINT)

    def decode(self, plain: Plain) -> object:
        """Refused."""
        raise Fault(f"a value that can be stored ({self.name}: {self._why})", show(plain), HINT)

    def fits(self, value: object) -> int:
        """As a last resort, to give the reason."""
        del value
        return DYNAMIC * 10


KNOWN: Final = "declare type[Base] with a base of the class, or register it with `known`"


@dataclass(frozen=True, slots=True)
class Builtin:
    """How to go between a builtin and a subclass of it without running the subclass's code."""

    base: type
    to_base: Callable[[Any], object]
    from_base: Callable[[type[Any], Any], object]


def _list_of(cls: type[list[object]], items: list[object]) -> object:
    made = list.__new__(cls)
    list.extend(made, items)
    return made


def _dict_of(cls: type[dict[object, object]], entries: dict[object, object]) -> object:
    made = dict.__new__(cls)
    dict.update(made, entries)
    return made


def _set_of(cls: type[set[object]], items: set[object]) -> object:
    made = set.__new__(cls)
    set.update(made, items)
    return made


BUILTINS: Final = (
    Builtin(str, str.__str__, str.__new__),
    Builtin(int, int.__int__, int.__new__),
    Builtin(float, float.__float__, float.__new__),
    Builtin(bytes, lambda value: bytes.__getitem__(value, slice(None)), bytes.__new__),
    Builtin(tuple, lambda value: tuple.__getitem__(value, slice(None)), tuple.__new__),
    Builtin(frozenset, lambda value: frozenset(frozenset.__iter__(value)), frozenset.__new__),
    Builtin(list, lambda value: list.__getitem__(value, slice(None)), _list_of),
    Builtin(dict, dict.copy, _dict_of),
    Builtin(set, lambda value: set(set.__iter__(value)), _set_of),
)


def builtin_of(cls: type) -> Builtin | None:
    """The builtin a class extends."""
    return next((each for each in BUILTINS if issubclass(cls, each.base)), None)


class SubclassNode(ClassNode):
    """Stores values of a subclass as the builtin they extend."""

    def __init__(self, nodes: Nodes, cls: type, name: str, builtin: Builtin) -> None:
        super().__init__(nodes, cls, name)
        self._builtin: Final = builtin
        self._inner: Final = nodes.node(builtin.base)
        self.kinds = self._inner.kinds

    def bare(self, value: object) -> Plain:
        """The plain of the builtin value."""
        if getattr(value, "__dict__", None) or _has_slots(self.cls):
            raise Fault("", f"a value of type {self.name} with attributes", HINT)
        return self._inner.encode(self._builtin.to_base(value))

    def restore(self, plain: Plain) -> object:
        """The value of the subclass."""
        return self._builtin.from_base(self.cls, self._inner.decode(plain))


def _has_slots(cls: type) -> bool:
    return any(vars(base).get("__slots__") for base in cls.__mro__)


@dataclass(frozen=True, slots=True)
class ClassNodes:
    """Makes the nodes of classes."""

    nodes: Nodes
    depth: Depth
    names: Mapping[str, Any]
    """What names in annotations stand for when their own module does not know them."""

    def make(self, cls: type, args: tuple[Any, ...]) -> Node:
        """The node of a class, given its type arguments."""
        name = self._name(cls, args)
        if cls in LEAVES:
            return LEAVES[cls](self.nodes)
        if cls in CONTAINERS:
            return CONTAINERS[cls](self.nodes, cls, name, args)
        if issubclass(cls, type):
            return TypeNode(self.nodes, object, name)
        if issubclass(cls, types.TracebackType):
            return TracebackNode()
        return self._of_user(cls, args, name)

    def _of_user(self, cls: type[Any], args: tuple[Any, ...], name: str) -> Node:
        if _is_typed_dict(cls):
            annotations = self._annotations(cls, args)
            if any(key.startswith("$") for key in annotations):
                return UnsupportedNode(name, "a key of it starts with $")
            return RecordNode(self.nodes, dict, name, typeddict_shape(cls, annotations))
        if issubclass(cls, Enum) and cls.__members__:
            if issubclass(cls, Flag):
                return FlagNode(self.nodes, cls, name)
            return EnumNode(self.nodes, cls, name)
        if issubclass(cls, BaseException):
            return self._of_exception(cls, args, name)
        piece = piecewise(cls)
        if piece is not None:
            return piece(self.nodes, cls, name, args)
        if dataclasses.is_dataclass(cls) and not inspect.isabstract(cls):
            shape = dataclass_shape(cls, self._annotations(cls, args))
            return RecordNode(self.nodes, cls, name, shape)
        if issubclass(cls, tuple) and hasattr(cls, "_fields"):
            shape = namedtuple_shape(cls, self._annotations(cls, args))
            return RecordNode(self.nodes, cls, name, shape)
        foreign = self._of_package(cls, args, name)
        if foreign is not None:
            return foreign
        builtin = builtin_of(cls)
        if builtin is not None:
            return SubclassNode(self.nodes, cls, name, builtin)
        if getattr(cls, "_is_protocol", False):
            return ProtocolNode(self.nodes, name, self.depth)
        return DynamicNode(self.nodes, cls, name, self.depth)

    def _of_exception(self, cls: type[BaseException], args: tuple[Any, ...], name: str) -> Node:
        annotations = {
            attribute: strip_qualifiers(annotation)
            for attribute, annotation in self._annotations(cls, args).items()
        }
        return validation_error_node(self.nodes, cls, name) or ExceptionNode(
            self.nodes, cls, name, annotations
        )

    def _of_package(self, cls: type[Any], args: tuple[Any, ...], name: str) -> Node | None:
        if cls.__module__ == "builtins":
            return None
        annotations = self._annotations(cls, args)
        return foreign_node(self.nodes, cls, name, annotations) or pydantic_node(
            self.nodes, cls, name, annotations, self.depth
        )

    def _annotations(self, cls: type, args: tuple[Any, ...]) -> dict[str, object]:
        return class_annotations(cls, args, self.names)

    def _name(self, cls: type, args: tuple[Any, ...]) -> str:
        if not args:
            return self.nodes.type_name(cls)
        return describe(types.GenericAlias(cls, args), self.nodes.type_name)


def _is_typed_dict(cls: type[Any]) -> bool:
    # By its looks: the one of typing_extensions is not the one of typing.
    return issubclass(cls, dict) and hasattr(cls, "__total__") and hasattr(cls, "__required_keys__")
