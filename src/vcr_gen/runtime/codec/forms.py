"""Which node stores the values of an annotation that is not a class: unions, literals, aliases."""

from __future__ import annotations

import types
import typing
from collections import abc
from io import IOBase
from typing import IO, Any, ForwardRef, Literal, NewType, ParamSpec, Union, get_args, get_origin

from vcr_gen.runtime.codec.classes import TypeNode, UnsupportedNode
from vcr_gen.runtime.codec.enums import LiteralNode
from vcr_gen.runtime.codec.lookup import describe
from vcr_gen.runtime.codec.node import Node, Nodes
from vcr_gen.runtime.codec.resolve_annotations import (
    Reference,
    Scope,
    resolve,
    resolve_text,
    widest,
)
from vcr_gen.runtime.codec.rewrite import strip_qualifiers, union_of
from vcr_gen.runtime.codec.scalars import NoneNode
from vcr_gen.runtime.codec.unions import OptionalNode, UnionNode

_STREAMS = (abc.Iterator, abc.AsyncIterator, abc.AsyncIterable, abc.Awaitable)


def form_node(nodes: Nodes, annotation: object, scope: Scope) -> Node | None:
    """The node of a special form; None for a class."""
    simpler = _simplify(annotation, scope)
    if simpler is not annotation:
        return nodes.node(simpler)
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Union or origin is types.UnionType:
        members = [nodes.node(arg) for arg in args]
        return _one_of(members, describe(annotation, nodes.type_name))
    if origin is Literal:
        return _literal_node(nodes, args, describe(annotation, nodes.type_name))
    if origin is type:
        return _type_node(nodes, args[0], describe(annotation, nodes.type_name))
    why = _why_not(annotation, origin)
    return UnsupportedNode(describe(annotation, nodes.type_name), why) if why else None


def _simplify(annotation: object, scope: Scope) -> object:
    """The type behind an alias, a name or a type variable; anything else unchanged."""
    if annotation is None:
        return type(None)
    if annotation is Any:
        return object
    if annotation is typing.LiteralString:
        return str
    if isinstance(annotation, NewType):
        return annotation.__supertype__
    if isinstance(annotation, str | ForwardRef):
        return resolve(annotation, scope)
    if isinstance(annotation, Reference):
        return resolve_text(annotation.name, annotation.scope)
    origin = get_origin(annotation)
    if _is_named(origin, "TypeGuard", "TypeIs"):
        return bool
    if _is_named(origin, "Unpack"):
        return get_args(annotation)[0]
    if _is_alias(origin) and origin is not None:
        return typing.cast("Any", origin.__value__)[_arguments(origin, get_args(annotation))]
    if _is_alias(annotation):
        return typing.cast("Any", annotation).__value__
    return strip_qualifiers(widest(annotation))


def _arguments(alias: object, arguments: tuple[object, ...]) -> tuple[object, ...]:
    """The arguments of an alias by variable; `...` for a ParamSpec of any parameters."""
    variables = getattr(alias, "__type_params__", ())
    if len(variables) != len(arguments):
        return arguments
    return tuple(
        ... if isinstance(variable, ParamSpec) and argument is Any else argument
        for variable, argument in zip(variables, arguments, strict=True)
    )


def _is_alias(annotation: object) -> bool:
    return type(annotation).__name__ == "TypeAliasType"


def _is_named(origin: object, *names: str) -> bool:
    return getattr(origin, "_name", None) in names


def _one_of(members: list[Node], name: str) -> Node:
    present = [member for member in members if not isinstance(member, NoneNode)]
    if not present:
        return members[0]
    if len({member.name for member in present}) != len(present):
        return UnsupportedNode(name, "two of its types have the same name")
    if len(present) == len(members) == 1:
        return present[0]
    if len(present) == 1:
        return OptionalNode(present[0], name)
    return UnionNode(tuple(members), name)


def _literal_node(nodes: Nodes, values: tuple[object, ...], name: str) -> Node:
    by_type: dict[type, list[object]] = {}
    for value in values:
        by_type.setdefault(type(value), []).append(value)
    return _one_of(
        [
            (
                nodes.node(None)
                if cls is type(None)
                else LiteralNode(tuple(group), _literal_name(group), nodes.of_value(cls))
            )
            for cls, group in by_type.items()
        ],
        name,
    )


def _literal_name(group: list[object]) -> str:
    return f"Literal[{', '.join(repr(value) for value in group)}]"


def _type_node(nodes: Nodes, declared: object, name: str) -> Node:
    declared = widest(declared)
    if get_origin(declared) in (Union, types.UnionType):
        members = tuple(types.GenericAlias(type, (arg,)) for arg in get_args(declared))
        return nodes.node(union_of(members))
    base = get_origin(declared) or declared
    if base is Any or not isinstance(base, type) or getattr(base, "_is_protocol", False):
        base = object  # `Any` is a class since Python 3.11, and nothing is below it
    return TypeNode(nodes, base, name)


def _why_not(annotation: object, origin: object) -> str:
    cls = origin or annotation
    if cls is abc.Callable or cls is typing.Callable:
        return "a function is not data"
    if isinstance(cls, type):
        if issubclass(cls, IO | IOBase):
            return "a file is not data; declare a Protocol of what is used of it, and mark that"
        if any(cls is each or issubclass(cls, each) for each in _STREAMS):
            return "a stream is not a value"
        return ""
    return "not a type of values"
