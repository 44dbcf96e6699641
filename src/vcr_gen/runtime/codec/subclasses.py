"""Subclasses of builtin values that add behaviour but no state (`class Headers(dict)`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from vcr_gen.runtime.codec.classes import HINT
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.node import ClassNode, Nodes
from vcr_gen.runtime.codec.plain_kinds import Plain


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
