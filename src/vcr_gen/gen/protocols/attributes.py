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
from vcr_gen.gen.model.boundaries import Attribute
from vcr_gen.gen.protocols.declarations import MemberPlace
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.types.descriptors import is_descriptor, is_function
from vcr_gen.gen.types.inner_types import makes_variable

__all__ = ["annotated_attribute", "assigned_attribute"]

_WRAPPERS: Final = frozenset({"typing.ClassVar", "typing.Final", "typing.ReadOnly"})


def annotated_attribute(
    place: MemberPlace, declared: str, name: str, node: ast.AnnAssign, problems: Problems
) -> Attribute | None:
    """`declared: type` in a Protocol's body, an attribute that is called `name` at run time."""
    annotation = place.typed(node.annotation)
    if full_name(annotation) == "dataclasses.KW_ONLY":
        return None
    value, wrappers = _value_type(annotation)
    if value is None:
        inferred = None if node.value is None else _inferred(node.value)
        if inferred is None:
            _untyped(place, declared, node, problems)
            return None
        return Attribute(
            name,
            _of_the_class(inferred),
            inferred,
            settable=False,
            lazy=place.scope.module.lazy_annotations,
        )
    shown, final = annotation, "typing.Final" in wrappers
    if final:  # with a value, it is the class's to type checkers, and else the instance's
        shown = _of_the_class(value) if node.value is not None else value
    return Attribute(
        name,
        shown,
        value,
        settable=not wrappers,  # an instance cannot set a class variable either
        descriptor=is_descriptor(value, place.scope),
        function=is_function(value, place.scope),
        lazy=place.scope.module.lazy_annotations,
    )


def assigned_attribute(
    place: MemberPlace, declared: str, name: str, node: ast.Assign, problems: Problems
) -> Attribute | None:
    """`declared = value` in a Protocol's body, where the value tells its type."""
    inferred = _inferred(node.value)
    if inferred is not None:
        return Attribute(name, inferred, inferred, lazy=place.scope.module.lazy_annotations)
    if not makes_variable(node.value, place.scope):
        _untyped(place, declared, node, problems)
    return None


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


def _inferred(value: ast.expr) -> Annotation | None:
    match value:
        case ast.Constant(value=None):
            return NONE
        case ast.Constant(value=bool() | int() | float() | str() | bytes() as constant):
            return Name(builtin(type(constant).__name__))
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() as number)):
            return Name(builtin(type(number).__name__))
    return None


def _untyped(place: MemberPlace, declared: str, node: ast.stmt, problems: Problems) -> None:
    problems.report(
        "VCR202",
        f"the attribute `{place.class_name}.{declared}` has no declared type",
        f"annotate it in the Protocol: `{declared}: <type>`",
        module=place.scope.module,
        node=node,
    )
