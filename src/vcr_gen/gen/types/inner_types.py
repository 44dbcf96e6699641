"""Tells the types to which a Protocol's body gives names from its attributes."""

import ast
from typing import Final

from vcr_gen.gen.sources.library import Definition, Unread
from vcr_gen.gen.sources.modules import class_bindings
from vcr_gen.gen.sources.syntax import is_function
from vcr_gen.gen.types.scope import Scope

__all__ = ["is_alias", "makes_variable", "names_type"]

_VARIABLES: Final = frozenset({"typing.TypeVar", "typing.ParamSpec", "typing.TypeVarTuple"})
_CLASSES: Final = frozenset(
    {"typing.NewType", "typing.NamedTuple", "typing.TypedDict", "collections.namedtuple"}
    | {f"enum.{name}" for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag")}
)


def makes_variable(value: ast.expr, scope: Scope) -> bool:
    """Whether a value is a TypeVar or its kin: no member for type checkers."""
    return isinstance(value, ast.Call) and scope.name_of(value.func) in _VARIABLES


def names_type(value: ast.expr, scope: Scope) -> bool:
    """Whether a value is a type, or something of which source does not tell more."""
    match value:
        case ast.Call(func=maker):
            return scope.name_of(maker) in _CLASSES
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return all(_is_none(one) or names_type(one, scope) for one in (left, right))
        case ast.Subscript(value=generic):
            return names_type(generic, scope)
        case ast.Name() | ast.Attribute():
            found = _found(value, scope)
            return found is None or _defines_type(found, Scope(scope.library, found.module))
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
            there = class_bindings(owner.module, owner.node)
            inside = [one for one in there if one.name == value.attr]
            name = f"{owner.qualname}.{value.attr}"
            return Definition(owner.module, name, inside[-1].node, owner.when) if inside else None
    return scope.library.read_standard(found) if isinstance(found, Unread) else None


def _defines_type(found: Definition, scope: Scope) -> bool:
    """Whether a statement defines a type: a class, or an alias of one."""
    match found.node:
        case ast.Assign(value=value):
            return names_type(value, scope)
        case ast.AnnAssign():
            # typeshed says `Optional: _SpecialForm`.
            return found.module.name == "typing" or is_alias(found.node, scope)
    return not is_function(found.node)
