"""Tells which types are descriptors or functions: as attributes of a class, they are not values."""

import ast
from collections.abc import Iterator
from typing import Final

from vcr_gen.gen.model.annotation import Annotation, Name, Subscript, Union, full_name, unquoted
from vcr_gen.gen.sources.loader import Definition, SourceLoader, Unread
from vcr_gen.gen.sources.modules import class_bindings
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope

__all__ = ["is_callable", "is_descriptor", "names_descriptor"]

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
"""Python's descriptors, without `property`: type checkers take what it gives for `Any`."""
_AROUND: Final = frozenset({"typing.Annotated", "typing.Optional", "typing.Union"})
_MOST_BASES: Final = 10
_MOST_ALIASES: Final = 10


def is_descriptor(annotation: Annotation, scope: Scope) -> bool:
    """Whether a type checker finds `__get__` in a type, or in a member of a union."""
    for name in _types(annotation):
        if name.reference.kind != "import":
            if name.full_name in _STANDARD:
                return True
            continue
        known = scope.loader.descriptors
        if name.full_name not in known:
            known[name.full_name] = _has_get(scope.loader, scope.resolve(name), _MOST_BASES)
        if known[name.full_name]:
            return True
    return False


def is_callable(annotation: Annotation, scope: Scope, depth: int = _MOST_ALIASES) -> bool:
    """Whether a type is a `Callable`, also by an alias."""
    name = unquoted(annotation)
    if isinstance(name, Subscript):
        name = unquoted(name.value)
    if not isinstance(name, Name) or not depth:
        return False
    found = scope.resolve(name)
    alias = getattr(found.node, "value", None) if isinstance(found, Definition) else None
    if isinstance(found, Definition) and isinstance(alias, ast.expr):
        inner = Scope(scope.loader, found.module)
        return is_callable(resolve_names(alias, inner), inner, depth - 1)
    return name.full_name == "typing.Callable"


def _types(annotation: Annotation) -> Iterator[Name]:
    """The names of a type: several of a union, without their arguments."""
    match unquoted(annotation):
        case Union(elements=members):
            yield from (name for member in members for name in _types(member))
        case Subscript() as generic if full_name(generic) in _AROUND:
            yield from (name for argument in generic.arguments for name in _types(argument))
        case Subscript(value=value):
            yield from _types(value)
        case Name() as name:
            yield name


def names_descriptor(node: ast.expr, scope: Scope) -> bool:
    """Whether an annotation in the source names a class with `__get__`."""
    return _has_get(scope.loader, scope.resolve(node), _MOST_BASES)


def _has_get(loader: SourceLoader, found: Definition | Unread | None, depth: int) -> bool:
    """Whether a class, or a base of the same package, defines `__get__`.

    The bases of other packages are not read for this: that would cost more than all else.
    """
    if not isinstance(found, Definition):
        return found is not None and found.full_name in _STANDARD
    if not isinstance(found.node, ast.ClassDef) or not depth:
        return False
    if any(binding.name == "__get__" for binding in class_bindings(found.module, found.node)):
        return True
    scope = Scope(loader, found.module)
    package = found.module.name.partition(".")[0]
    return any(
        _has_get(loader, scope.resolve(base), depth - 1)
        for base in found.node.bases
        if _package(loader, found, base) == package
    )


def _package(loader: SourceLoader, found: Definition, base: ast.expr) -> str:
    """The package of a base, by the import of its first name."""
    while isinstance(base, ast.Attribute | ast.Subscript):
        base = base.value
    name = base.id if isinstance(base, ast.Name) else ""
    binding = loader.binding(found.module, name)
    return "" if binding is None else (binding.module or found.module.name).partition(".")[0]
