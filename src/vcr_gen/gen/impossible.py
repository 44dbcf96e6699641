"""Finds what no wrapper can have or be, as type checkers see it."""

import ast
from collections.abc import Sequence

from vcr_gen.gen.annotations import bind
from vcr_gen.gen.flatten import Ancestor, is_protocol, own_variables, variables_in
from vcr_gen.gen.library import Definition, Library
from vcr_gen.gen.model import Signature, TypeVariable
from vcr_gen.gen.names import variables_of
from vcr_gen.gen.problems import Problems
from vcr_gen.gen.scopes import Scope
from vcr_gen.gen.signatures import Place
from vcr_gen.gen.syntax import Function
from vcr_gen.gen.text import Reference, Text, fold, full_names, opened, references
from vcr_gen.gen.variables import declaration

__all__ = ["refuse_dataclasses", "why_captured", "why_impossible"]


def why_impossible(
    signature: Signature, scope: Scope, ancestors: Sequence[Ancestor]
) -> tuple[str, str] | None:
    """What makes it impossible that a wrapper has the signature, and a hint."""
    owner = _owner(signature, scope)
    if owner is not None and owner.full_name not in {one.definition.full_name for one in ancestors}:
        return (
            f"can be called on a `{owner.qualname}` alone, which no wrapper is",
            "annotate its first parameter with a Protocol, or not at all",
        )
    for variable in _undecided(signature, scope, ancestors):
        return (
            f"returns one of the types of `{variable.reference.spelling}`, and no argument "
            "says which",
            "say so of an argument too, or return a union of the types",
        )
    return None


def why_captured(node: Function, place: Place) -> tuple[str, str] | None:
    """What makes it impossible to inherit a method that is generic itself, and a hint.

    Its own type variables cannot be told from those of the Protocol that inherits it where they
    have the same names.
    """
    if not place.arguments:
        return None
    given = {one.spelling for value in place.arguments.values() for one in variables_in(value)}
    brackets = place.scope.module.parsed.type_parameters(node)
    scope = place.scope.with_parameters(brackets)
    annotations = [one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)]
    own = {
        one.spelling
        for annotation in (*annotations, node.returns)
        if annotation is not None
        for one in variables_in(bind(annotation, scope))
    }
    for name in sorted((own - set(place.arguments)) & given):
        return (
            f"has a type variable `{name}` of its own, and is inherited by a Protocol with another",
            "give one of the two another name",
        )
    return None


def _owner(signature: Signature, scope: Scope) -> Definition | None:
    """The class, and no Protocol, that the annotation of `self` or `cls` names."""
    receiver = signature.receiver
    named = _named(opened(receiver.annotation)) if receiver and receiver.annotation else None
    if named is not None and named.kind in {"variable", "parameter"}:
        bound = _declared(named, signature, scope).bound
        named = _named(opened(bound)) if bound else None
    module = scope.library.module(named.module) if named is not None else None
    if named is None or module is None or module.standard:
        return None
    found = scope.library.follow(module, named.attribute)
    if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
        return None
    return None if is_protocol(scope.library, found) else found


def _named(text: Text) -> Reference | None:
    """The one type that `T`, `T[...]` or `type[T]` says."""
    match text:
        case (Reference(full_name="builtins.type" | "typing.Type"), "[", *rest):
            return _named((*rest[:-1],))
        case (Reference() as only,):
            return only
        case (Reference() as first, str() as after, *_, "]") if after.startswith("["):
            return first
    return None


def _undecided(
    signature: Signature, scope: Scope, ancestors: Sequence[Ancestor]
) -> list[TypeVariable]:
    """The method's own type variables with constraints that its result alone mentions."""
    returns = signature.returns or ()
    if any(map(_rescopes, full_names(returns))):
        return []
    known = {one.spelling for one in own_variables(scope.library, ancestors[0].definition)}
    known.update(
        one.spelling
        for parameter in (signature.receiver, *signature.parameters)
        if parameter is not None
        for one in references(parameter.annotation or ())
    )
    free = [one for one in variables_of([returns]) if one.spelling not in known]
    declared = [_declared(one, signature, scope) for one in free]
    return [one for one in declared if one.arguments]


def _rescopes(name: str) -> bool:
    """Whether a type may be a function, whose own the type variables in it then are."""
    module, _, attribute = fold(name).rpartition(".")
    return module not in {"", "builtins", "typing"} or attribute == "Callable"


def _declared(reference: Reference, signature: Signature, scope: Scope) -> TypeVariable:
    brackets = {one.reference.spelling: one for one in signature.type_parameters}
    if reference.kind == "parameter":
        return brackets.get(reference.spelling, TypeVariable(reference, "TypeVar"))
    return declaration(reference, scope)


def refuse_dataclasses(library: Library, ancestors: Sequence[Ancestor], problems: Problems) -> None:
    """`@dataclass` gives a Protocol members that only another dataclass can have."""
    for ancestor in ancestors:
        scope = Scope(library, ancestor.definition.module)
        for decorator in ancestor.node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if scope.name_of(called) == "dataclasses.dataclass":
                problems.report(
                    "VCR206",
                    f"`{ancestor.node.name}` is a dataclass, which no wrapper can stand in for",
                    "remove `@dataclass` from the Protocol; its attributes are members anyway",
                    module=ancestor.definition.module,
                    node=ancestor.node,
                )
