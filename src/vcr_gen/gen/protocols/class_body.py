"""Turns the bodies of a Protocol and its bases into members of the model."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from vcr_gen.gen.model.boundaries import (
    Member,
    Signature,
)
from vcr_gen.gen.protocols.attributes import (
    annotated_attribute,
    assigned_attribute,
    is_alias,
    names_type,
)
from vcr_gen.gen.protocols.declarations import Declared, MemberPlace, declarations, functions_of
from vcr_gen.gen.protocols.function_members import constructors, function_member
from vcr_gen.gen.protocols.mro import Ancestor, class_scope
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.protocols.reserved_members import NOT_MEMBERS, is_reserved
from vcr_gen.gen.protocols.signatures import mangled
from vcr_gen.gen.protocols.unsupported import refuse_dataclasses
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import Module, class_bindings
from vcr_gen.gen.sources.syntax import is_function

__all__ = ["Members", "read_members"]


@dataclass(frozen=True)
class Members:
    """All members of a Protocol, and its constructor."""

    members: tuple[Member, ...]
    constructors: tuple[Signature, ...]


_NEWEST: Final = (3, 99)


def _refuse_newer_members(ancestor: Ancestor, problems: Problems) -> None:
    """Refuse members that exist only on newer Pythons: a wrapper would lack them."""
    module, node = ancestor.definition.module, ancestor.node
    if module.standard:
        return
    names = {binding.name for binding in class_bindings(module, node)}
    newest = replace(module.target, version=_NEWEST)
    for binding in class_bindings(module, node, newest):
        if binding.name not in names:
            target = ".".join(map(str, module.target.version))
            problems.report(
                "VCR208",
                f"`{node.name}.{binding.name}` does not exist on Python {target}, the lowest "
                "version of the project",
                "set `target-version` in [tool.vcr-gen]: to a version that has it, or to "
                f'"{target}" to leave it out',
                module=module,
                node=binding.node,
            )


def read_members(
    loader: SourceLoader,
    ancestors: Sequence[Ancestor],
    problems: Problems,
    unresolved: list[tuple[Module, ast.Name]],
) -> Members:
    """Every member, the most derived declaration first found wins."""
    found: dict[str, Member] = {}
    initial: tuple[Signature, ...] = ()
    for ancestor in ancestors:
        scope = class_scope(loader, ancestor.definition, unresolved)
        place = MemberPlace(scope, ancestor.arguments)
        if problems.config.target_is_assumed:
            _refuse_newer_members(ancestor, problems)
        for declared in declarations(ancestor, place):
            if declared.name == "__init__":
                initial = initial or constructors(declared, ancestors, problems)
            elif is_reserved(declared.name, declared.nodes, place):
                problems.report(
                    "VCR205",
                    f"`{place.class_name}.{declared.name}` cannot be wrapped: "
                    "Python itself uses it",
                    "leave it out of the Protocol",
                    module=place.scope.module,
                    node=declared.nodes[0],
                )
            elif declared.name not in NOT_MEMBERS:
                name = mangled(declared.name, place.class_name)
                if name in found:
                    continue
                if name != declared.name:
                    what = "is private to its class: Python mangles the name"
                    _refuse(declared, what, "use a name with one underscore", problems)
                    continue
                member = _member(declared, name, problems, ancestors)
                if member is not None:
                    found[name] = replace(member, disputed=declared.disputed or member.disputed)
    refuse_dataclasses(loader, ancestors, problems)
    return Members(tuple(found.values()), initial)


def _member(
    declared: Declared, name: str, problems: Problems, ancestors: Sequence[Ancestor]
) -> Member | None:
    functions = functions_of(declared)
    first, last = declared.nodes[0], declared.nodes[-1]
    if isinstance(last, ast.Assign) and _mentions(last.value, declared.name):
        first = last  # `size = property(size)`, which makes something else of the function
    if functions and is_function(first):
        return function_member(declared, name, functions, problems, ancestors)
    if declared.place.scope.module.parsed.is_type_statement(first):
        what = "is a `type` statement, which no other class can match"
        _refuse(declared, what, "move the statement out of the class", problems)
        return None
    match first:
        case ast.AnnAssign() if is_alias(first, declared.place.scope):
            _refuse_type(declared, problems)
        case ast.AnnAssign():
            return annotated_attribute(declared.place, declared.name, name, first, problems)
        case ast.Assign():
            return _assigned(declared, name, first, problems, ancestors)
        case ast.ClassDef():
            _refuse_type(declared, problems)
    return None


def _refuse_type(declared: Declared, problems: Problems) -> None:
    what = "is a type in the body of a Protocol, and so a member that every implementation needs"
    _refuse(declared, what, "define the type outside of the Protocol", problems)


def _refuse(declared: Declared, what: str, hint: str, problems: Problems) -> None:
    problems.report(
        "VCR207",
        f"`{declared.place.class_name}.{declared.name}` {what}",
        hint,
        module=declared.place.scope.module,
        node=declared.nodes[0],
    )


def _mentions(value: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(value))


def _assigned(
    declared: Declared,
    name: str,
    node: ast.Assign,
    problems: Problems,
    ancestors: Sequence[Ancestor],
) -> Member | None:
    """`name = value` in a Protocol's body: another name for a method, or a plain value."""
    target = _method_named(node.value, declared, ancestors)
    if target is None and names_type(node.value, declared.place.scope):
        _refuse_type(declared, problems)
        return None
    if target is None:
        return assigned_attribute(declared.place, declared.name, name, node, problems)
    member = _member(target, name, problems, ancestors)
    return replace(member, name=name) if member is not None else None


def _method_named(
    value: ast.expr, declared: Declared, ancestors: Sequence[Ancestor]
) -> Declared | None:
    """The declaration of the method behind `close = quit` or `close = Base.quit`."""
    scope = declared.place.scope
    for index, ancestor in enumerate(ancestors):
        if ancestor.node is not scope.classes[-1]:
            continue
        match value:
            case ast.Name(id=name):
                return _before(declared.nodes[0], name, ancestor, declared.place)
            case ast.Attribute(value=owner, attr=name):
                found = scope.resolve(owner)
                for base in ancestors[index + 1 :]:
                    if isinstance(found, Definition) and found.node is base.node:
                        inner = class_scope(scope.loader, base.definition, scope.unresolved)
                        return _before(None, name, base, MemberPlace(inner, base.arguments))
    return None


def _before(
    node: ast.stmt | None, name: str, ancestor: Ancestor, place: MemberPlace
) -> Declared | None:
    """What declares a method in a class, above a statement in it; perhaps by another name."""
    for other in declarations(ancestor, place):
        first = other.nodes[0]
        above = node is None or first.lineno < node.lineno
        if other.name == name and above:
            again = isinstance(first, ast.Assign) and isinstance(first.value, ast.Name)
            return other if again or is_function(first) else None
    return None
