"""Turns the bodies of a Protocol and its bases into members of the model."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from vcr_gen.gen.annotations import full_name, unquoted
from vcr_gen.gen.attributes import annotated_attribute, assigned_attribute
from vcr_gen.gen.config import Direction
from vcr_gen.gen.decorators import Decorations, decorations
from vcr_gen.gen.descriptors import is_descriptor
from vcr_gen.gen.flatten import Ancestor, class_scope, is_protocol
from vcr_gen.gen.impossible import refuse_dataclasses, why_captured, why_impossible
from vcr_gen.gen.library import Definition, Library
from vcr_gen.gen.model import (
    Attribute,
    Default,
    Member,
    Method,
    NestedClass,
    Property,
    Signature,
)
from vcr_gen.gen.modules import Binding, Module, When, class_bindings
from vcr_gen.gen.problems import Problems
from vcr_gen.gen.pythons_own import NOT_MEMBERS, is_pythons_own
from vcr_gen.gen.signatures import Place, mangled, signature_of
from vcr_gen.gen.syntax import Function, is_function
from vcr_gen.gen.text import full_names, opened

__all__ = ["Members", "read_members"]


@dataclass(frozen=True)
class Members:
    """All members of a Protocol, and its constructor."""

    members: tuple[Member, ...]
    constructors: tuple[Signature, ...]


@dataclass(frozen=True)
class _Declared:
    """The statements in one class body that declare one name."""

    name: str
    nodes: tuple[ast.stmt, ...]
    place: Place
    disputed: bool
    """Whether type checkers do not agree that it is declared, or do not know it."""


def read_members(
    library: Library,
    ancestors: Sequence[Ancestor],
    problems: Problems,
    unresolved: list[tuple[Module, ast.Name]],
) -> Members:
    """Every member, the most derived declaration first found wins."""
    found: dict[str, Member] = {}
    constructors: tuple[Signature, ...] = ()
    for ancestor in ancestors:
        scope = class_scope(library, ancestor.definition, unresolved)
        place = Place(scope, ancestor.arguments)
        for declared in _declared(ancestor, place):
            if declared.name == "__init__":
                constructors = constructors or _constructors(declared)
            elif is_pythons_own(declared.name, declared.nodes, place, ancestors):
                problems.report(
                    "VCR205",
                    f"`{place.class_name}.{declared.name}` cannot be wrapped: "
                    "Python itself needs it",
                    "leave it out of the Protocol",
                    module=place.scope.module,
                    node=declared.nodes[0],
                )
            elif declared.name not in NOT_MEMBERS:
                name = mangled(declared.name, place.class_name)
                member = None
                if name not in found:
                    member = _member(declared, name, problems, ancestors)
                if isinstance(member, Method | Property | Attribute):
                    private = declared.name if name != declared.name else ""
                    disputed = declared.disputed or member.disputed
                    member = replace(member, declared=private, disputed=disputed)
                if member is not None:
                    found[name] = member
                elif name in found:
                    found[name] = _with_base(found[name], declared, ancestors)
    refuse_dataclasses(library, ancestors, problems)
    return Members(tuple(found.values()), constructors)


def _declared(ancestor: Ancestor, place: Place) -> Iterable[_Declared]:
    groups: dict[str, list[Binding]] = {}
    module = ancestor.definition.module
    for binding in class_bindings(module, ancestor.node):
        if not binding.module:
            groups.setdefault(binding.name, []).append(binding)
    own = module.bindings.get(ancestor.node.name, ())
    whole = any(one.disputed and one.node is ancestor.node for one in own)
    return [
        _Declared(
            name,
            tuple(one.node for one in bindings),
            place,
            whole or any(one.disputed for one in bindings),
        )
        for name, bindings in groups.items()
    ]


def _functions(declared: _Declared) -> list[tuple[Function, Decorations]]:
    return [
        (node, decorations(node, declared.place.scope))
        for node in declared.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _with_base(member: Member, base: _Declared, ancestors: Sequence[Ancestor]) -> Member:
    """A member that knows whether it names the Protocol as its result, where a base says `Self`."""
    if not isinstance(member, Method) or member.overloads:
        return member
    result = next(full_names(opened(member.signature.returns or ())), "")
    said = [base.place.typed(one.returns) for one, _ in _functions(base) if one.returns]
    if result != ancestors[0].definition.full_name or "typing.Self" not in [
        full_name(unquoted(one)) for one in said
    ]:
        return member
    return replace(member, returns_own=True)


def _constructors(declared: _Declared) -> tuple[Signature, ...]:
    functions = _functions(declared)
    overloads = [pair for pair in functions if pair[1].overload]
    return tuple(
        signature_of(node, declared.place, decorated) for node, decorated in overloads or functions
    )


def _member(
    declared: _Declared, name: str, problems: Problems, ancestors: Sequence[Ancestor]
) -> Member | None:
    functions = _functions(declared)
    first = declared.nodes[0]
    if functions and is_function(first):
        return _function_member(declared, name, functions, problems, ancestors)
    match first:
        case ast.AnnAssign():
            return annotated_attribute(declared.place, declared.name, name, first, problems)
        case ast.Assign():
            return _assigned(declared, name, first, problems, ancestors)
        case ast.ClassDef():
            scope = declared.place.scope
            nested = Definition(scope.module, first.name, first, When.ALWAYS)
            return NestedClass(name, protocol=is_protocol(scope.library, nested))
    return None


def _function_member(
    declared: _Declared,
    name: str,
    functions: list[tuple[Function, Decorations]],
    problems: Problems,
    ancestors: Sequence[Ancestor],
) -> Member | None:
    for node, decorated in functions:
        if decorated.foreign is not None:
            problems.report(
                "VCR203",
                f"the decorator `{ast.unparse(decorated.foreign)}` makes something of "
                f"`{declared.place.class_name}.{declared.name}` that the source does not tell",
                "remove the decorator from the Protocol; implementations may still use it",
                module=declared.place.scope.module,
                node=decorated.foreign,
            )
            return None
        if not _takes_instance(node, decorated):
            problems.report(
                "VCR204",
                f"`{declared.place.class_name}.{declared.name}` has no parameter for the instance",
                "add `self` as its first parameter, or make it a `@staticmethod`",
                module=declared.place.scope.module,
                node=node,
            )
            return None
    directions = {one for _, decorated in functions for one in decorated.directions}
    if len(directions) > 1:
        problems.report(
            "VCR110",
            f"`{declared.place.class_name}.{declared.name}` is marked `@outbound` and `@inbound`",
            "remove one of the marks; a member has one direction",
            module=declared.place.scope.module,
            node=declared.nodes[0],
        )
        return None
    direction = next(iter(directions), None)
    if functions[0][1].role != "method":
        return _property(declared, name, functions, direction)
    overloads = [pair for pair in functions if pair[1].overload]
    plain = [pair for pair in functions if not pair[1].overload]
    node, decorated = (plain or overloads)[-1]
    place = declared.place
    signature = signature_of(node, place, decorated)
    impossible = why_captured(node, place)
    if impossible is None and not overloads:
        impossible = why_impossible(signature, place.scope, ancestors)
    if impossible is not None:
        problems.report(
            "VCR207",
            f"`{place.class_name}.{declared.name}` {impossible[0]}",
            impossible[1],
            module=place.scope.module,
            node=node,
        )
        return None
    return Method(
        name,
        decorated.binding,
        signature,
        overloads=tuple(_overload(signature_of(one, place, how)) for one, how in overloads),
        implemented=bool(plain),
        direction=direction,
        recorded=all(one.recorded for _, one in functions),
        deprecated=any(one.deprecated for _, one in functions),
        disputed=any(one.checker_only for _, one in functions),
    )


def _takes_instance(node: Function, decorated: Decorations) -> bool:
    """Whether a function has a parameter for what it is bound to, if only `*args`."""
    if decorated.binding == "static" or node.args.posonlyargs or node.args.args:
        return True
    plain = decorated.role == "method" and not decorated.overload and decorated.recorded
    return decorated.binding == "instance" and plain and node.args.vararg is not None


def _overload(signature: Signature) -> Signature:
    """An overload says `...` for a default that it cannot name."""
    parameters = tuple(
        (
            replace(one, default=Default("omitted"))
            if one.default is not None and one.default.how == "fetched"
            else one
        )
        for one in signature.parameters
    )
    return replace(signature, parameters=parameters)


def _property(
    declared: _Declared,
    name: str,
    functions: list[tuple[Function, Decorations]],
    direction: Direction | None,
) -> Property | None:
    by_role = {
        ("getter" if how.role in {"property", "cached", "getter"} else how.role): (node, how)
        for node, how in functions
    }
    if "getter" not in by_role:
        return None
    parts = {role: signature_of(node, declared.place, how) for role, (node, how) in by_role.items()}
    returns = by_role["getter"][0].returns
    place = declared.place
    return Property(
        name,
        parts["getter"],
        returns is not None and is_descriptor(place.typed(returns), place.scope),
        parts.get("setter"),
        parts.get("deleter"),
        cached=functions[0][1].role == "cached",
        direction=direction,
        recorded=all(how.recorded for _, how in functions),
        deprecated=any(how.deprecated for _, how in functions),
        disputed=any(how.checker_only for _, how in functions),
    )


def _assigned(
    declared: _Declared,
    name: str,
    node: ast.Assign,
    problems: Problems,
    ancestors: Sequence[Ancestor],
) -> Member | None:
    """`name = value` in a Protocol's body: another name for a method, or a plain value."""
    value = node.value
    if isinstance(value, ast.Name):
        target = _sibling(value.id, declared, ancestors)
        if target is not None:
            member = _member(target, name, problems, ancestors)
            return replace(member, name=name) if member is not None else None
    return assigned_attribute(declared.place, declared.name, name, node, problems)


def _sibling(name: str, declared: _Declared, ancestors: Sequence[Ancestor]) -> _Declared | None:
    node = declared.place.scope.classes[-1]
    for ancestor in ancestors:
        if ancestor.node is node:
            for other in _declared(ancestor, declared.place):
                if other.name == name and is_function(other.nodes[0]):
                    return other
    return None
