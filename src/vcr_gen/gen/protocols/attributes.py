"""Reads the plain attributes in a Protocol's body."""

import ast
from typing import Final

from vcr_gen.gen.model.annotation import (
    NONE,
    Annotation,
    Name,
    Subscript,
    builtin,
    full_name,
    imported,
    subscript,
    unquoted,
)
from vcr_gen.gen.model.boundary_model import Attribute
from vcr_gen.gen.protocols.declarations import Declared
from vcr_gen.gen.protocols.problems import RefusedMemberError
from vcr_gen.gen.sources.loader import Definition
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope

_MOST_ALIASES: Final = 10
_WRAPPERS: Final = frozenset({"typing.ClassVar", "typing.Final", "typing.ReadOnly"})


def annotated_attribute(declared: Declared, node: ast.AnnAssign) -> Attribute:
    """`name: type` in a Protocol's body."""
    scope = declared.place.scope
    annotation = declared.place.typed(node.annotation)
    value, wrappers = _value_type(annotation)
    if value is None:
        inferred = _inferred(declared, node.value)
        annotation, value = _of_the_class(inferred), inferred
    elif "typing.Final" in wrappers:
        # With a value, it is the class's to type checkers, and else the instance's.
        annotation = _of_the_class(value) if node.value is not None else value
    return Attribute(
        declared.name,
        annotation,
        value,
        settable=not wrappers,  # an instance cannot set a class variable either
        function=_is_callable(value, scope),
        lazy=scope.module.lazy_annotations,
        disputed=declared.disputed,
    )


def assigned_attribute(declared: Declared, node: ast.Assign) -> Attribute:
    """`name = value` in a Protocol's body, where the value tells its type."""
    inferred = _inferred(declared, node.value)
    lazy = declared.place.scope.module.lazy_annotations
    return Attribute(declared.name, inferred, inferred, lazy=lazy, disputed=declared.disputed)


def _is_callable(annotation: Annotation, scope: Scope, depth: int = _MOST_ALIASES) -> bool:
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
        return _is_callable(resolve_names(alias, inner), inner, depth - 1)
    return name.full_name == "typing.Callable"


def _value_type(annotation: Annotation) -> tuple[Annotation | None, set[str]]:
    """The type inside `ClassVar[...]` and `Final[...]`, and which of them there were."""
    wrappers: set[str] = set()
    value: Annotation | None = annotation
    while value is not None and (wrapper := full_name(value)) in _WRAPPERS:
        wrappers.add(wrapper)
        value = unquoted(value)
        value = value.inner if isinstance(value, Subscript) else None
    return value, wrappers


def _of_the_class(value: Annotation) -> Annotation:
    return subscript(Name(imported("typing", "ClassVar")), value)


def _inferred(declared: Declared, value: ast.expr | None) -> Annotation:
    """The type of a literal."""
    match value:
        case ast.Constant(value=None):
            return NONE
        case ast.Constant(value=bool() | int() | float() | str() | bytes() as constant):
            return Name(builtin(type(constant).__name__))
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() as number)):
            return Name(builtin(type(number).__name__))
    raise RefusedMemberError(
        "VCR202",
        f"the attribute {declared} has no declared type",
        f"annotate it in the Protocol: `{declared.name}: <type>`",
        declared.nodes[0],
    )
