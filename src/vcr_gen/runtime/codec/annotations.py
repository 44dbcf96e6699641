"""Evaluate annotations, each on its own: one that cannot be resolved must not spoil the others."""

from __future__ import annotations

import builtins
import functools
import importlib
import inspect
import operator
import re
import sys
import types
import typing
from collections import abc
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import InitVar
from types import BuiltinFunctionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    ForwardRef,
    Generic,
    Literal,
    NotRequired,
    ParamSpec,
    Protocol,
    Required,
    Self,
    TypeVar,
    TypeVarTuple,
    Union,
    cast,
    get_args,
    get_origin,
)

from vcr_gen.boundary import Secret

_MEANT: Final[dict[object, object]] = {None: type(None), any: Any, callable: Callable}
"""What people mean by things that are not types."""


class Unresolved:
    """Replaces a name that exists only for type checkers, or whose package is not installed."""


class _Unknown:
    """The value of an unknown name in an annotation: it takes part in any expression of types."""

    def __getattr__(self, name: str) -> _Unknown:
        if name.startswith("__"):  # what `typing` looks for in a type
            raise AttributeError(name)
        return self

    def __getitem__(self, arguments: object) -> _Unknown:
        return self

    def __call__(self, *_: object, **__: object) -> _Unknown:
        return self

    def __or__(self, other: object) -> object:
        return union_of((self, other))

    def __ror__(self, other: object) -> object:
        return union_of((other, self))


_UNKNOWN: Final = _Unknown()


class Scope:
    """The names an annotation may use; `late` ones are imported when first needed."""

    def __init__(
        self,
        names: Mapping[str, Any],
        late: Mapping[str, str] | None = None,
        inner: Mapping[str, Any] | None = None,
    ) -> None:
        self.names = names
        self._late = late or {}
        self._imported: dict[str, object] = {}
        self._known = (inner or {}, names, self._imported, vars(builtins))

    def __getitem__(self, name: str) -> object:
        for known in self._known:
            if name in known:
                found: object = known[name]
                return found
        if name not in self._late:
            return _UNKNOWN
        try:
            found = late_import(self._late[name])
        except NameError:
            found = _UNKNOWN
        self._imported[name] = found
        return found

    def evaluate(self, text: str) -> object:
        """The value of an expression."""
        # As globals too: a lambda in `Match` looks for its names there when it is called.
        value: object = eval(text.strip(), {**self.names}, cast("Any", self))
        return value


def resolve_annotations(
    target: type | Callable[..., object],
    namespace: Mapping[str, Any],
    late_imports: Mapping[str, str],
    *,
    around: type | None = None,
) -> dict[str, object]:
    """The evaluated annotations of a class or function, words in `Annotated` kept.

    A name that cannot be resolved becomes `Any`. A TypeVar becomes its bound, the union of its
    constraints, or `Any`; `Self` becomes the class. A function knows the type parameters of the
    class `around` it too.
    """
    inner: dict[str, object] = {
        each.__name__: each
        for scope in (around, target)
        for each in getattr(scope, "__type_params__", ())
    }
    scope = Scope(namespace, late_imports, inner)
    this = target if isinstance(target, type) else None
    return {
        name: without_type_variables(resolve(annotation, scope), this)
        for name, annotation in inspect.get_annotations(target).items()
    }


def resolve(annotation: object, scope: Scope, seen: frozenset[str] = frozenset()) -> object:
    """The annotation with its texts evaluated."""

    def leaf(part: object) -> object:
        if isinstance(part, ForwardRef):
            module = getattr(part, "__forward_module__", None)
            if isinstance(module, str):
                module = sys.modules.get(module)
            where = scope if module is None else Scope(vars(module))
            return resolve_text(part.__forward_arg__, where, seen)
        if isinstance(part, str):
            return resolve_text(part, scope, seen)
        if part is _UNKNOWN or (get_origin(part) is Literal and _UNKNOWN in get_args(part)):
            return Unresolved
        return _MEANT.get(part, part) if isinstance(part, BuiltinFunctionType | None) else part

    return rewrite(annotation, leaf)


