"""Records: values with named fields, stored as a dict of them."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
import operator
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NotRequired, Required, get_args, get_origin

from vcr_gen.field_path_syntax import Step
from vcr_gen.runtime.codec.annotations import strip_qualifiers
from vcr_gen.runtime.codec.fault import Fault, show, step_to
from vcr_gen.runtime.codec.markers import is_unrecorded
from vcr_gen.runtime.codec.node import (
    EXACT,
    NO_FIT,
    ClassNode,
    DeclaredClass,
    Node,
    Nodes,
    UnsupportedNode,
)
from vcr_gen.runtime.codec.tags import DICT
from vcr_gen.runtime.plain import Plain


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record."""

    name: str
    annotation: object
    required: bool = True
    """Whether a value without it is refused; otherwise it is stored only when it is there."""
    unrecorded: bool = False
    """Never stored; `default` provides the value when it is read."""
    default: Callable[[], object] | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """How a class of records is taken apart and put together."""

    fields: tuple[Field, ...]
    build: Callable[[dict[str, object]], object]
    read: Callable[[Any, str], object] = getattr
    """Raises AttributeError or KeyError when the field is not set."""
    rebuild: Callable[[Any, dict[str, object]], object] | None = None
    """A copy of a value with some fields replaced; for live parts."""
    names: Callable[[Any], Iterable[str]] | None = None
    """The names in a value that may have additional fields; these are refused."""


class RecordNode(ClassNode):
    """Values with the fields of a shape."""

    kinds = frozenset({DICT})
    merges = True

    def __init__(self, nodes: Nodes, cls: type, name: str, shape: Shape) -> None:
        super().__init__(nodes, cls, name)
        self._shape: Final = shape
        self._fields: Final = {field.name: nodes.node(field.annotation) for field in shape.fields}
        self._unrecorded: Final = [field for field in shape.fields if field.unrecorded]
        self._recorded: Final = [
            (field.name, self._fields[field.name], field.required)
            for field in shape.fields
            if not field.unrecorded
        ]

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return [((name,), node) for name, node in self._fields.items()]

    def part(self, key: str | int) -> Node | None:
        return self._fields.get(str(key))

    def bare(self, value: object) -> Plain:
        read = self._shape.read
        out: dict[str, Plain] = {}
        name = ""
        if self._shape.names is not None and (names := self._shape.names(value)):
            self._refuse_unknown(names, allowed=self._fields)
        try:
            for name, node, required in self._recorded:
                try:
                    item = read(value, name)
                except (AttributeError, KeyError):
                    if required:
                        raise Fault("a value", "nothing: the field is not set") from None
                    continue
                out[name] = node.encode(item)
        except Fault as fault:
            fault.within(step_to(name))
            raise
        return out

    def restore(self, plain: Plain) -> object:
        if type(plain) is not dict:
            raise Fault(self.name, show(plain))
        values = self.decode_fields(plain)
        try:
            return self._shape.build(values)
        except Exception as error:
            raise Fault(self.name, f"fields it refuses ({type(error).__name__})") from error

    def decode_fields(self, plain: Mapping[str, Plain]) -> dict[str, object]:
        """The values of the fields."""
        values: dict[str, object] = {}
        name = ""
        try:
            for name, node, required in self._recorded:
                if name in plain:
                    values[name] = node.decode(plain[name])
                elif required:
                    raise Fault(node.name, "nothing: the field is missing")
        except Fault as fault:
            fault.within(step_to(name))
            raise
        if len(values) != len(plain):
            self._refuse_unknown(plain, allowed=values)
        for field in self._unrecorded:
            if field.default is not None or field.required:
                values[field.name] = field.default() if field.default else None
        return values

    def _refuse_unknown(self, names: Iterable[str], *, allowed: Container[str]) -> None:
        for name in names:
            if name not in allowed:
                raise Fault(f"a field of {self.name}", f"the unknown field {show(name)}")

    def replace_bare(self, value: object) -> object:
        if self._shape.rebuild is None:
            return value
        changed: dict[str, object] = {}
        for name, node in self._fields.items():
            try:
                before = self._shape.read(value, name)
            except (AttributeError, KeyError):
                continue
            after = node.replace(before)
            if after is not before:
                changed[name] = after
        return self._shape.rebuild(value, changed) if changed else value


class TypedDictNode(RecordNode):
    """A dict with known keys: in its own order, of no subclass, and never tagged."""

    def __init__(self, nodes: Nodes, name: str, fields: tuple[Field, ...]) -> None:
        shape = Shape(fields, dict, operator.getitem, operator.or_, names=iter)
        super().__init__(nodes, dict, name, shape)

    def encode(self, value: object) -> Plain:
        if type(value) is not dict:
            raise Fault(self.name, show(value))
        return _in_order_of(value, self.bare(value))

    def decode(self, plain: Plain) -> object:
        return _in_order_of(plain, self.restore(plain))

    def fits(self, value: object) -> int:
        return EXACT if type(value) is dict else NO_FIT


def _in_order_of(model: Any, values: Any) -> dict[str, Any]:
    """The values in the order in which a dict has their keys: a program may write it as JSON."""
    return {name: values[name] for name in (*model, *values) if name in values}


SetAttribute = Callable[[object, str, object], None]

_UNSET: Final = object()


def dataclass_node(declared: DeclaredClass) -> Node | None:
    """The node of a dataclass."""
    cls = declared.cls
    if not dataclasses.is_dataclass(cls) or inspect.isabstract(cls):
        return None
    return RecordNode(declared.nodes, cls, declared.name, _dataclass_shape(cls, declared))


