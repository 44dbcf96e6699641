"""Evaluates `if` conditions as a type checker does: for the configured target, not this machine."""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

Verdict: TypeAlias = Literal["true", "false", "checking", "running", "unknown"]
"""`checking` is true for type checkers only, `running` at run time only."""

_OPERATORS: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_OPPOSITE: Final[Mapping[Verdict, Verdict]] = {
    "true": "false",
    "false": "true",
    "checking": "running",
    "running": "checking",
    "unknown": "unknown",
}


@dataclass(frozen=True, slots=True)
class Target:
    """The Python version and the platform that conditions are evaluated for."""

    version: tuple[int, int] = (3, 11)
    platform: str = "linux"


def verdict(test: ast.expr, target: Target) -> Verdict:
    """The value of a condition for the target, as far as a type checker knows it."""
    match test:
        case ast.Constant(value=value):
            return "true" if value else "false"
        case ast.Name(id="TYPE_CHECKING" | "MYPY") | ast.Attribute(attr="TYPE_CHECKING"):
            return "checking"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _OPPOSITE[verdict(operand, target)]
        case ast.BoolOp(op=ast.And(), values=values):
            return _all([verdict(value, target) for value in values])
        case ast.BoolOp(op=ast.Or(), values=values):
            return _OPPOSITE[_all([_OPPOSITE[verdict(value, target)] for value in values])]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _compare(left, type(op), right, target)
        case ast.Call(func=ast.Attribute(value=value, attr="startswith"), args=[prefix]):
            known, start = _value(value, target), _value(prefix, target)
            if isinstance(known, str) and isinstance(start, str):
                return "true" if known.startswith(start) else "false"
    return "unknown"


def _all(verdicts: list[Verdict]) -> Verdict:
    rest = {value for value in verdicts if value != "true"}
    if "false" in rest or {"checking", "running"} <= rest:
        return "false"
    if not rest:
        return "true"
    return rest.pop() if len(rest) == 1 else ("checking" if "checking" in rest else "unknown")


def _compare(left: ast.expr, op: type[ast.cmpop], right: ast.expr, target: Target) -> Verdict:
    compare = _OPERATORS.get(op)
    first, second = _value(left, target), _value(right, target)
    if compare is None or first is None or second is None or type(first) is not type(second):
        return "unknown"
    return "true" if compare(first, second) else "false"


def _value(node: ast.expr, target: Target) -> tuple[int, ...] | str | int | None:
    match node:
        case ast.Constant(value=str() | int() as value):
            return value
        case ast.Tuple(elts=elements):
            numbers = [_value(element, target) for element in elements]
            if all(isinstance(number, int) for number in numbers):
                return tuple(number for number in numbers if isinstance(number, int))
        case ast.Attribute(attr="version_info") | ast.Name(id="version_info"):
            return (*target.version, 99)
        case ast.Attribute(value=ast.Name(id="sys"), attr="platform"):
            return target.platform
        case ast.Attribute(value=ast.Name(id="os"), attr="name"):
            return "nt" if target.platform == "win32" else "posix"
        case ast.Subscript(value=value, slice=index):
            return _item(_value(value, target), index)
    return None


def _item(
    whole: tuple[int, ...] | str | int | None, index: ast.expr
) -> tuple[int, ...] | int | None:
    if not isinstance(whole, tuple):
        return None
    match index:
        case ast.Constant(value=int() as at) if at < len(whole):
            return whole[at]
        case ast.Slice(lower=None, upper=ast.Constant(value=int() as upper), step=None):
            return whole[:upper]
    return None
