"""Tells which declared types are descriptors: as attributes, they are not what they hold.

So are functions, as attributes of a class.
"""

import ast
from typing import Final

from vcr_gen.gen.annotations.resolving import bind, full_name, unquoted
from vcr_gen.gen.annotations.scopes import Bound, Scope
from vcr_gen.gen.model.annotation import fold
from vcr_gen.gen.sources.library import Definition, Library, Unread
from vcr_gen.gen.sources.modules import class_bindings

__all__ = ["is_descriptor", "is_function", "names_descriptor"]

_STANDARD: Final = frozenset(
    {
        "builtins.classmethod",
        "builtins.staticmethod",
        "functools.cached_property",
        "functools.partialmethod",
        "functools.singledispatchmethod",
        "types.ClassMethodDescriptorType",
        "types.FunctionType",
        "types.GetSetDescriptorType",
        "types.LambdaType",
        "types.MemberDescriptorType",
        "types.MethodDescriptorType",
        "types.WrapperDescriptorType",
    }
)
"""Those of Python; what a `property` gives is `Any` to type checkers, as which it does no harm."""
_AROUND: Final = frozenset({"typing.Annotated", "typing.Optional", "typing.Union"})
_MOST_BASES: Final = 10
_MOST_ALIASES: Final = 10


def is_descriptor(node: ast.expr, scope: Scope) -> bool:
    """Whether a type checker finds `__get__` in a resolved annotation, or in a part of a union."""
    match unquoted(node):
        case ast.BinOp(left=left, right=right):
            return is_descriptor(left, scope) or is_descriptor(right, scope)
        case ast.Subscript(value=value, slice=inner) if full_name(value) in _AROUND:
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return any(is_descriptor(one, scope) for one in elements)
        case ast.Subscript(value=value):
            return is_descriptor(value, scope)
        case Bound(reference=reference) if reference.kind != "import":
            return reference.full_name in _STANDARD
        case (Bound() | ast.Attribute()) as name:
            key = full_name(name)
            known = scope.library.descriptors
            if key not in known:
                known[key] = _has_get(scope.library, scope.resolve(name), _MOST_BASES)
            return known[key]
    return False


def is_function(node: ast.expr, scope: Scope, depth: int = _MOST_ALIASES) -> bool:
    """Whether a resolved annotation, or a part of a union, is a `Callable`, also by an alias."""
    match unquoted(node):
        case ast.BinOp(left=left, right=right):
            return is_function(left, scope, depth) or is_function(right, scope, depth)
        case ast.Subscript(value=value, slice=inner) if full_name(value) in _AROUND:
            elements = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return any(is_function(one, scope, depth) for one in elements)
        case ast.Subscript(value=value):
            return is_function(value, scope, depth)
        case (Bound() | ast.Attribute()) as name if depth:
            found = scope.resolve(name)
            alias = getattr(found.node, "value", None) if isinstance(found, Definition) else None
            if isinstance(found, Definition) and isinstance(alias, ast.expr):
                inner_scope = Scope(scope.library, found.module)
                return is_function(bind(alias, inner_scope), inner_scope, depth - 1)
            return fold(full_name(name)) == "typing.Callable"
    return False


def names_descriptor(node: ast.expr, scope: Scope) -> bool:
    """Whether an annotation, as it stands in the source, is the name of a class with `__get__`."""
    return _has_get(scope.library, scope.resolve(node), _MOST_BASES)


def _has_get(library: Library, found: Definition | Unread | None, depth: int) -> bool:
    """Whether a class, or a base of the same package, defines `__get__`.

    The bases of other packages are not read for this: that would cost more than all else.
    """
    if not isinstance(found, Definition):
        return found is not None and found.full_name in _STANDARD
    if not isinstance(found.node, ast.ClassDef) or not depth:
        return False
    if any(one.name == "__get__" for one in class_bindings(found.module, found.node)):
        return True
    scope = Scope(library, found.module)
    package = found.module.name.partition(".")[0]
    return any(
        _has_get(library, scope.resolve(base), depth - 1)
        for base in found.node.bases
        if _package(library, found, base) == package
    )


def _package(library: Library, found: Definition, base: ast.expr) -> str:
    """The package that a base comes from, as far as the import of its first name tells."""
    while isinstance(base, ast.Attribute | ast.Subscript):
        base = base.value
    name = base.id if isinstance(base, ast.Name) else ""
    binding = library.binding(found.module, name)
    return "" if binding is None else (binding.module or found.module.name).partition(".")[0]
