"""Decides how a default is said again: as text, left out, or fetched from the Protocol."""

import ast

from vcr_gen.gen.model.boundaries import Default
from vcr_gen.gen.model.kinds import When
from vcr_gen.gen.sources.library import Definition, Unread
from vcr_gen.gen.sources.modules import Module, class_bindings
from vcr_gen.gen.types.resolve import resolve_value
from vcr_gen.gen.types.scope import Scope

__all__ = ["default_of"]


def default_of(node: ast.expr, scope: Scope) -> Default:
    """The default that an expression in a Protocol's signature stands for."""
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
    return any(one.name == name for one in class_bindings(scope.module, scope.classes[-1]))


def _bound_once(module: Module, name: str) -> bool:
    bindings = module.bindings.get(name, ())
    if bindings and all(isinstance(one.node, ast.Import) for one in bindings):
        return True  # `import a` and `import a.b`
    return len(bindings) == 1 and bindings[0].when is When.ALWAYS
