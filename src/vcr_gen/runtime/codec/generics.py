"""The annotations of a class's fields, with the type arguments it was given filled in."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any, Final, Generic, Protocol, Self, get_args, get_origin

from vcr_gen.runtime.codec.resolve_annotations import Scope, resolve
from vcr_gen.runtime.codec.rewrite import rewrite

Arguments = Mapping[object, object]

_ABOUT_MODEL: Final = "__pydantic_generic_metadata__"
"""The attribute of a pydantic model with its origin and its type variables."""


def class_annotations(
    cls: type, args: tuple[object, ...], extra: Mapping[str, Any]
) -> dict[str, object]:
    """Every annotation of a class and its bases, each evaluated where it was written.

    `extra` are fallback names, for imports under TYPE_CHECKING.
    """
    arguments = arguments_by_class(cls, args)
    found: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        own = inspect.get_annotations(base)
        if not own:
            continue
        module = sys.modules.get(base.__module__)
        names = vars(module) if module is not None else {}
        parameters = {each.__name__: each for each in getattr(base, "__type_params__", ())}
        scope = Scope(names, None, {**_visible(base), **parameters}, extra)
        given = arguments.get(base, {})
        for name, annotation in own.items():
            found[name] = substitute(resolve(annotation, scope), {**given, Self: cls})
    return found


def arguments_by_class(cls: type, args: tuple[object, ...]) -> dict[type, Arguments]:
    """The arguments of each generic base, by type variable."""
    given: dict[object, object] = dict(zip(parameters_of(cls), args, strict=False))
    found: dict[type, Arguments] = {cls: given}
    for base in vars(cls).get("__orig_bases__", cls.__bases__):
        origin = get_origin(base) or base
        if isinstance(origin, type) and origin not in (Generic, Protocol, object):
            args_of_base = get_args(base) or _model_arguments(cls, origin)
            filled = tuple(substitute(arg, given) for arg in args_of_base)
            for each, values in arguments_by_class(origin, filled).items():
                found.setdefault(each, values)
    return found


def parameters_of(cls: type) -> tuple[object, ...]:
    """The type variables of a generic class."""
    return tuple(getattr(cls, "__parameters__", ()))


def substitute(annotation: object, arguments: Arguments) -> object:
    """The annotation with type variables replaced by their arguments."""
    if not arguments:
        return annotation
    return rewrite(annotation, lambda part: _given(part, arguments))


def _given(part: object, arguments: Arguments) -> object:
    parameters = _of_model(part).get("parameters", ())
    if parameters:
        model: Any = part
        return model[tuple(arguments.get(parameter, parameter) for parameter in parameters)]
    try:
        return arguments.get(part, part)
    except TypeError:  # not hashable
        return part


def _model_arguments(cls: type, base: type) -> tuple[object, ...]:
    """What pydantic was given for the base of a class: it makes `Page[int]` a class of its own."""
    about = _of_model(cls)
    return about["args"] if about.get("origin") is base else ()


def _of_model(part: object) -> Mapping[str, Any]:
    about: Mapping[str, Any] = vars(part).get(_ABOUT_MODEL, {}) if isinstance(part, type) else {}
    return about


def _visible(cls: type) -> dict[str, object]:
    # A field's default must not hide the type of the same name: `date: date = date.today()`.
    own = inspect.get_annotations(cls)
    return {name: value for name, value in vars(cls).items() if name not in own}