def resolve_text(text: str, scope: Scope, seen: frozenset[str] = frozenset()) -> object:
    """Evaluate an annotation in quotes."""
    if text in seen:  # the way back into a recursive alias
        return ForwardRef(text, module=scope.names.get("__name__"))
    try:
        return resolve(scope.evaluate(text), scope, seen | {text})
    except Exception:  # an annotation may raise anything when it is evaluated
        # A secret stays secret, even if its type is unknown.
        return Annotated[Unresolved, Secret] if re.search(r"\bSecret\b", text) else Unresolved


def without_type_variables(annotation: object, this: type | None = None) -> object:
    """The annotation with type variables replaced by their widest types."""
    return rewrite(annotation, lambda part: widest(part, this))


def widest(part: object, this: type | None = None) -> object:
    """The widest type of a type variable; anything else unchanged."""
    if isinstance(part, TypeVar):
        home = Scope(vars(sys.modules.get(part.__module__, typing)))  # of names in quotes
        if part.__constraints__:
            return union_of(tuple(resolve(bound, home) for bound in part.__constraints__))
        return resolve(part.__bound__, home) if part.__bound__ is not None else Any
    if part is Self:
        return this if this is not None else Any
    if isinstance(part, ParamSpec | TypeVarTuple):
        return Any
    return part


def import_failures(places: Iterable[str]) -> Iterator[str]:
    """Why names of the form `module:name` cannot be imported, in words."""
    for place in places:
        try:
            late_import(place)
        except NameError as error:
            why = error.__cause__
            yield f"`{place}` cannot be imported ({type(why).__name__}: {why})"


def late_import(place: str) -> object:
    """Import `module:name` for generated code; raises NameError on any failure.

    A package that is not installed is one reason among many: a module that can only be imported
    after another, or wants a screen, or a later Python.
    """
    module, _, attribute = place.partition(":")
    try:
        value: object = importlib.import_module(module)
        for part in filter(None, attribute.split(".")):  # a whole module has no attribute
            value = getattr(value, part)
    except Exception as error:
        raise NameError(place) from error
    return value


Arguments = Mapping[object, object]

_ABOUT_MODEL: Final = "__pydantic_generic_metadata__"
"""The attribute of a pydantic model with its origin and its type variables."""


def class_annotations(cls: type, args: tuple[object, ...]) -> dict[str, object]:
    """Every annotation of a class and its bases, each evaluated where it was written."""
    arguments = arguments_by_class(cls, args)
    found: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        own = inspect.get_annotations(base)
        if not own:
            continue
        module = sys.modules.get(base.__module__)
        names = vars(module) if module is not None else {}
        parameters = {each.__name__: each for each in getattr(base, "__type_params__", ())}
        scope = Scope(names, None, {**_visible(base), **parameters})
        given = arguments.get(base, {})
        for name, annotation in own.items():
            found[name] = substitute(resolve(annotation, scope), {**given, Self: cls})
    return found


def arguments_by_class(cls: type, args: tuple[object, ...]) -> dict[type, Arguments]:
    """The arguments of each generic base, by type variable."""
    given: dict[object, object] = dict(zip(getattr(cls, "__parameters__", ()), args, strict=False))
    found: dict[type, Arguments] = {cls: given}
    for base in vars(cls).get("__orig_bases__", cls.__bases__):
        origin = get_origin(base) or base
        if isinstance(origin, type) and origin not in (Generic, Protocol, object):
            args_of_base = get_args(base) or _model_arguments(cls, origin)
            filled = tuple(substitute(arg, given) for arg in args_of_base)
            for each, values in arguments_by_class(origin, filled).items():
                found.setdefault(each, values)
    return found


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
    """The arguments of a generic pydantic base: `Page[int]` is a class of its own."""
    about = _of_model(cls)
    return about["args"] if about.get("origin") is base else ()