def _dataclass_shape(cls: type[Any], declared: DeclaredClass) -> Shape:
    """The shape of a dataclass."""
    described = dataclasses.fields(cls)
    fields = tuple(
        record_field(
            each.name,
            declared.annotations.get(each.name, Any),
            required=each.init or _dataclass_default(each) is not None,
            default=_dataclass_default(each),
        )
        for each in described
    )
    init = {each.name: each.name for each in described if each.init}
    decorated = "__dataclass_params__" in vars(cls)
    computed = decorated and hasattr(cls, "__post_init__")  # it makes the other attributes again
    names = None if computed else other_attributes(cls, {each.name for each in described})
    if len(init) == len(fields) and not hasattr(cls, "__post_init__") and can_call(cls, init):
        # The usual case: `__init__` sets the fields and does nothing else.
        return Shape(fields, lambda values: cls(**values), rebuild=replace_attributes, names=names)
    return Shape(fields, builder(cls, init), rebuild=replace_attributes, names=names)


def namedtuple_node(declared: DeclaredClass) -> Node | None:
    """The node of a NamedTuple, stored by the names of its places."""
    cls = declared.cls
    if not issubclass(cls, tuple) or not hasattr(cls, "_fields"):
        return None
    names: tuple[str, ...] = cls._fields

    def build(values: dict[str, object]) -> object:
        return tuple.__new__(cls, [values[name] for name in names])

    def rebuild(value: Any, changed: dict[str, object]) -> object:
        return build({**dict(zip(names, value, strict=True)), **changed})

    fields = tuple(record_field(name, declared.annotations.get(name, Any)) for name in names)
    shape = Shape(fields, build, rebuild=rebuild, names=other_attributes(cls, set()))
    return RecordNode(declared.nodes, cls, declared.name, shape)


def typeddict_node(declared: DeclaredClass) -> Node | None:
    """The node of a TypedDict; keys it does not declare are refused."""
    cls, annotations = declared.cls, declared.annotations
    # By its looks: the one of typing_extensions is not the one of typing.
    if not (issubclass(cls, dict) and hasattr(cls, "__required_keys__")):
        return None
    if any(key.startswith("$") for key in annotations):
        return UnsupportedNode(declared.name, "a key of it starts with $")
    required: frozenset[str] = cls.__required_keys__

    def is_required(name: str, annotation: object) -> bool:
        words = qualifiers(annotation)
        return (name in required or Required in words) and NotRequired not in words

    fields = tuple(
        record_field(name, annotation, required=is_required(name, annotation))
        for name, annotation in annotations.items()
    )
    return TypedDictNode(declared.nodes, declared.name, fields)


def record_field(
    name: str,
    annotation: object,
    *,
    required: bool = True,
    default: Callable[[], object] | None = None,
) -> Field:
    """A field, not recorded when its annotation says so."""
    bare = strip_qualifiers(annotation)
    return Field(name, bare, required, unrecorded=is_unrecorded(bare), default=default)


def qualifiers(annotation: object) -> set[object]:
    """The `Required`, `NotRequired`, … around an annotation."""
    found: set[object] = set()
    while (origin := get_origin(annotation)) is not None and origin is not Literal:
        found.add(origin)
        annotation = get_args(annotation)[0] if get_args(annotation) else None
    return found


def builder(
    cls: type[Any],
    parameters: Mapping[str, str],
    *,
    call: bool = True,
    set_attribute: SetAttribute = object.__setattr__,
) -> Callable[[dict[str, object]], object]:
    """Build by calling the class, then set every field: `__init__` may have changed some.

    `parameters` are the parameters of `__init__` by field. A class that must not or cannot be
    called with exactly these is made without its `__init__`.
    """
    called = call and can_call(cls, parameters.values())

    def build(values: dict[str, object]) -> object:
        if called:
            made = cls(
                **{parameters[name]: value for name, value in values.items() if name in parameters}
            )
            set_attributes(made, values, set_attribute)
            return made
        made = blank(cls)
        for name, value in values.items():  # also where the class has an equal default
            set_attribute(made, name, value)
        return made

    return build


def blank(cls: Any) -> Any:
    """A value on which `__init__` has not run."""
    return cls.__new__(cls)


def replace_attributes(value: object, changed: dict[str, object]) -> object:
    """A copy of a value with some attributes replaced, frozen or not."""
    twin = copy.copy(value)
    set_attributes(twin, changed)
    return twin


def set_attributes(
    target: object,
    values: Mapping[str, object],
    set_attribute: SetAttribute = object.__setattr__,
) -> None:
    """Set attributes that differ, bypassing the `__setattr__` of a frozen class."""
    for name, value in values.items():
        if getattr(target, name, _UNSET) is not value:
            set_attribute(target, name, value)


def other_attributes(cls: type, fields: set[str]) -> Callable[[object], Iterable[str]] | None:
    """Finds attributes of a value that are not fields and would be lost."""
    if not cls.__dictoffset__:
        return None
    expected = fields | {
        name
        for base in cls.__mro__
        for name, each in vars(base).items()
        if isinstance(each, functools.cached_property)
    }

    def others(value: object) -> Iterable[str]:
        held = vars(value)
        if held.keys() <= expected:
            return ()
        return [name for name in held if name not in expected and not name.startswith("__")]

    return others


def can_call(cls: type[Any], names: Iterable[str]) -> bool:
    """Whether a class can be called with exactly these keywords."""
    try:
        inspect.signature(cls).bind(**dict.fromkeys(names))
    except (TypeError, ValueError):
        return False
    return True


def _dataclass_default(each: dataclasses.Field[Any]) -> Callable[[], object] | None:
    if each.default_factory is not dataclasses.MISSING:
        return each.default_factory
    if each.default is not dataclasses.MISSING:
        value: object = each.default
        return lambda: value
    return None
