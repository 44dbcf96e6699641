"""Annotations that are not classes: unions, literals, aliases.

In a union, every plain kind has at most one owner that is stored bare; the others carry a tag.
A kind that only one member makes is that member's. Of several, the one to which a reader would
ascribe it (`str` among `str | Path`) owns it; where there is none (two dataclasses), all are
tagged. So the order of the members does not matter, and nothing is guessed from structure.
"""

from __future__ import annotations

import types
import typing
from collections import Counter, abc
from collections.abc import Iterable
from functools import cached_property
from io import IOBase
from typing import (
    IO,
    Any,
    Final,
    ForwardRef,
    Literal,
    NewType,
    ParamSpec,
    Union,
    get_args,
    get_origin,
)

from vcr_gen.field_path_syntax import Step
from vcr_gen.runtime.codec.annotations import (
    Scope,
    resolve,
    strip_qualifiers,
    union_of,
    widest,
)
from vcr_gen.runtime.codec.classes import TypeNode
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.lookup import describe
from vcr_gen.runtime.codec.marked_places import reachable
from vcr_gen.runtime.codec.node import (
    EXACT,
    NO_FIT,
    ClassNode,
    Node,
    Nodes,
    UnsupportedNode,
    Wrapper,
)
from vcr_gen.runtime.codec.object_identity import encode_attempt
from vcr_gen.runtime.codec.scalars import StrNode
from vcr_gen.runtime.codec.tags import NULL, STR, TAGGED, TYPE, VALUE, kind_of, tag, untag
from vcr_gen.runtime.plain import Plain


class OptionalNode(Wrapper):
    """One type or `None`."""

    def __init__(self, inner: Node, name: str) -> None:
        super().__init__(inner)
        self.name = name
        self.hides = inner.hides
        self.natural = inner.natural | {NULL}

    @property
    def kinds(self) -> frozenset[str]:
        return self.inner.kinds | {NULL}

    def encode(self, value: object) -> Plain:
        if value is None:
            return None
        plain = self.inner.encode(value)
        if plain is None and not self.inner.discards:
            return tag(self.inner.name, None, merge=False)
        return plain

    def decode(self, plain: Plain) -> object:
        if plain is None:
            return None
        if type(plain) is dict and TYPE in plain and plain == {TYPE: self.inner.name, VALUE: None}:
            return self.inner.decode(None)
        try:
            return self.inner.decode(plain)
        except Fault as fault:
            if fault.path == "$" and fault.expected == self.inner.name:
                raise Fault(self.name, fault.got, fault.hint) from fault
            raise

    def fits(self, value: object) -> int:
        return EXACT if value is None else self.inner.fits(value)

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        return (self, None) if plain is None else self.inner.opened(plain)

    def replace(self, value: object) -> object:
        return None if value is None else self.inner.replace(value)


