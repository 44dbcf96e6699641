"""Reads annotations of `self` and `cls`, and uses of `Self`."""

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from vcr_gen.gen.model.annotation import (
    Annotation,
    Name,
    Subscript,
    full_name,
    unquoted,
    variables_of,
    walk,
)
from vcr_gen.gen.protocols.declarations import MemberPlace
from vcr_gen.gen.protocols.mro import (
    Ancestor,
    NamedClass,
    annotated_class,
    is_protocol,
    named_class,
    own_parameters,
    scope_around,
)
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import class_bindings
from vcr_gen.gen.sources.syntax import Function, annotations_of
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_variables import bracketed, declaration

__all__ = [
    "asked_of_instance",
    "limits_self",
    "why_self_is_bounded",
    "why_uncallable",
]

_EVERY_OBJECT: Final = frozenset({*dir(object), "__slots__"})


def asked_of_instance(node: Function, place: MemberPlace) -> NamedClass | None:
    """The class that the first parameter of a method is annotated with, and its arguments.

    The bound of a type variable counts as the annotation, and so does `T` of `type[T]`.
    """
    first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
    if first is None or first.annotation is None:
        return None
    scope = place.scope.with_parameters(place.scope.module.parsed.type_parameters(node))
    asked = unquoted(MemberPlace(scope, place.arguments).typed(first.annotation))
    if isinstance(asked, Subscript) and full_name(asked) in {"builtins.type", "typing.Type"}:
        asked = unquoted(asked.inner)
    if isinstance(asked, Name) and asked.reference.is_variable:
        return _bound(asked, scope)
    return annotated_class(asked, scope)


def _bound(variable: Name, scope: Scope) -> NamedClass | None:
    """The class that a type variable is bound to."""
    parameter = scope.parameters.get(variable.reference.spelling)
    if variable.reference.kind == "parameter" and parameter is not None:
        bound = bracketed(parameter, scope).bound
    else:
        bound = declaration(scope.loader, variable.reference).bound
    return None if bound is None else annotated_class(bound, scope)


def limits_self(
    asked: NamedClass | None, ancestors: Sequence[Ancestor], loader: SourceLoader
) -> bool:
    """Whether not every instance of the Protocol is what `self` is annotated with."""
    definition, arguments = asked or (None, None)
    if definition is None or not arguments:
        return False
    own = [parameter.name for parameter in own_parameters(loader, ancestors[0].definition)]
    given = [_variable(argument) for argument in arguments]
    return definition.full_name != ancestors[0].definition.full_name or given != own


def why_uncallable(
    asked: NamedClass | None, ancestors: Sequence[Ancestor], loader: SourceLoader
) -> tuple[str, str] | None:
    """Why a method can be called on no wrapper, and a hint."""
    if asked is None:
        return None
    definition, arguments = asked
    own = [parameter.name for parameter in own_parameters(loader, ancestors[0].definition)]
    for argument in arguments or ():
        if variables_of([argument]) and _variable(argument) not in own:
            return (
                "has type variables in the annotation of its first parameter: type checkers cannot "
                "solve them for a wrapper",
                "annotate it with a type without type variables, or not at all",
            )
    for ancestor in ancestors:
        if ancestor.definition.full_name == definition.full_name:
            return _why_never(definition, arguments or (), ancestor.arguments.values())
    if not is_protocol(loader, definition):
        if definition.module.standard:
            return None
        return (
            f"can only be called on a `{definition.qualname}`, and a wrapper is not one",
            "annotate its first parameter with a Protocol, or not at all",
        )
    known = {name for ancestor in ancestors for name in _own_names(ancestor.definition)}
    if missing := sorted(_names(definition, loader) - known - _EVERY_OBJECT):
        return (
            f"can only be called on a `{definition.qualname}`, and the Protocol has no "
            f"`{missing[0]}`",
            f"inherit from `{definition.qualname}`, or annotate its first parameter with what "
            "the Protocol has",
        )
    return None


def _why_never(
    definition: Definition, asked: Iterable[Annotation], given: Iterable[Annotation]
) -> tuple[str, str] | None:
    """Why what a base's method asks is not what the Protocol gives the base; a hint."""
    for wanted, had in zip(asked, given, strict=False):
        pair = _builtin_class(had), _builtin_class(wanted)
        if pair[0] and pair[1] and not issubclass(pair[0], pair[1]):
            return (
                f"can only be called on a `{definition.qualname}` of `{pair[1].__name__}`, and "
                f"this Protocol is a `{definition.qualname}` of `{pair[0].__name__}`",
                "declare the method in this Protocol too, with a `self` that fits it",
            )
    return None


def _variable(argument: Annotation) -> str:
    """The spelling of a plain name."""
    if isinstance(argument, Name) and not argument.tail:
        return argument.reference.spelling
    return ""


def _builtin_class(annotation: Annotation) -> type | None:
    module, _, name = full_name(annotation).rpartition(".")
    found = getattr(builtins, name, None) if module == "builtins" else None
    return found if isinstance(found, type) else None


def _names(definition: Definition, loader: SourceLoader) -> set[str]:
    """The members of a Protocol and its bases, as far as they can be found."""
    found: set[str] = set()
    pending, seen = [definition], set[str]()
    while pending:
        protocol = pending.pop()
        if protocol.full_name in seen:
            continue
        seen.add(protocol.full_name)
        found.update(_own_names(protocol))
        scope = scope_around(loader, protocol)
        bases = (named_class(base, scope) for base in getattr(protocol.node, "bases", ()))
        pending.extend(base for base, _ in filter(None, bases) if is_protocol(loader, base))
    return found


def _own_names(definition: Definition) -> Iterator[str]:
    assert isinstance(definition.node, ast.ClassDef)
    for binding in class_bindings(definition.module, definition.node):
        if not binding.module:
            yield binding.name


def why_self_is_bounded(node: Function, place: MemberPlace) -> tuple[str, str] | None:
    """Why `Self` cannot be an argument of a type in a signature, and a hint."""
    scope = place.scope.with_parameters(place.scope.module.parsed.type_parameters(node))
    for annotation in annotations_of(node):
        for generic in walk(resolve_names(annotation, scope)):
            if isinstance(generic, Subscript) and _bounds_self(generic, scope):
                return (
                    f"has `Self` as an argument of `{full_name(generic)}`, whose type parameter "
                    "has a bound: type checkers do not accept a wrapper there",
                    "name the Protocol instead of `Self`",
                )
    return None


def _bounds_self(generic: Subscript, scope: Scope) -> bool:
    if "typing.Self" not in map(full_name, generic.arguments):
        return False
    found = scope.resolve(generic)
    if not isinstance(found, Definition) or not isinstance(found.node, ast.ClassDef):
        return False
    return any(parameter.bound is not None for parameter in own_parameters(scope.loader, found))
