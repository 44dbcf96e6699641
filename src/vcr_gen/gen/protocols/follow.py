"""Follows boundaries to the unmarked Protocols that they mention: their objects are handles too.

Which way such an object crosses gives the direction: one that the environment gives is outbound,
one that the application gives is inbound. A Protocol that only describes data is not followed, nor
is one with `__call__`: its objects are callbacks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from vcr_gen.gen.model.annotation import Annotation, Name, When, full_names, walk_with_owners
from vcr_gen.gen.model.boundary_model import Attribute, Boundary, Member, Method, Signature
from vcr_gen.gen.protocols.handles import own_definition, types_behind
from vcr_gen.gen.protocols.mro import is_protocol
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.sources.loader import Definition, SourceLoader

_OPPOSITE: Final[dict[Direction, Direction]] = {"outbound": "inbound", "inbound": "outbound"}
_CALLABLE: Final = "typing.Callable"
_CLASS: Final = "builtins.type"
STORED_OTHERWISE: Final = frozenset({"vcr_gen.boundary.Codec", "vcr_gen.boundary.Unrecorded"})


@dataclass(frozen=True, slots=True)
class Reached:
    """A Protocol that a boundary mentions."""

    definition: Definition
    direction: Direction
    place: str
    """Where it is mentioned, in words."""


def reached_protocols(loader: SourceLoader, boundary: Boundary) -> Iterator[Reached]:
    """The Protocols that the values of a boundary lead to, in order."""
    for member in boundary.members:
        direction = getattr(member, "direction", None) or boundary.direction
        for annotation, way, what in crossing(member, direction):
            if STORED_OTHERWISE.isdisjoint(full_names(annotation)):
                for found, there in _protocols(loader, annotation, way):
                    yield Reached(found, there, f"{boundary.qualname}.{member.name}: {what}")


def does_something(boundary: Boundary) -> bool:
    """Whether a Protocol has methods; otherwise it describes data."""
    methods = [member for member in boundary.members if isinstance(member, Method)]
    return bool(methods) and all(member.name != "__call__" for member in methods)


def crossing(member: Member, direction: Direction) -> Iterator[tuple[Annotation, Direction, str]]:
    """The annotations of a member, each with the direction of the objects there."""
    if not getattr(member, "recorded", True):
        return
    if isinstance(member, Attribute):
        yield member.value, direction, "attribute"
        return
    signatures = member.signatures if isinstance(member, Method) else member.accessors
    for signature in signatures:
        for annotation, name in _parameters(signature):
            yield annotation, _OPPOSITE[direction], f"parameter `{name}`"
        if signature.returns is not None:
            yield signature.returns, direction, "result"


def _parameters(signature: Signature) -> Iterator[tuple[Annotation, str]]:
    for parameter in signature.parameters:
        if parameter.annotation is not None:
            yield parameter.annotation, parameter.name


def _protocols(
    loader: SourceLoader, annotation: Annotation, direction: Direction
) -> Iterator[tuple[Definition, Direction]]:
    """The Protocols in an annotation, and in what its classes and aliases are made of."""
    seen: set[str] = set()
    pending = [(annotation, direction)]
    while pending:
        current, way = pending.pop(0)
        for node, owners in walk_with_owners(current):
            if not isinstance(node, Name) or node.full_name in seen or _CLASS in owners:
                continue
            seen.add(node.full_name)
            there = _OPPOSITE[way] if _is_taken(owners) else way
            found = own_definition(loader, node)
            if found is None or not is_protocol(loader, found):
                pending.extend((part, there) for part in types_behind(loader, node))
            elif "<locals>" not in found.qualname and found.when <= When.MAYBE:
                yield found, there


def _is_taken(owners: tuple[str, ...]) -> bool:
    """Whether a name is a parameter of a callback: what goes there comes from the other side."""
    pairs = pairwise(owners)
    return sum(outer == _CALLABLE and inner == "" for outer, inner in pairs) % 2 == 1
