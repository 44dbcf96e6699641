"""Turns the functions in a Protocol's body into methods and properties of the model."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from vcr_gen.gen.model.boundaries import Default, Kind, Member, Method, Property, Signature
from vcr_gen.gen.protocols.declarations import Declared, Decorated, MemberPlace, functions_of
from vcr_gen.gen.protocols.decorators import Decorations
from vcr_gen.gen.protocols.mro import Ancestor
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.protocols.self_annotations import (
    asked_of_instance,
    limits_self,
    why_self_is_bounded,
    why_uncallable,
)
from vcr_gen.gen.protocols.signatures import signature_of
from vcr_gen.gen.protocols.unsupported import why_captured, why_undecided, why_unsayable
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.sources.syntax import Function, all_parameters

__all__ = ["constructors", "function_member"]


class _Refusal(NamedTuple):
    """Why a member cannot be wrapped."""

    code: str
    message: str
    hint: str
    node: ast.AST


def function_member(
    declared: Declared,
    name: str,
    functions: list[Decorated],
    problems: Problems,
    ancestors: Sequence[Ancestor],
) -> Member | None:
    """A method or property, from all functions of its name in one class body."""
    module = declared.place.scope.module
    refusal = _refusal(declared, functions, ancestors)
    if refusal is not None:
        problems.report(
            refusal.code, refusal.message, refusal.hint, module=module, node=refusal.node
        )
        return None
    if functions[0][1].role != "method":
        return _property(declared, name, functions, ancestors, problems)
    overloads = [pair for pair in functions if pair[1].overload]
    plain = [pair for pair in functions if not pair[1].overload]
    node, decorated = (plain or overloads)[-1]
    place = declared.place
    signature = _signature(node, place, decorated, ancestors)
    impossible = why_captured(node, place) or why_unsayable(node, place)
    if impossible is None and not overloads:
        impossible = why_undecided(signature, place.scope, ancestors)
    if impossible is not None:
        why, hint = impossible
        message = f"`{place.class_name}.{declared.name}` {why}"
        problems.report("VCR207", message, hint, module=module, node=node)
        return None
    overloaded = [_overload(_signature(way, place, how, ancestors)) for way, how in overloads]
    return Method(
        name,
        decorated.binding,
        signature,
        overloads=tuple(overloaded),
        implemented=bool(plain),
        direction=_direction(functions),
        recorded=all(how.recorded for _, how in functions),
        deprecated=any(how.deprecated for _, how in functions),
        disputed=any(how.unchecked for _, how in functions)
        or any(map(_hides_a_keyword, (signature, *overloaded))),
    )


def _refusal(
    declared: Declared, functions: list[Decorated], ancestors: Sequence[Ancestor]
) -> _Refusal | None:
    """What makes it impossible to wrap the functions, if anything does."""
    member = f"`{declared.place.class_name}.{declared.name}`"
    if declared.is_split:
        return _Refusal(
            "VCR207",
            f"{member} is declared twice, once for type checkers and once for run time",
            "declare it once, for both",
            declared.nodes[0],
        )
    for node, decorated in functions:
        if decorated.foreign is not None:
            return _Refusal(
                "VCR203",
                "the source does not say what the decorator "
                f"`{ast.unparse(decorated.foreign)}` makes of {member}",
                "remove the decorator from the Protocol; implementations may still use it",
                decorated.foreign,
            )
        if again := _named_twice(node):
            return _Refusal(
                "VCR101",
                f"the file is not valid Python: duplicate argument '{again.arg}' in function "
                "definition",
                "correct the file, or `exclude` it",
                again,
            )
        if named := _named_in_default(node):
            return _Refusal(
                "VCR207",
                f"a default in {member} assigns `{named.target.id}`, which makes it a member",
                "write the value without the name",
                named,
            )
        if decorated.binding != "static" and not (node.args.posonlyargs or node.args.args):
            return _Refusal(
                "VCR204",
                f"{member} has no parameter for the instance",
                "add `self` as its first parameter, or make it a `@staticmethod`",
                node,
            )
        if decorated.named is not None:
            return _Refusal(
                "VCR108",
                f"a mark on a member takes no arguments; got `{ast.unparse(decorated.named)}`",
                "remove the parentheses; cassettes use the name of the member",
                decorated.named,
            )
        asked = None if decorated.binding == "static" else asked_of_instance(node, declared.place)
        why = why_uncallable(asked, ancestors, declared.place.scope.loader)
        why = why or why_self_is_bounded(node, declared.place)
        if why is not None:
            return _Refusal("VCR207", f"{member} {why[0]}", why[1], node)
    if len({direction for _, how in functions for direction in how.directions}) > 1:
        return _Refusal(
            "VCR110",
            f"{member} is marked `@outbound` and `@inbound`",
            "remove one of the marks; a member has one direction",
            declared.nodes[0],
        )
    return None


def _named_in_default(node: Function) -> ast.NamedExpr | None:
    """An assignment inside of a default, which binds its name in the body of the class."""
    pending: list[ast.AST | None] = [*node.args.defaults, *node.args.kw_defaults]
    while pending:
        part = pending.pop(0)
        if isinstance(part, ast.NamedExpr):
            return part
        if part is not None and not isinstance(part, ast.Lambda):  # whose names are its own
            pending.extend(ast.iter_child_nodes(part))
    return None


def _hides_a_keyword(signature: Signature) -> bool:
    """Whether a call must name a parameter that Python mangles: type checkers do not know how."""
    return any(
        parameter.source_name and parameter.kind is Kind.KEYWORD
        for parameter in signature.parameters
    )


def _direction(functions: list[Decorated]) -> Direction | None:
    return next((direction for _, how in functions for direction in how.directions), None)


def _signature(
    node: Function, place: MemberPlace, decorated: Decorations, ancestors: Sequence[Ancestor]
) -> Signature:
    signature = signature_of(node, place, decorated)
    if signature.receiver is None or signature.receiver.annotation is None:
        return signature
    asked = asked_of_instance(node, place)
    return replace(signature, limits_self=limits_self(asked, ancestors, place.scope.loader))


def _named_twice(node: Function) -> ast.arg | None:
    """A parameter that has the name of another, which parsing alone does not find."""
    seen: set[str] = set()
    for parameter in all_parameters(node.args):
        if parameter.arg in seen:
            return parameter
        seen.add(parameter.arg)
    return None


def _overload(signature: Signature) -> Signature:
    """An overload, with `...` for the defaults that it cannot name."""
    parameters = tuple(
        (
            replace(parameter, default=Default("omitted"))
            if parameter.default is not None and parameter.default.how == "fetched"
            else parameter
        )
        for parameter in signature.parameters
    )
    return replace(signature, parameters=parameters)


def _property(
    declared: Declared,
    name: str,
    functions: list[Decorated],
    ancestors: Sequence[Ancestor],
    problems: Problems,
) -> Property | None:
    by_role = {
        ("getter" if how.role in {"property", "cached", "getter"} else how.role): (node, how)
        for node, how in functions
    }
    if "getter" not in by_role:
        node, _ = functions[0]
        problems.report(
            "VCR203",
            f"`{declared.place.class_name}.{declared.name}` extends a property that is "
            "declared elsewhere",
            "declare the property here, with its getter",
            module=declared.place.scope.module,
            node=node,
        )
        return None
    place = declared.place
    parts = {role: _signature(node, place, how, ancestors) for role, (node, how) in by_role.items()}
    return Property(
        name,
        parts["getter"],
        parts.get("setter"),
        parts.get("deleter"),
        cached=functions[0][1].role == "cached",
        direction=_direction(functions),
        recorded=all(how.recorded for _, how in functions),
        deprecated=any(how.deprecated for _, how in functions),
        disputed=any(how.unchecked for _, how in functions),
    )


def constructors(
    declared: Declared, ancestors: Sequence[Ancestor], problems: Problems
) -> tuple[Signature, ...]:
    """The signatures of `__init__`."""
    functions = functions_of(declared)
    scope = declared.place.scope
    for node, _ in functions:
        asked = asked_of_instance(node, declared.place)
        if why := why_uncallable(asked, ancestors, scope.loader):
            message = f"`{declared.place.class_name}.__init__` {why[0]}"
            problems.report("VCR207", message, why[1], module=scope.module, node=node)
    overloads = [pair for pair in functions if pair[1].overload]
    return tuple(
        _signature(node, declared.place, decorated, ancestors)
        for node, decorated in overloads or functions
    )
