"""Evaluate annotations, each on its own: one that cannot be resolved must not spoil the others."""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import BuiltinFunctionType
from typing import (
    Annotated,
    Any,
    Final,
    ForwardRef,
    Generic,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    TypeVarTuple,
    get_args,
    get_origin,
)

from vcr_gen.boundary import Secret
from vcr_gen.runtime.codec.rewrite import rewrite, union_of

_MEANT: Final[dict[object, object]] = {None: type(None), any: Any, callable: Callable}
"""What people mean by things that are no types."""
UNRESOLVED = Any
"""Replaces a name that exists only for type checkers, or whose package is not installed."""


class Scope:
    """The names an annotation may use; `late` ones are imported when first needed."""

    def __init__(
        self,
        names: Mapping[str, Any],
        late: Mapping[str, str] | None = None,
        inner: Mapping[str, Any] | None = None,
        fallback: Mapping[str, Any] | None = None,
    ) -> None:
        self.names = names
        self._late = late or {}
        self._inner = inner or {}
        self._fallback = fallback or {}
        self._found: dict[str, object] = {}

    def lookup(self, name: str) -> object:
        """The value of a name; raises NameError."""
        for known in (self._inner, self.names, self._found, vars(builtins), self._fallback):
            if name in known:
                found: object = known[name]
                return found
        if name in self._late:
            self._found[name] = late_import(self._late[name])
            return self._found[name]
        raise NameError(name)


class Reference:
    """A name met again while it is being resolved: the way back into a recursive alias.

    It is callable because `typing` takes only such things for types.
    """

    def __init__(self, name: str, scope: Scope) -> None:
        self.name = name
        self.scope = scope

    def __call__(self) -> None:
        """Never called."""

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Reference)
            and other.name == self.name
            and other.scope.names is self.scope.names
        )

    def __hash__(self) -> int:
        return hash((self.name, id(self.scope.names)))


def resolve_annotations(
    target: type | Callable[..., object],
    namespace: Mapping[str, Any],
    late_imports: Mapping[str, str],
    *,
    around: type | None = None,
) -> dict[str, object]:
    """The evaluated annotations of a class or function, words in `Annotated` kept.

    A name that cannot be resolved stands as `Any`. A TypeVar becomes its bound, the union of its
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
            where = scope
            if isinstance(module, str):
                module = sys.modules.get(module)
            if module is not None:
                where = Scope(vars(module))
            return resolve_text(part.__forward_arg__, where, seen)
        if isinstance(part, str):
            return resolve_text(part, scope, seen)
        return _MEANT.get(part, part) if isinstance(part, BuiltinFunctionType | None) else part

    return rewrite(annotation, leaf)


def resolve_text(text: str, scope: Scope, seen: frozenset[str] = frozenset()) -> object:
    """Evaluate an annotation in quotes."""
    if text in seen:
        return Reference(text, scope)
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError:
        return _unresolved(text)
    names: dict[str, object] = {}
    body = _Filler(scope, names).visit(tree.body)
    expression = ast.fix_missing_locations(ast.Expression(body))
    try:
        value = eval(compile(expression, "<annotation>", "eval"), {}, names)
        return resolve(value, scope, seen | {text})
    except Exception:  # whatever an annotation does when it is evaluated, it must not stop the rest
        return _unresolved(text)


def _unresolved(text: str) -> object:
    # A secret stays secret, even if its type is unknown.
    return Annotated[UNRESOLVED, Secret] if re.search(r"\bSecret\b", text) else UNRESOLVED


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


class _Filler(ast.NodeTransformer):
    """Resolves each name in an annotation; unknown names become `Any`."""

    def __init__(self, scope: Scope, names: dict[str, object]) -> None:
        self._scope = scope
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name."""
        try:
            self._names[node.id] = self._scope.lookup(node.id)
        except NameError:
            self._names[node.id] = UNRESOLVED
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """A dotted name, as a whole."""
        try:
            value = self._dotted(node)
        except Exception:  # a module may import attributes lazily
            value = UNRESOLVED
        return self._named(ast.unparse(node), value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """A generic; nothing is known of one whose origin is unknown."""
        value = self.visit(node.value)
        if isinstance(value, ast.Name) and self._names.get(value.id) is UNRESOLVED:
            return self._named("Any", UNRESOLVED)
        node.value = value
        if isinstance(value, ast.Name) and self._names.get(value.id) is typing.Literal:
            return node
        if isinstance(value, ast.Name) and self._names.get(value.id) is typing.Annotated:
            return self._annotated(node)
        node.slice = self.visit(node.slice)
        return node

    def _annotated(self, node: ast.Subscript) -> ast.expr:
        # Words are expressions of any form: evaluate them in the real scope, not piece by piece.
        if isinstance(node.slice, ast.Tuple):
            first, *words = node.slice.elts
            kept: list[ast.expr] = [self.visit(first)]
            for i, word in enumerate(words):
                names = {
                    each.id: self._lookup_or_any(each.id)
                    for each in ast.walk(word)
                    if isinstance(each, ast.Name)
                }
                code = compile(ast.Expression(word), "<annotation>", "eval")
                try:
                    value: object = eval(code, {**names})
                except Exception:
                    continue
                kept.append(self._named(f"word {i}", value))
            if len(kept) == 1:
                return kept[0]
            node.slice = ast.Tuple(kept, ast.Load())
        return node

    def _lookup_or_any(self, name: str) -> object:
        try:
            return self._scope.lookup(name)
        except NameError:
            return UNRESOLVED

    def _dotted(self, node: ast.expr) -> object:
        if isinstance(node, ast.Attribute):
            return getattr(self._dotted(node.value), node.attr)
        if isinstance(node, ast.Name):
            return self._scope.lookup(node.id)
        raise NameError(ast.unparse(node))

    def _named(self, text: str, value: object) -> ast.Name:
        name = f"_{text}_{len(self._names)}"
        self._names[name] = value
        return ast.Name(name, ast.Load())


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
