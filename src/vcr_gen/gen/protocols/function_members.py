"""Turns the functions in a Protocol's body into methods and properties of the model."""

import ast
from collections.abc import Sequence
from dataclasses import replace

from vcr_gen.gen.model.annotation import Subscript, full_name, walk
from vcr_gen.gen.model.boundary_model import Default, Method, Property, Signature
from vcr_gen.gen.protocols.declarations import Declared, Decorated, functions_of
from vcr_gen.gen.protocols.mro import Ancestor, own_parameters
from vcr_gen.gen.protocols.problems import RefusedMemberError
from vcr_gen.gen.protocols.signatures import signature_of
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.sources.loader import Definition
from vcr_gen.gen.types.scope import Scope


def function_member(declared: Declared, ancestors: Sequence[Ancestor]) -> Method | Property:
    """A method or property, from all functions of its name in one class body."""
    functions = functions_of(declared)
    signatures = _signatures(declared, functions, ancestors)
    if functions[0][1].role != "method":
        return _property(declared, functions, signatures)
    pairs = list(zip(functions, signatures, strict=True))
    overloads = [signature for (_, how), signature in pairs if how.overload]
    plain = [signature for (_, how), signature in pairs if not how.overload]
    return Method(
        declared.name,
        functions[-1][1].binding,
        (plain or overloads)[-1],
        overloads=tuple(map(_overload, overloads)),
        implemented=bool(plain),
        direction=_direction(declared, functions),
        recorded=all(how.recorded for _, how in functions),
        deprecated=any(how.deprecated for _, how in functions),
        disputed=declared.disputed,
    )


def constructors(declared: Declared, ancestors: Sequence[Ancestor]) -> tuple[Signature, ...]:
    """The signatures of `__init__`."""
    functions = functions_of(declared)
    signatures = _signatures(declared, functions, ancestors)
    pairs = list(zip(functions, signatures, strict=True))
    return tuple(signature for (_, how), signature in pairs if how.overload) or signatures


def _signatures(
    declared: Declared, functions: list[Decorated], ancestors: Sequence[Ancestor]
) -> tuple[Signature, ...]:
    """The signatures of all functions; refuses those that no wrapper can have."""
    found: list[Signature] = []
    for node, decorated in functions:
        if decorated.binding != "static" and not (node.args.posonlyargs or node.args.args):
            raise RefusedMemberError(
                "VCR204",
                f"{declared} has no parameter for the instance",
                "add `self` as its first parameter, or make it a `@staticmethod`",
                node,
            )
        signature = signature_of(node, declared.place, decorated)
        found.append(signature)
        if other := _other_instance(signature, ancestors):
            raise RefusedMemberError(
                "VCR207",
                f"{declared} can only be called on a `{other}`, and a wrapper is not one",
                "annotate its first parameter with the Protocol itself, or not at all",
                node,
            )
        if generic := _bounded_type_of_self(signature, declared.place.scope):
            raise RefusedMemberError(
                "VCR207",
                f"{declared} has `Self` as an argument of `{generic}`, whose type parameter has a "
                "bound: type checkers do not accept a wrapper there",
                "name the Protocol instead of `Self`",
                node,
            )
    return tuple(found)


def _other_instance(signature: Signature, ancestors: Sequence[Ancestor]) -> str:
    """The class that `self` is annotated with, if it is neither the Protocol nor a base of it."""
    name = full_name(signature.instance_type)
    known = {ancestor.definition.full_name for ancestor in ancestors}
    is_own = signature.self_type is not None or name == "typing.Self" or name in known
    return "" if is_own else name.rpartition(".")[2]


def _bounded_type_of_self(signature: Signature, scope: Scope) -> str:
    """The type with a bounded type parameter that has `Self` as an argument."""
    for annotation in signature.annotations():
        for generic in walk(annotation):
            if not isinstance(generic, Subscript):
                continue
            if "typing.Self" not in map(full_name, generic.arguments):
                continue
            match scope.resolve(generic):
                case Definition(node=ast.ClassDef()) as found:
                    if any(variable.bound for variable in own_parameters(scope.loader, found)):
                        return full_name(generic)
    return ""


def _direction(declared: Declared, functions: list[Decorated]) -> Direction | None:
    """The direction that marks on the functions give."""
    directions = {direction for _, how in functions for direction in how.directions}
    if len(directions) > 1:
        raise RefusedMemberError(
            "VCR110",
            f"{declared} is marked `@outbound` and `@inbound`",
            "remove one of the marks; a member has one direction",
            declared.nodes[0],
        )
    return directions.pop() if directions else None


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
    declared: Declared, functions: list[Decorated], signatures: Sequence[Signature]
) -> Property:
    by_role: dict[str, Signature] = {}
    for (_, how), signature in zip(functions, signatures, strict=True):
        by_role["getter" if how.role == "property" else how.role] = signature
    if "getter" not in by_role:
        raise RefusedMemberError(
            "VCR203",
            f"{declared} extends a property that is declared elsewhere",
            "declare the property here, with its getter",
            declared.nodes[0],
        )
    return Property(
        declared.name,
        by_role["getter"],
        by_role.get("setter"),
        by_role.get("deleter"),
        direction=_direction(declared, functions),
        recorded=all(how.recorded for _, how in functions),
        deprecated=any(how.deprecated for _, how in functions),
        disputed=declared.disputed,
    )
