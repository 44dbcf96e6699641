"""Objects of ordinary classes: stored by their attributes, rebuilt without running their code."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Iterable, Mapping
from functools import cached_property
from struct import calcsize
from typing import Any, ClassVar, Final

from vcr_gen.field_path_syntax import Step
from vcr_gen.known_types import LIVE_METHODS, LIVE_MODULES
from vcr_gen.runtime.codec.annotations import Unresolved, rewrite
from vcr_gen.runtime.codec.fault import Fault, show, step_to
from vcr_gen.runtime.codec.marked_places import reachable
from vcr_gen.runtime.codec.node import ClassNode, DeclaredClass, Node, Nodes, Wrapper
from vcr_gen.runtime.codec.object_identity import (
    decode_object,
    encode_attempt,
    encode_object,
    replace_in_object,
)
from vcr_gen.runtime.codec.records import Field, qualifiers, record_field
from vcr_gen.runtime.codec.tags import DICT, ID, NULL, SAME, kind_of
from vcr_gen.runtime.plain import Plain

_POINTER: Final = calcsize("P")
_OTHER: Final = "$other"
"""The key of a value that is not of the type of its attribute."""
_OF_TYPING: Final = "__orig_class__"
"""An attribute that `typing` sets on the objects of generic classes, if it can."""


_RESERVED: Final = frozenset(dir(object)) - {"__doc__"}


class AttributeNode(Wrapper):
    """The value of an attribute: by its annotation, or as `{$other: …}`.

    Nothing checks the annotations of an ordinary class: many an attribute is `None` at first.
    """

    def __init__(self, nodes: Nodes, inner: Node) -> None:
        super().__init__(inner)
        self._anything: Final = nodes.node(object)

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return (*super().parts(), ((), self._anything))

    def encode(self, value: object) -> Plain:
        if value is None and self._may_be_none:
            return None
        try:
            return encode_attempt(self.inner.encode, value)
        except Fault as fault:
            if fault.hint or self._may_be_secret:  # a hint says what to do about the value
                raise
        return {_OTHER: self._anything.encode(value)}

    def decode(self, plain: Plain) -> object:
        if plain is None and self._may_be_none:
            return None
        node, payload = self._node_of(plain)
        return node.decode(payload)

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        node, payload = self._node_of(plain)
        return node.opened(payload)

    def _node_of(self, plain: Plain) -> tuple[Node, Plain]:
        if type(plain) is dict and kind_of(plain) == _OTHER:
            return self._anything, plain[_OTHER]
        return self.inner, plain

    @cached_property
    def _may_be_none(self) -> bool:
        """Whether null means nothing else."""
        return NULL not in self.inner.kinds

    @cached_property
    def _may_be_secret(self) -> bool:
        return any(each.hides for each in reachable(self.inner))


class Attributes:
    """The attributes of the objects of a class, each stored by its annotation if it has one."""

    def __init__(self, declared: DeclaredClass) -> None:
        self._cls: Final = declared.cls
        self._name: Final = declared.name
        self._slots: Final = _slots_of(declared.cls)
        fields = _fields_of(declared.annotations)
        nodes = declared.nodes
        self.annotated: Final = {
            each.name: AttributeNode(nodes, nodes.node(_as_known(each.annotation)))
            for each in fields
        }
        self._unrecorded: Final = frozenset(each.name for each in fields if each.unrecorded)
        self._left_out: Final = _computed_attributes(declared.cls) | self._unrecorded | {_OF_TYPING}
        self._refused: Final = _RESERVED | self._left_out
        self._anything: Final = nodes.node(object)

    def node_of(self, name: str) -> Node:
        """The node that stores an attribute."""
        return self.annotated.get(name, self._anything)

    def _held_by(self, value: object) -> dict[str, object]:
        """The attributes that are set."""
        found: dict[str, object] = {}
        for name, slot in self._slots.items():
            try:
                found[name] = slot.__get__(value)
            except AttributeError:
                continue
        if self._cls.__dictoffset__:
            found.update(_dict_of(value))
        return found

    def replace(self, value: object, copy: object) -> bool:
        """Give a copy the attributes of an object, with live parts replaced; tells if one is."""
        is_new = False
        for name, item in self._held_by(value).items():
            after = self.node_of(name).replace(item)
            is_new = is_new or after is not item
            if copy is not value:
                self._set(copy, name, after)
        return is_new

    def encode(self, value: object) -> dict[str, Plain]:
        """The plain of each attribute that is recorded."""
        out: dict[str, Plain] = {}
        name = ""
        try:
            for name, item in self._held_by(value).items():
                if name not in self._left_out:
                    self._check_name(name)
                    out[name] = self.node_of(name).encode(item)
        except Fault as fault:
            fault.within(step_to(name))
            raise
        return out

    def fill(self, made: object, attributes: dict[str, Plain]) -> None:
        """Give a new object its attributes."""
        for name in self._unrecorded:
            if not hasattr(self._cls, name):
                self._set(made, name, None)
        name = ""
        try:
            for name, plain in attributes.items():
                self._check_name(name)
                self._set(made, name, self.node_of(name).decode(plain))
        except Fault as fault:
            fault.within(step_to(name))
            raise

    def _check_name(self, name: object) -> None:
        if type(name) is not str or name[:1] == "$" or name in self._refused:
            raise Fault(f"the name of an attribute of {self._name}", show(name))

    def _set(self, made: object, name: str, value: object) -> None:
        """Set an attribute where it is kept: no `__setattr__` and no property of the class runs."""
        if name in self._slots:
            self._slots[name].__set__(made, value)
        elif self._cls.__dictoffset__:
            _dict_of(made)[name] = value
        else:
            raise Fault(f"an attribute of {self._name}", f"the unknown attribute {show(name)}")


class ObjectNode(ClassNode):
    """Objects of an ordinary class: their attributes."""

    kinds = frozenset({DICT, ID, SAME})
    merges = True
    holds_objects = True

    def __init__(self, declared: DeclaredClass) -> None:
        super().__init__(declared.nodes, declared.cls, declared.name)
        self._attributes: Final = Attributes(declared)
        self._stored: Final = declared.nodes.by_attributes

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return [((name,), node) for name, node in self._attributes.annotated.items()]

    def part(self, key: str | int) -> Node | None:
        return self._attributes.node_of(str(key))

    def bare(self, value: object) -> Plain:
        self._stored[self.cls] += 1
        return encode_object(value, self._attributes.encode)

    def restore(self, plain: Plain) -> object:
        if type(plain) is not dict:
            raise Fault(self.name, show(plain))
        found = decode_object(plain, lambda: _blank(self.cls), self._attributes.fill)
        if type(found) is not self.cls:
            raise Fault(self.name, f"a reference to an object of {show(found)}")
        return found

    def replace_bare(self, value: object) -> object:
        return replace_in_object(value, lambda: _blank(self.cls), self._attributes.replace)


def object_node(declared: DeclaredClass) -> Node | None:
    """The node of an ordinary class, if its attributes are the whole state of its objects."""
    if not declared.nodes.stores_objects or not _is_state_alone(declared.cls):
        return None
    return ObjectNode(declared)


def _is_state_alone(cls: type[Any]) -> bool:
    """Whether a copy of the attributes is as good as the object, as far as the class tells."""
    if inspect.isabstract(cls) or cls.__module__.partition(".")[0] in LIVE_MODULES:
        return False
    if any(hasattr(cls, name) for name in LIVE_METHODS):
        return False
    pointers = len(_slots_of(cls)) + (cls.__dictoffset__ > 0) + (cls.__weakrefoffset__ > 0)
    if cls.__basicsize__ > object.__basicsize__ + pointers * _POINTER:
        return False  # more than attributes: a class written in C
    try:
        _blank(cls)
    except TypeError:
        return False
    return cls is not object


def _blank(cls: type[Any]) -> object:
    """An object on which no code of its class has run."""
    return object.__new__(cls)


def _dict_of(value: object) -> dict[str, object]:
    """The dict of an object, past a `__getattribute__` of its class."""
    found: dict[str, object] = object.__getattribute__(value, "__dict__")
    return found


def _slots_of(cls: type) -> dict[str, types.MemberDescriptorType]:
    """Where the objects of a class keep the attributes that are in no dict."""
    return {
        name: slot
        for base in reversed(cls.__mro__)
        if "__slots__" in vars(base)  # otherwise members of a class written in C
        for name, slot in vars(base).items()
        if isinstance(slot, types.MemberDescriptorType) and not name.startswith("__")
    }


def _computed_attributes(cls: type) -> frozenset[str]:
    return frozenset(
        name
        for base in cls.__mro__
        for name, each in vars(base).items()
        if isinstance(each, functools.cached_property)
    )


def _as_known(annotation: object) -> object:
    """The type of an attribute; a name that only type checkers know stands for any type."""
    return rewrite(annotation, lambda part: object if part is Unresolved else part)


def _fields_of(annotations: Mapping[str, object]) -> list[Field]:
    return [
        record_field(name, annotation)
        for name, annotation in annotations.items()
        if ClassVar not in qualifiers(annotation) and annotation is not ClassVar
    ]
