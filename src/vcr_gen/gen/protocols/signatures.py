"""Turns a function statement in a Protocol's body into a signature of the model."""

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from vcr_gen.gen.annotations.defaults import default_of
from vcr_gen.gen.annotations.descriptors import is_descriptor
from vcr_gen.gen.annotations.filling import fill, without_quotes
from vcr_gen.gen.annotations.resolving import bind, full_name, unquoted
from vcr_gen.gen.annotations.scopes import Bound, Scope
from vcr_gen.gen.annotations.spelling import spell
from vcr_gen.gen.annotations.variables import bracketed
from vcr_gen.gen.model.annotation import Annotation, Reference, builtin, free_name, imported, opened
from vcr_gen.gen.model.boundaries import Kind, Parameter, Signature
from vcr_gen.gen.protocols.bounds import takes_bounded_self
from vcr_gen.gen.protocols.decorators import Decorations
from vcr_gen.gen.sources.syntax import Function, docstring_of, yields

__all__ = ["Place", "mangled", "signature_of"]


@dataclass(frozen=True)
class Place:
    """Where a member is declared: its scope, and what type parameters stand for there."""

    scope: Scope
    arguments: Mapping[str, ast.expr]

    @property
    def class_name(self) -> str:
        """The class whose name mangles private names."""
        return self.scope.classes[-1].name

    def typed(self, node: ast.expr) -> ast.expr:
        """An annotation with its names resolved and its type parameters filled in."""
        bound, module = bind(node, self.scope), self.scope.module
        filled = fill(bound, self.arguments)
        if filled is bound or module.standard or not module.lazy_annotations:
            return filled
        return without_quotes(filled)  # which the arguments need where they are given, not here


def mangled(name: str, class_name: str) -> str:
    """The name that Python gives a private name in a class body."""
    stripped = class_name.lstrip("_")
    if not stripped or not name.startswith("__") or name.endswith("__"):
        return name
    return f"_{stripped}{name}"


def signature_of(node: Function, place: Place, decorated: Decorations) -> Signature:
    """The signature of a function, its receiver taken apart."""
    parsed = place.scope.module.parsed
    brackets = parsed.type_parameters(node)
    inner = Place(place.scope.with_parameters(brackets), place.arguments)
    parameters = list(_parameters(node.args, inner))
    receiver = None
    if decorated.binding != "static" and parameters and parameters[0].kind in _LEADING:
        receiver = parameters.pop(0)
    returns = None if node.returns is None else inner.typed(node.returns)
    return Signature(
        parameters=tuple(parameters),
        returns=None if returns is None else spell(returns),
        returned=_returned(returns, inner.scope),
        receiver=receiver,
        self_type=_self_type(receiver),
        type_parameters=tuple(bracketed(one, inner.scope) for one in brackets),
        asynchronous=_is_coroutine(node, decorated),
        lazy=None if place.scope.module.standard else place.scope.module.lazy_annotations,
        managed=decorated.managed,
        entered=_entered(returns) if decorated.managed else None,
        decorators=decorated.kept,
        docstring=docstring_of(node),
    )


def _is_coroutine(node: Function, decorated: Decorations) -> bool:
    """Whether a call is awaited; what a decorator makes a context manager is entered instead."""
    return isinstance(node, ast.AsyncFunctionDef) and not (decorated.managed or yields(node))


_LEADING = (Kind.POSITIONAL_ONLY, Kind.POSITIONAL)


def _parameters(arguments: ast.arguments, place: Place) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    for index, one in enumerate(positional):
        kind = Kind.POSITIONAL_ONLY if index < len(arguments.posonlyargs) else Kind.POSITIONAL
        default = arguments.defaults[index - missing] if index >= missing else None
        yield _parameter(one, kind, default, place)
    if arguments.vararg:
        taken = {one.arg for one in (*positional, *arguments.kwonlyargs)}
        yield from _variadic(arguments.vararg, place, taken)
    for one, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(one, Kind.KEYWORD, default, place)
    if arguments.kwarg and not isinstance(_filled_pack(arguments.kwarg, place), ast.List):
        yield _parameter(arguments.kwarg, Kind.KEYWORDS, None, place)


def _filled_pack(node: ast.arg, place: Place) -> ast.expr | None:
    """What the ParamSpec of `*args: P.args` stands for, when a base was given arguments."""
    match node.annotation:
        case ast.Attribute(value=ast.Name(id=name), attr="args" | "kwargs"):
            return place.arguments.get(name)
    return None


