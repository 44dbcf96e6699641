"""Classes as values (`type[T]`), subclasses of builtin values, and unsupported annotations."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import DYNAMIC, EXACT, NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import NULL, STR, Plain


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
HINT: Final = (
    "register a codec for the type: registry.register(Class, encode, decode) and "
    "Cassette(…, codecs=registry); or mark it: Annotated[Class, Codec(encode, decode)]"
)


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
