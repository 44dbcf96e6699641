"""Reads the plain attributes in a Protocol's body, and tells them from names of types."""

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
from vcr_gen.gen.sources.loader import Definition, Unread
from vcr_gen.gen.sources.modules import class_bindings
from vcr_gen.gen.sources.syntax import is_function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import TYPE_VARIABLES, Scope

__all__ = ["annotated_attribute", "assigned_attribute", "is_alias", "names_type"]

_CLASSES: Final = frozenset(
    {"typing.NewType", "typing.NamedTuple", "typing.TypedDict", "collections.namedtuple"}
    | {f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")}
)
_MOST_ALIASES: Final = 10
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
        function=_is_callable(value, place.scope),
        lazy=place.scope.module.lazy_annotations,
    )


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


def assigned_attribute(
    place: MemberPlace, declared: str, name: str, node: ast.Assign, problems: Problems
) -> Attribute | None:
    """`declared = value` in a Protocol's body, where the value tells its type."""
    inferred = _inferred(node.value)
    if inferred is not None:
        return Attribute(name, inferred, inferred, lazy=place.scope.module.lazy_annotations)
    value = node.value  # a type variable is not a member to type checkers
    if not isinstance(value, ast.Call) or place.scope.name_of(value.func) not in TYPE_VARIABLES:
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


def names_type(value: ast.expr, scope: Scope) -> bool:
    """Whether a value is a type, or something unknown."""
    match value:
        case ast.Call(func=maker):
            return scope.name_of(maker) in _CLASSES
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return all(_is_none(member) or names_type(member, scope) for member in (left, right))
        case ast.Subscript(value=generic):
            return names_type(generic, scope)
        case ast.Name() | ast.Attribute():
            found = _found(value, scope)
            return found is None or _defines_type(found, Scope(scope.loader, found.module))
    return False


def is_alias(node: ast.AnnAssign, scope: Scope) -> bool:
    """Whether a statement is `X: TypeAlias = ...`."""
    return scope.name_of(node.annotation) == "typing.TypeAlias"


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _found(value: ast.Name | ast.Attribute, scope: Scope) -> Definition | None:
    """The statement that gives a name its meaning, also one in a class or in typeshed."""
    found = scope.resolve(value)
    if isinstance(found, Definition):
        return found
    if isinstance(value, ast.Attribute):
        owner = scope.resolve(value.value)
        if isinstance(owner, Definition) and isinstance(owner.node, ast.ClassDef):
            inside = [
                binding
                for binding in class_bindings(owner.module, owner.node)
                if binding.name == value.attr
            ]
            name = f"{owner.qualname}.{value.attr}"
            return Definition(owner.module, name, inside[-1].node, owner.when) if inside else None
    return scope.loader.read_standard(found) if isinstance(found, Unread) else None


def _defines_type(found: Definition, scope: Scope) -> bool:
    """Whether a statement defines a type: a class, or an alias of one."""
    match found.node:
        case ast.Assign(value=value):
            return names_type(value, scope)
        case ast.AnnAssign():
            # typeshed has `Optional: _SpecialForm`.
            return found.module.name == "typing" or is_alias(found.node, scope)
    return not is_function(found.node)
