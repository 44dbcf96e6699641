"""Tells where `Self` is the argument of a type that does not take every type."""

import ast

from vcr_gen.gen.model.annotation import Annotation, Subscript, full_name, walk
from vcr_gen.gen.protocols.mro import own_variables
from vcr_gen.gen.sources.library import Definition
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_variables import declaration

__all__ = ["takes_bounded_self"]


def takes_bounded_self(annotation: Annotation, scope: Scope) -> bool:
    """Whether a type in the annotation has `Self` as an argument, and bounds for its arguments."""
    return any(
        isinstance(node, Subscript) and _has_self(node) and _has_bound(node, scope)
        for node in walk(annotation)
    )


def _has_self(node: Subscript) -> bool:
    return any(full_name(argument) == "typing.Self" for argument in node.arguments)


def _has_bound(node: Subscript, scope: Scope) -> bool:
    found = scope.resolve(node)
    if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
        return False
    brackets = found.module.parsed.type_parameters(found.node)
    inner = Scope(scope.library, found.module)
    return any(one.bound is not None for one in brackets) or any(
        declaration(one, inner).bound is not None for one in own_variables(scope.library, found)
    )
