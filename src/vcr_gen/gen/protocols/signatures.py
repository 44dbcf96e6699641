"""Turns a function statement in a Protocol's body into a signature of the model."""

import ast
from collections.abc import Iterator
from typing import Literal

from vcr_gen.gen.model.annotation import (
    NONE,
    TUPLE,
    Annotation,
    Name,
    Starred,
    Subscript,
    When,
    full_name,
    subscript,
    unquoted,
)
from vcr_gen.gen.model.boundary_model import Default, Kind, Parameter, Signature
from vcr_gen.gen.protocols.declarations import MemberPlace
from vcr_gen.gen.protocols.decorators import Decorations
from vcr_gen.gen.sources.loader import Definition, Unread
from vcr_gen.gen.sources.modules import Module, class_bindings
from vcr_gen.gen.sources.syntax import Function, docstring_of, yields
from vcr_gen.gen.types.resolve import resolve_value
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_variables import bracketed


def mangled(name: str, class_name: str) -> str:
    """The name that Python gives a private name in a class body."""
    stripped = class_name.lstrip("_")
    if not stripped or not name.startswith("__") or name.endswith("__"):
        return name
    return f"_{stripped}{name}"


def signature_of(node: Function, place: MemberPlace, decorated: Decorations) -> Signature:
    """The signature of a function, its receiver taken apart."""
    parsed = place.scope.module.parsed
    brackets = parsed.type_parameters(node)
    inner = MemberPlace(place.scope.with_parameters(brackets), place.arguments)
    parameters = list(_parameters(node.args, inner))
    receiver = None
    if decorated.binding != "static" and parameters and parameters[0].kind in _LEADING:
        receiver = parameters.pop(0)
    returns = None if node.returns is None else inner.typed(node.returns)
    return Signature(
        parameters=tuple(parameters),
        returns=returns,
        returned=_returned(returns, inner.scope),
        receiver=receiver,
        type_parameters=tuple(bracketed(parameter, inner.scope) for parameter in brackets),
        asynchronous=isinstance(node, ast.AsyncFunctionDef) and not yields(node),
        lazy=None if place.scope.module.standard else place.scope.module.lazy_annotations,
        decorators=decorated.repeated,
        docstring=docstring_of(node),
    )


_LEADING = (Kind.POSITIONAL_ONLY, Kind.POSITIONAL)


def _parameters(arguments: ast.arguments, place: MemberPlace) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    for index, node in enumerate(positional):
        kind = Kind.POSITIONAL_ONLY if index < len(arguments.posonlyargs) else Kind.POSITIONAL
        default = arguments.defaults[index - missing] if index >= missing else None
        yield _parameter(node, kind, default, place)
    if arguments.vararg:
        yield _parameter(arguments.vararg, Kind.VARIADIC, None, place)
    for node, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(node, Kind.KEYWORD, default, place)
    if arguments.kwarg:
        yield _parameter(arguments.kwarg, Kind.KEYWORDS, None, place)


def _parameter(
    node: ast.arg, kind: Kind, default: ast.expr | None, place: MemberPlace
) -> Parameter:
    annotation = None if node.annotation is None else place.typed(node.annotation)
    pack, packed = _packed(kind, annotation)
    return Parameter(
        mangled(node.arg, place.class_name),
        kind,
        annotation,
        None if default is None else _default_of(default, place.scope),
        pack,
        node.arg if mangled(node.arg, place.class_name) != node.arg else "",
        packed,
    )


def _packed(
    kind: Kind, annotation: Annotation | None
) -> tuple[Literal["", "args", "kwargs", "dict"], Annotation | None]:
    """What `*args` and `**kwargs` hold when it is not one type repeated."""
    match annotation and unquoted(annotation):
        case Name(tail=("args",)) if kind is Kind.VARIADIC:
            return "args", None
        case Name(tail=("kwargs",)) if kind is Kind.KEYWORDS:
            return "kwargs", None
        case Starred(value=value) if kind is Kind.VARIADIC:
            return "dict", _tuple_of(value)
        case Subscript(inner=inner) as unpacked if full_name(unpacked) == "typing.Unpack":
            if kind is Kind.VARIADIC:
                return "dict", _tuple_of(inner)
            return "dict", inner
    return "", None


def _tuple_of(pack: Annotation) -> Annotation:
    """The tuple type of what `*args: *pack` holds."""
    if full_name(pack) in {"builtins.tuple", "typing.Tuple"}:
        return pack
    return subscript(TUPLE, Starred(pack))


def _returned(returns: Annotation | None, scope: Scope) -> Literal["value", "none", "never"]:
    if returns is None:
        return "value"
    returns = unquoted(returns)
    if returns == NONE:
        return "none"
    meant = scope.name_of(returns) if isinstance(returns, Name) else ""
    return "never" if meant in {"typing.NoReturn", "typing.Never"} else "value"


def _default_of(node: ast.expr, scope: Scope) -> Default:
    """The default that a signature of the Protocol declares."""
    if isinstance(node, ast.Constant) and node.value is ...:
        return Default("omitted")
    if _is_literal(node):
        return Default("text", resolve_value(node, scope))
    if isinstance(node, ast.Name | ast.Attribute) and _can_be_named(node, scope):
        return Default("text", resolve_value(node, scope))
    return Default("fetched")


def _is_literal(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.Tuple(elts=elements):
            return all(_is_literal(element) for element in elements)
    return False


def _can_be_named(node: ast.expr, scope: Scope) -> bool:
    """Whether the name is public, bound once and for all, and there when the program runs."""
    root = node
    while isinstance(root, ast.Attribute):
        if root.attr.startswith("_"):
            return False
        root = root.value
    if not isinstance(root, ast.Name) or root.id.startswith("_"):
        return False
    if scope.classes and _bound_in_class(root.id, scope):
        return False
    if scope.module.is_stub:
        return False
    found = scope.resolve(root)
    if isinstance(found, Unread):
        # A builtin, or something of a module that was not read.
        return bool(found.module == "builtins" or _bound_once(scope.module, root.id))
    return (
        isinstance(found, Definition)
        and _bound_once(scope.module, root.id)
        and (found.module is scope.module or _bound_once(found.module, found.qualname))
    )


def _bound_in_class(name: str, scope: Scope) -> bool:
    return any(binding.name == name for binding in class_bindings(scope.module, scope.classes[-1]))


def _bound_once(module: Module, name: str) -> bool:
    bindings = module.bindings.get(name, ())
    if bindings and all(isinstance(binding.node, ast.Import) for binding in bindings):
        return True  # `import a` and `import a.b`
    return len(bindings) == 1 and bindings[0].when is When.ALWAYS