class UnionNode(Node):
    """A union: the value has one of several types."""

    def __init__(self, members: tuple[Node, ...], name: str) -> None:
        self.name = name
        self._members: Final = tuple(sorted(members, key=lambda member: member.name))
        self.hides = any(member.hides for member in members)
        self.few = all(member.few for member in members)
        self._by_name: Final = {member.name: member for member in self._members}
        self.natural = frozenset().union(*(member.natural for member in members))

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(self._owners)

    @cached_property
    def _owners(self) -> dict[str, Node]:
        """The member that each kind belongs to; found when all of a recursive type is known."""
        owners: dict[str, Node] = {}
        for kind in frozenset().union(*(member.kinds for member in self._members)):
            claimants = [member for member in self._members if kind in member.kinds]
            natural = [member for member in claimants if kind in member.natural]
            if len(natural) == 1:
                owners[kind] = natural[0]
            elif len(claimants) == 1:
                owners[kind] = claimants[0]
        return owners

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return [((), member) for member in self._members]

    def encode(self, value: object) -> Plain:
        if type(value) is str and value.isascii() and self._stores_text:
            return value
        exact = self._exact.get(type(value))
        if exact is not None:
            encode = exact.encode
            try:
                plain = encode_attempt(encode, value) if self._holds_objects else encode(value)
                return self._tagged(exact, plain)
            except Fault:
                pass  # another member may take it: a tuple of texts for `Sequence[str]`
        return self._search(value)

    def decode(self, plain: Plain) -> object:
        if type(plain) is str and plain.isascii() and self._stores_text:
            return plain
        member, payload = self._open(plain)
        return member.decode(payload)

    def fits(self, value: object) -> int:
        fits = [fit for member in self._members if (fit := member.fits(value)) != NO_FIT]
        return min(fits, default=NO_FIT)

    def opened(self, plain: Plain) -> tuple[Node, Plain]:
        member, payload = self._open(plain)
        return member.opened(payload)

    def replace(self, value: object) -> object:
        candidates = self._candidates(value)
        if not candidates:
            return value
        *better, last = candidates
        stored_by = next((node for node in better if self._is_stored_by(node, value)), last)
        return stored_by.replace(value)

    def _is_stored_by(self, member: Node, value: object) -> bool:
        """Whether a member that fits takes a value; one that holds live parts is believed.

        To try that out would number them.
        """
        if any(part.is_live for part in reachable(member)):
            return True
        try:
            member.encode(value)
        except Fault:
            return False
        return True

    def _search(self, value: object) -> Plain:
        """The plain by the member that fits best."""
        first: Fault | None = None
        candidates = self._candidates(value)
        for member in candidates:
            try:
                return self._tagged(member, encode_attempt(member.encode, value))
            except Fault as fault:
                first = first or fault
        if first is not None and len(candidates) == 1:
            raise first
        got = "a value of another type" if self.hides else show(value)
        raise Fault(self.name, got, first.hint if first else "")

    def _tagged(self, member: Node, plain: Plain) -> Plain:
        if self._owners.get(kind_of(plain)) is member:
            return plain
        return tag(member.name, plain, merge=member.merges)

    def _open(self, plain: Plain) -> tuple[Node, Plain]:
        """The member that owns the kind or is named by the tag, and its plain."""
        kind = kind_of(plain)
        if kind == TAGGED and isinstance(plain, dict):
            name, plain = untag(plain, expected=self.name)
            member = self._by_name.get(name)
        else:
            member = self._owners.get(kind)
        if member is None:
            raise Fault(self.name, show(plain))
        return member, plain

    @cached_property
    def _stores_text(self) -> bool:
        """Whether a bare text is a `str`, the most frequent case of all."""
        return type(self._owners.get(STR)) is StrNode

    @cached_property
    def _holds_objects(self) -> bool:
        return any(each.holds_objects for each in reachable(self))

    @cached_property
    def _exact(self) -> dict[type, Node]:
        """The usual case without a search: one member stores exactly the value's class."""
        classes = Counter(member.cls for member in self._members if isinstance(member, ClassNode))
        return {
            member.cls: member
            for member in self._members
            if isinstance(member, ClassNode) and classes[member.cls] == 1
        }

    def _candidates(self, value: object) -> list[Node]:
        fits = [(member.fits(value), i) for i, member in enumerate(self._members)]
        return [self._members[i] for fit, i in sorted(fits) if fit != NO_FIT]


class LiteralNode(Wrapper):
    """The values of one type that a `Literal` lists."""

    def __init__(self, values: Iterable[object], name: str, inner: Node) -> None:
        super().__init__(inner)
        self.name = name
        self.few = True
        self._values: Final = {(type(value), value) for value in values}

    def encode(self, value: object) -> Plain:
        if self.fits(value) != EXACT:
            raise Fault(self.name, show(value))
        return self.inner.encode(value)

    def decode(self, plain: Plain) -> object:
        try:
            value = self.inner.decode(plain)
        except Fault as fault:
            raise Fault(self.name, fault.got) from fault
        if self.fits(value) != EXACT:
            raise Fault(self.name, show(plain))
        return value

    def fits(self, value: object) -> int:
        try:
            return EXACT if (type(value), value) in self._values else NO_FIT
        except TypeError:  # not hashable, so not a literal
            return NO_FIT


_STREAMS = (abc.Iterator, abc.AsyncIterator, abc.AsyncIterable, abc.Awaitable)


def form_node(nodes: Nodes, annotation: object) -> Node | None:
    """The node of a special form; None for a class."""
    simpler = _simplify(annotation)
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


def _simplify(annotation: object) -> object:
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
        return resolve(annotation, Scope({}))
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
    members = list(dict.fromkeys(members))  # one type with different words that are not ours
    present = [member for member in members if member.name != "None"]
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
    members: list[Node] = []
    for cls, group in by_type.items():
        inner = nodes.of_value(cls)
        listed = f"Literal[{', '.join(map(repr, group))}]"
        members.append(inner if cls is type(None) else LiteralNode(group, listed, inner))
    return _one_of(members, name)


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
            return "a file is not data; declare BinaryIO or TextIO, or a Protocol of what you use"
        if any(cls is each or issubclass(cls, each) for each in _STREAMS):
            return "a stream is not a value"
        return ""
    return "not a type of values"
