"""Records: values with named fields, stored as a dict of them."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NotRequired, Required, TypeVar, get_args, get_origin

from vcr_gen.paths import Step
from vcr_gen.runtime.codec.compare import Compare, Difference, compare_fields, differences
from vcr_gen.runtime.codec.markers import is_unrecorded
from vcr_gen.runtime.codec.node import EXACT, NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import DICT, Fault, Plain, show, step_to
from vcr_gen.runtime.codec.rewrite import strip_qualifiers

_V = TypeVar("_V")


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
    read: Callable[[object, str], object] = getattr
    """Raises AttributeError or KeyError when the field is not set."""
    rebuild: Callable[[object, dict[str, object]], object] | None = None
    """A copy of a value with some fields replaced; for live parts."""
    extra_kinds: frozenset[str] = frozenset()
    names: Callable[[object], Iterable[str]] | None = None
    """The names in a value that may have additional fields; these are refused."""
    closed: bool = False
    """Whether it is a dict with known keys (TypedDict): in its own order, and of no subclass."""


class RecordNode(ClassNode):
    """Values with the fields of a shape."""

    merges = True

    def __init__(self, nodes: Nodes, cls: type, name: str, shape: Shape) -> None:
        super().__init__(nodes, cls, name)
        self.kinds = frozenset({DICT}) | shape.extra_kinds
        self._shape: Final = shape
        self._fields: Final = {
            field.name: (field, nodes.node(field.annotation)) for field in shape.fields
        }
        self._unrecorded: Final = [field for field in shape.fields if field.unrecorded]
        recorded = [each for each in self._fields.values() if not each[0].unrecorded]
        self._stored: Final = [
            (field.name, node.encode, field.required) for field, node in recorded
        ]
        self._read: Final = [
            (field.name, node.decode, field.required, node.name) for field, node in recorded
        ]

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of the fields."""
        return [((name,), node) for name, (_, node) in self._fields.items()]

    def bare(self, value: object) -> Plain:
        """The fields' plains."""
        read = self._shape.read
        out: dict[str, Plain] = {}
        name = ""
        if self._shape.names is not None:
            self._refuse_unknown(self._shape.names(value), allowed=self._fields)
        try:
            for name, encode, required in self._stored:
                try:
                    item = read(value, name)
                except (AttributeError, KeyError):
                    if required:
                        raise Fault("a value", "nothing: the field is not set") from None
                    continue
                out[name] = encode(item)
        except Fault as fault:
            fault.within(step_to(name))
            raise
        return _in_order_of(value, out) if self._shape.closed else out

    def restore(self, plain: Plain) -> object:
        """The value with these fields."""
        if type(plain) is not dict:
            raise Fault(self.name, show(plain))
        return self.assemble(plain, self.decode_fields(plain))

    def assemble(self, plain: dict[str, Plain], values: dict[str, object]) -> object:
        """Make the value from its decoded fields."""
        del plain
        try:
            return self._shape.build(values)
        except Exception as error:
            got = f"fields it refuses ({type(error).__name__})"
            raise Fault(self.name, got) from error

    def decode_fields(self, plain: Mapping[str, Plain]) -> dict[str, object]:
        """The values of the fields."""
        values: dict[str, object] = {}
        name = ""
        try:
            for name, decode, required, expected in self._read:
                if name in plain:
                    values[name] = decode(plain[name])
                elif required:
                    raise Fault(expected, "nothing: the field is missing")
        except Fault as fault:
            fault.within(step_to(name))
            raise
        if len(values) != len(plain):
            self._refuse_unknown(plain, allowed=[name for name, *_ in self._read])
        for field in self._unrecorded:
            if field.default is not None or field.required:
                values[field.name] = field.default() if field.default else None
        return _in_order_of(plain, values) if self._shape.closed else values

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Field by field."""
        return compare_fields(self._compare_of, recorded, actual)

    def encode(self, value: object) -> Plain:
        """The plain of a value; for a TypedDict, of exactly a dict."""
        if type(value) is self.cls:
            return self.bare(value)
        if self._shape.closed:
            raise Fault(self.name, show(value))
        return self.others.encode(value)

    def decode(self, plain: Plain) -> object:
        """The value of a plain; a TypedDict is never tagged."""
        return self.restore(plain) if self._shape.closed else super().decode(plain)

    def fits(self, value: object) -> int:
        """As for any class, but a TypedDict only fits its exact type."""
        if self._shape.closed:
            return EXACT if type(value) is self.cls else NO_FIT
        return super().fits(value)

    def _compare_of(self, name: str) -> Compare:
        return self._fields[name][1].compare if name in self._fields else differences

    def _refuse_unknown(self, names: Iterable[str], *, allowed: Container[str]) -> None:
        for name in names:
            if name not in allowed:
                raise Fault(f"a field of {self.name}", f"the unknown field {show(name)}")

    def replace_bare(self, value: object) -> object:
        """The value with the live parts of its fields replaced."""
        if self._shape.rebuild is None:
            return value
        changed: dict[str, object] = {}
        for name, (_, node) in self._fields.items():
            try:
                before = self._shape.read(value, name)
            except (AttributeError, KeyError):
                continue
            after = node.replace(before)
            if after is not before:
                changed[name] = after
        return self._shape.rebuild(value, changed) if changed else value


def _in_order_of(model: object, values: dict[str, _V]) -> dict[str, _V]:
    """The values in the order in which a dict has their keys: a program may write it as JSON."""
    assert isinstance(model, Mapping)
    return {name: values[name] for name in (*model, *values) if name in values}


Annotations = Mapping[str, object]
SetAttribute = Callable[[object, str, object], None]

UNSET: Final = object()


def dataclass_shape(cls: type[Any], annotations: Annotations) -> Shape:
    """The shape of a dataclass, whatever its options."""
    described = dataclasses.fields(cls)
    fields = tuple(
        record_field(
            each.name,
            annotations.get(each.name, Any),
            required=each.init or _dataclass_default(each) is not None,
            default=_dataclass_default(each),
        )
        for each in described
    )
    init = {each.name: each.name for each in described if each.init}
    decorated = "__dataclass_params__" in vars(cls)
    computed = decorated and hasattr(cls, "__post_init__")  # it makes the other attributes again
    names = None if computed else other_attributes(cls, {each.name for each in described})
    if not can_call_init(cls, set(init.values())):
        return Shape(fields, without_init(cls), rebuild=replace_attributes, names=names)
    trusted = len(init) == len(fields) and not hasattr(cls, "__post_init__")
    build = from_keywords(cls) if trusted else with_init(cls, init)
    return Shape(fields, build, rebuild=replace_attributes, names=names)


def namedtuple_shape(cls: type[Any], annotations: Annotations) -> Shape:
    """The shape of a NamedTuple, by the names of its places."""
    names: tuple[str, ...] = cls._fields

    def build(values: dict[str, object]) -> object:
        return tuple.__new__(cls, [values[name] for name in names])

    def rebuild(value: object, changed: dict[str, object]) -> object:
        return build({name: changed.get(name, getattr(value, name)) for name in names})

    fields = tuple(record_field(name, annotations.get(name, Any)) for name in names)
    return Shape(fields, build, rebuild=rebuild, names=other_attributes(cls, set()))


def typeddict_shape(cls: type[Any], annotations: Annotations) -> Shape:
    """The shape of a TypedDict; keys it does not declare are refused."""
    required: frozenset[str] = getattr(cls, "__required_keys__", frozenset(annotations))

    def is_required(name: str, annotation: object) -> bool:
        words = qualifiers(annotation)
        return (name in required or Required in words) and NotRequired not in words

    return dict_shape(
        tuple(
            record_field(name, annotation, required=is_required(name, annotation))
            for name, annotation in annotations.items()
        )
    )


def dict_shape(fields: tuple[Field, ...]) -> Shape:
    """The shape of a dict with these keys and no others."""

    def rebuild(value: object, changed: dict[str, object]) -> object:
        assert isinstance(value, dict)
        return {**value, **changed}

    return Shape(fields, dict, read=_read_key, rebuild=rebuild, names=_keys, closed=True)


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


def from_keywords(cls: type[Any]) -> Callable[[dict[str, object]], object]:
    """Build by calling the class with every field."""
    return lambda values: cls(**values)


def with_init(
    cls: type[Any],
    parameters: Mapping[str, str],
    set_attribute: SetAttribute = object.__setattr__,
) -> Callable[[dict[str, object]], object]:
    """Build by calling the class, then set every field: `__init__` may have changed some."""

    def build(values: dict[str, object]) -> object:
        given = {parameters[name]: value for name, value in values.items() if name in parameters}
        made = cls(**given)
        set_attributes(made, values, set_attribute)
        return made

    return build


def without_init(cls: type[Any]) -> Callable[[dict[str, object]], object]:
    """Build without `__init__`, for a class whose `__init__` parameters differ from its fields."""

    def build(values: dict[str, object]) -> object:
        made = blank(cls)
        set_attributes(made, values)
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
        if getattr(target, name, UNSET) is not value:
            set_attribute(target, name, value)


def _keys(value: object) -> Iterable[str]:
    assert isinstance(value, dict)
    return value


def other_attributes(cls: type, fields: set[str]) -> Callable[[object], Iterable[str]] | None:
    """Finds attributes of a value that are no fields and would be lost."""
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


def _read_key(value: object, name: str) -> object:
    assert isinstance(value, dict)
    return value[name]


def can_call_init(cls: type[Any], names: set[str]) -> bool:
    """Whether a class can be called with exactly these keywords."""
    try:
        parameters = inspect.signature(cls).parameters
    except (TypeError, ValueError):
        return False
    open_ended = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
    needed = {
        name
        for name, each in parameters.items()
        if each.default is each.empty and each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)
    }
    positional_only = any(each.kind is each.POSITIONAL_ONLY for each in parameters.values())
    return needed <= names and (open_ended or names <= set(parameters)) and not positional_only


def _dataclass_default(each: dataclasses.Field[Any]) -> Callable[[], object] | None:
    if each.default_factory is not dataclasses.MISSING:
        return each.default_factory
    if each.default is not dataclasses.MISSING:
        value: object = each.default
        return lambda: value
    return None
