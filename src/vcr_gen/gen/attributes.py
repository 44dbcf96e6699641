"""Reads the plain attributes in a Protocol's body."""

import ast
from typing import Final

from vcr_gen.gen.annotations import full_name, unquoted
from vcr_gen.gen.descriptors import is_descriptor
from vcr_gen.gen.model import Attribute
from vcr_gen.gen.problems import Problems
from vcr_gen.gen.scopes import Scope
from vcr_gen.gen.signatures import Place
from vcr_gen.gen.spelling import spell
from vcr_gen.gen.text import Text, builtin

__all__ = ["annotated_attribute", "assigned_attribute"]

_WRAPPERS: Final = frozenset({"typing.ClassVar", "typing.Final", "typing.ReadOnly"})
_READ_ONLY: Final = frozenset({"typing.Final", "typing.ReadOnly"})


def annotated_attribute(
    place: Place, declared: str, name: str, node: ast.AnnAssign, problems: Problems
) -> Attribute | None:
    """`declared: type` in a Protocol's body, an attribute that is called `name` at run time."""
    annotation = place.typed(node.annotation)
    if full_name(unquoted(annotation)) in {"typing.TypeAlias", "dataclasses.KW_ONLY"}:
        return None
    value, wrappers = _value_type(annotation)
    if value is None:
        inferred = None if node.value is None else _inferred(node.value)
        if inferred is None:
            _untyped(place, declared, node, problems)
            return None
        return Attribute(
            name,
            spell(annotation),
            inferred,
            settable=False,
            final=True,
            lazy=place.scope.module.lazy_annotations,
        )
    return Attribute(
        name,
        spell(annotation),
        spell(value),
        settable=not wrappers,  # an instance cannot set a class variable either
        final=bool(wrappers & _READ_ONLY),
        slotted=_has_slots(place.scope.classes[-1]),
        descriptor=is_descriptor(value, place.scope),
        lazy=place.scope.module.lazy_annotations,
    )


def assigned_attribute(
    place: Place, declared: str, name: str, node: ast.Assign, problems: Problems
) -> Attribute | None:
    """`declared = value` in a Protocol's body, where the value tells its type."""
    inferred = _inferred(node.value)
    if inferred is not None:
        return Attribute(name, inferred, inferred, lazy=place.scope.module.lazy_annotations)
    if not _is_auxiliary(node.value, place.scope):
        _untyped(place, declared, node, problems)
    return None


def _has_slots(node: ast.ClassDef) -> bool:
    return any(
        isinstance(target, ast.Name) and target.id == "__slots__"
        for statement in node.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _value_type(annotation: ast.expr) -> tuple[ast.expr | None, set[str]]:
    """The type inside `ClassVar[...]` and `Final[...]`, and which of them there were."""
    wrappers: set[str] = set()
    node: ast.expr | None = annotation
    while node is not None and full_name(unquoted(node)) in _WRAPPERS:
        inner = unquoted(node)
        wrappers.add(full_name(inner))
        node = inner.slice if isinstance(inner, ast.Subscript) else None
    return node, wrappers


def _is_auxiliary(value: ast.expr, scope: Scope) -> bool:
    """A type alias or a TypeVar: no member for type checkers."""
    if isinstance(value, ast.Call):
        return scope.name_of(value.func) in {
            "typing.TypeVar",
            "typing.ParamSpec",
            "typing.TypeVarTuple",
            "typing.NewType",
        }
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.BinOp)


def _inferred(value: ast.expr) -> Text | None:
    match value:
        case ast.Constant(value=None):
            return ("None",)
        case ast.Constant(value=bool() | int() | float() | str() | bytes() as constant):
            return (builtin(type(constant).__name__),)
        case ast.UnaryOp(operand=ast.Constant(value=int() | float() as number)):
            return (builtin(type(number).__name__),)
    return None


def _untyped(place: Place, declared: str, node: ast.stmt, problems: Problems) -> None:
    problems.report(
        "VCR202",
        f"the attribute `{place.class_name}.{declared}` has no declared type",
        f"annotate it in the Protocol: `{declared}: <type>`",
        module=place.scope.module,
        node=node,
    )
