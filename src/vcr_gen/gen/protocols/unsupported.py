"""Finds shapes that no wrapper can have, as type checkers see it."""

import ast
from collections.abc import Sequence

from vcr_gen.gen.model.annotation import (
    Reference,
    Subscript,
    full_name,
    full_names,
    references,
    variables_of,
    walk,
)
from vcr_gen.gen.model.boundaries import Signature, TypeVariable
from vcr_gen.gen.protocols.declarations import MemberPlace
from vcr_gen.gen.protocols.mro import Ancestor, own_parameters
from vcr_gen.gen.protocols.problems import Problems
from vcr_gen.gen.sources.loader import SourceLoader
from vcr_gen.gen.sources.syntax import Function, annotations_of
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_variables import declaration

__all__ = ["refuse_dataclasses", "why_captured", "why_undecided", "why_unsayable"]


def why_undecided(
    signature: Signature, scope: Scope, ancestors: Sequence[Ancestor]
) -> tuple[str, str] | None:
    """Why the result of a method cannot be declared, and a hint."""
    for variable in _undecided(signature, scope, ancestors):
        return (
            f"returns one of the types of `{variable.reference.spelling}`, and no parameter "
            "decides which",
            "use it for a parameter too, or return a union of the types",
        )
    return None


def why_captured(node: Function, place: MemberPlace) -> tuple[str, str] | None:
    """What makes it impossible to inherit a method that is generic itself, and a hint.

    Its own type variables cannot be distinguished from those of the inheriting Protocol where they
    have the same names.
    """
    if not place.arguments:
        return None
    given = {variable.spelling for variable in variables_of(place.arguments.values())}
    scope = _inside(node, place).scope
    annotations = [resolve_names(annotation, scope) for annotation in annotations_of(node)]
    own = {variable.spelling for variable in variables_of(annotations)}
    for name in sorted((own - set(place.arguments)) & given):
        return (
            f"has its own type variable `{name}`, and the Protocol that inherits it has one too",
            "rename one of the two",
        )
    return None


def why_unsayable(node: Function, place: MemberPlace) -> tuple[str, str] | None:
    """What makes it impossible to write a signature with the arguments of a base, and a hint."""
    if not place.arguments:
        return None
    before = [*node.args.posonlyargs, *node.args.args][1:]
    match node.args.vararg.annotation if node.args.vararg else None:
        case ast.Attribute(value=ast.Name(id=name)) if before and name in place.arguments:
            if full_name(place.arguments[name]) == "typing.Concatenate":
                return (
                    f"has parameters before those of `{name}`, for which a base is given "
                    "`Concatenate`; type checkers disagree about the result",
                    "declare the method in this Protocol too, with all its parameters",
                )
    inside = _inside(node, place)
    if any(_has_type_of_literal(inside, annotation) for annotation in annotations_of(node)):
        return (
            "uses `type[...]` of a `Literal` that a base is given, which is not a type",
            "declare the method in this Protocol too, with another annotation",
        )
    return None


def _inside(node: Function, place: MemberPlace) -> MemberPlace:
    """The place inside a function, which may have type parameters of its own."""
    brackets = place.scope.module.parsed.type_parameters(node)
    return MemberPlace(place.scope.with_parameters(brackets), place.arguments)


def _has_type_of_literal(place: MemberPlace, annotation: ast.expr) -> bool:
    return any(
        isinstance(node, Subscript)
        and full_name(node) in {"builtins.type", "typing.Type"}
        and full_name(node.inner) == "typing.Literal"
        for node in walk(place.typed(annotation))
    )


def _undecided(
    signature: Signature, scope: Scope, ancestors: Sequence[Ancestor]
) -> list[TypeVariable]:
    """The method's own type variables with constraints that its result alone mentions."""
    variables = variables_of([signature.returns])
    types = set(full_names(signature.returns)) - {variable.full_name for variable in variables}
    if any(map(_rescopes, types)):
        return []
    known = {parameter.name for parameter in own_parameters(scope.loader, ancestors[0].definition)}
    known.update(
        reference.spelling
        for parameter in (signature.receiver, *signature.parameters)
        if parameter is not None
        for reference in references(parameter.annotation)
    )
    free = [variable for variable in variables if variable.spelling not in known]
    declared = [_declared(variable, signature, scope) for variable in free]
    return [variable for variable in declared if variable.arguments]


def _rescopes(name: str) -> bool:
    """Whether a type may be a function, whose own the type variables in it then are."""
    module, _, attribute = name.rpartition(".")
    return module not in {"", "builtins", "typing"} or attribute == "Callable"


def _declared(reference: Reference, signature: Signature, scope: Scope) -> TypeVariable:
    brackets = {variable.name: variable for variable in signature.type_parameters}
    if reference.kind == "parameter":
        return brackets.get(reference.spelling, TypeVariable(reference, "TypeVar"))
    return declaration(scope.loader, reference)


def refuse_dataclasses(
    loader: SourceLoader, ancestors: Sequence[Ancestor], problems: Problems
) -> None:
    """`@dataclass` gives a Protocol members that only another dataclass can have."""
    for ancestor in ancestors:
        scope = Scope(loader, ancestor.definition.module)
        for decorator in ancestor.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if scope.name_of(called) == "dataclasses.dataclass":
                problems.report(
                    "VCR206",
                    f"`{ancestor.node.name}` is a dataclass, and a wrapper cannot be one",
                    "remove `@dataclass` from the Protocol; its attributes are members anyway",
                    module=ancestor.definition.module,
                    node=ancestor.node,
                )
