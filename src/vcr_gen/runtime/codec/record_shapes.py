"""The shapes of dataclasses, NamedTuples and TypedDicts."""

from __future__ import annotations

import copy
import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, NotRequired, Required, get_args, get_origin

from vcr_gen.runtime.codec.markers import is_unrecorded
from vcr_gen.runtime.codec.records import Field, Shape
from vcr_gen.runtime.codec.rewrite import strip_qualifiers

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
    """Build without `__init__`, for a class whose `__init__` has other parameters than fields."""

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
