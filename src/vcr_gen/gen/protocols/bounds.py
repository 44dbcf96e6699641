"""Tells where `Self` is the argument of a type that does not take every type."""

import ast

from vcr_gen.gen.annotations.resolving import full_name, unquoted
from vcr_gen.gen.annotations.scopes import Scope
from vcr_gen.gen.annotations.variables import declaration
from vcr_gen.gen.protocols.flatten import own_variables
from vcr_gen.gen.sources.library import Definition

__all__ = ["takes_bounded_self"]


def takes_bounded_self(annotation: ast.expr, scope: Scope) -> bool:
    """Whether a type in the annotation has `Self` as an argument, and bounds for its arguments."""
    return any(
        isinstance(node, ast.Subscript) and _has_self(node.slice) and _has_bound(node.value, scope)
        for node in ast.walk(unquoted(annotation))
    )


def _has_self(node: ast.expr) -> bool:
    elements = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(full_name(unquoted(one)) == "typing.Self" for one in elements)


def _has_bound(node: ast.expr, scope: Scope) -> bool:
    found = scope.resolve(node)
    if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
        return False
    brackets = found.module.parsed.type_parameters(found.node)
    inner = Scope(scope.library, found.module)
    return any(one.bound is not None for one in brackets) or any(
        declaration(one, inner).bound is not None for one in own_variables(scope.library, found)
    )