def _variadic(node: ast.arg, place: Place, taken: Collection[str]) -> Iterator[Parameter]:
    """`*args`, or the parameters that a ParamSpec was replaced by, under names that are free."""
    filled = _filled_pack(node, place)
    front: list[ast.expr] = []
    if isinstance(filled, ast.List):
        front = filled.elts
    elif filled is not None and full_name(filled) == "typing.Concatenate":
        inner = getattr(filled, "slice", None)
        front = inner.elts[:-1] if isinstance(inner, ast.Tuple) else []
    for index, one in enumerate(front):
        name = free_name(f"{node.arg}_{index}", taken)
        yield Parameter(name, Kind.POSITIONAL_ONLY, spell(one))
    if not isinstance(filled, ast.List):
        yield _parameter(node, Kind.VARIADIC, None, place)


def _parameter(node: ast.arg, kind: Kind, default: ast.expr | None, place: Place) -> Parameter:
    annotation = None if node.annotation is None else place.typed(node.annotation)
    filled = _filled_pack(node, place)
    if isinstance(filled, ast.Subscript) and isinstance(annotation, ast.Attribute):
        filled = filled.slice.elts[-1] if isinstance(filled.slice, ast.Tuple) else filled.slice
        annotation = ast.Attribute(filled, annotation.attr, ast.Load())
    if isinstance(filled, ast.Constant):  # `...` takes anything
        return Parameter(node.arg, kind, (imported("typing", "Any"),))
    pack, packed = _packed(kind, annotation)
    return Parameter(
        mangled(node.arg, place.class_name),
        kind,
        None if annotation is None else spell(annotation),
        None if default is None else default_of(default, place.scope),
        pack,
        node.arg if mangled(node.arg, place.class_name) != node.arg else "",
        packed,
        annotation is not None
        and kind not in {Kind.VARIADIC, Kind.KEYWORDS}
        and is_descriptor(annotation, place.scope),
        annotation is not None and takes_bounded_self(annotation, place.scope),
    )


def _packed(
    kind: Kind, annotation: ast.expr | None
) -> tuple[Literal["", "args", "kwargs", "dict"], Annotation | None]:
    """What `*args` and `**kwargs` hold when it is not one type repeated."""
    match annotation and unquoted(annotation):
        case ast.Attribute(value=Bound(), attr="args") if kind is Kind.VARIADIC:
            return "args", None
        case ast.Attribute(value=Bound(), attr="kwargs") if kind is Kind.KEYWORDS:
            return "kwargs", None
        case ast.Starred(value=value) if kind is Kind.VARIADIC:
            return "dict", _tuple_of(value)
        case ast.Subscript(value=value, slice=inner) if full_name(value) == "typing.Unpack":
            if kind is Kind.VARIADIC:
                return "dict", _tuple_of(inner)
            return "dict", spell(inner)
    return "", None


def _tuple_of(pack: ast.expr) -> Annotation:
    """The type of what `*args: *pack` holds; a tuple type already says it."""
    if full_name(pack) in {"builtins.tuple", "typing.Tuple"}:
        return spell(pack)
    return (builtin("tuple"), "[", *spell(ast.Starred(pack, ast.Load())), "]")


def _returned(
    node: ast.expr | None, scope: Scope
) -> Literal["value", "none", "never", "awaitable"]:
    if node is None:
        return "value"
    node = unquoted(node)
    if isinstance(node, ast.Constant) and node.value is None:
        return "none"
    meant = scope.name_of(node) if isinstance(node, Bound | ast.Attribute) else ""
    return "never" if meant in {"typing.NoReturn", "typing.Never"} else "value"


def _self_type(receiver: Parameter | None) -> Reference | None:
    """The TypeVar of `self: T` or `cls: type[T]`."""
    match opened(receiver.annotation) if receiver and receiver.annotation else ():
        case (Reference(kind="variable" | "parameter") as variable,):
            return variable
        case (
            Reference(full_name="builtins.type" | "typing.Type"),
            "[",
            Reference(kind="variable" | "parameter") as variable,
            "]",
        ):
            return variable
    return None


def _entered(returns: ast.expr | None) -> Annotation:
    """What `with` binds: the first argument of `Iterator[T]` and the like."""
    node = unquoted(returns) if returns is not None else None
    if isinstance(node, ast.Subscript):
        inner = node.slice
        return spell(inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner)
    return (imported("typing", "Any"),)