def _of_model(part: object) -> Mapping[str, Any]:
    about: Mapping[str, Any] = vars(part).get(_ABOUT_MODEL, {}) if isinstance(part, type) else {}
    return about


def _visible(cls: type) -> dict[str, object]:
    # A field's default must not hide the type of the same name: `date: date = date.today()`.
    own = inspect.get_annotations(cls)
    return {name: value for name, value in vars(cls).items() if name not in own}


Leaf = Callable[[object], object]


def rewrite(annotation: object, leaf: Leaf) -> object:
    """The annotation with `leaf` applied to every part that has no inner parts.

    The values in `Literal` and the words in `Annotated` are left as they are.
    """
    if isinstance(annotation, list):  # the parameters of a Callable
        parts = [rewrite(part, leaf) for part in annotation]
        return annotation if all(map(operator.is_, parts, annotation)) else parts
    origin = get_origin(annotation)
    if origin is None or origin is Literal:
        return leaf(annotation)
    args = get_args(annotation)
    if origin is Annotated:
        inner = rewrite(args[0], leaf)
        return annotation if inner is args[0] else _annotated(inner, args[1:])
    if origin is abc.Callable and args and not isinstance(args[0], list):
        args = (..., *args[1:])  # a ParamSpec: any parameters
    new = tuple(rewrite(arg, leaf) for arg in args)
    if all(map(operator.is_, new, args)):
        return annotation
    if origin is Union or origin is types.UnionType:
        return union_of(new)
    return _rebuild(annotation, origin, new)


def union_of(members: tuple[object, ...]) -> object:
    """The union of annotations."""
    try:
        return operator.getitem(cast("Any", Union), members)
    except TypeError:  # words in Annotated need not be hashable; `|` does not ask
        return functools.reduce(operator.or_, cast("Any", members))


def _annotated(inner: object, words: tuple[object, ...]) -> object:
    return Annotated[(inner, *words)]


def _rebuild(annotation: object, origin: object, args: tuple[object, ...]) -> object:
    if origin is abc.Callable:
        spelled = abc.Callable if isinstance(annotation, types.GenericAlias) else typing.Callable
        return operator.getitem(cast("Any", spelled), args)
    if isinstance(annotation, types.GenericAlias):
        rebuilt: object = types.GenericAlias(cast("type", origin), args)
        if getattr(annotation, "__unpacked__", False):
            return next(iter(cast("Any", rebuilt)))
        return rebuilt
    copy_with = getattr(annotation, "copy_with", None)
    if copy_with is not None:
        made: object = copy_with(_flat(args))
        return made
    return operator.getitem(cast("Any", origin), args if len(args) != 1 else args[0])


def _flat(args: tuple[object, ...]) -> tuple[object, ...]:
    flat: list[object] = []
    for arg in args:
        flat += arg if isinstance(arg, list) else [arg]
    return tuple(flat)


QUALIFIERS = (Required, NotRequired, Final, ClassVar)


def strip_qualifiers(annotation: object) -> object:
    """The annotation without `Required`, `NotRequired`, `ReadOnly`, `Final` and their like."""
    while True:
        if isinstance(annotation, InitVar):
            annotation = annotation.type
            continue
        origin = get_origin(annotation)
        if origin is Annotated:
            inner, *words = get_args(annotation)
            stripped = strip_qualifiers(inner)
            return annotation if stripped is inner else _annotated(stripped, tuple(words))
        if any(annotation is each for each in QUALIFIERS):
            return Any  # a bare `Final` or `ClassVar` says nothing of the type
        if origin not in QUALIFIERS and getattr(origin, "_name", "") != "ReadOnly":
            return annotation
        annotation = get_args(annotation)[0]


def strip_annotated(annotation: object) -> object:
    """The annotation without the words around it."""
    return get_args(annotation)[0] if get_origin(annotation) is Annotated else annotation
