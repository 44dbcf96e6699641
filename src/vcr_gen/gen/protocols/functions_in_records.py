"""Finds functions inside records that go out: each is taken for a callback, unless it is marked."""

import ast
from collections import deque
from collections.abc import Container, Iterator
from typing import Final

from vcr_gen.gen.model.annotation import Annotation, full_names, names_in
from vcr_gen.gen.model.boundaries import Attribute, Boundary, Method
from vcr_gen.gen.protocols.handles import own_definition, types_behind
from vcr_gen.gen.protocols.mro import class_scope
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.types.resolve import resolve_names

__all__ = ["functions_in_records"]

_SETTLED: Final = frozenset(
    {
        "dataclasses.InitVar",
        "typing.ClassVar",
        *(f"vcr_gen.boundary.{word}" for word in ("ByName", "Codec", "Unrecorded")),
    }
)
"""Around the type of a field: the function is not a callback, or not part of the value."""
_DECORATORS: Final = frozenset(
    {
        *(f"attr.{name}" for name in ("attrs", "dataclass", "define", "frozen", "mutable", "s")),
        *(f"attrs.{name}" for name in ("define", "frozen", "mutable")),
        "dataclasses.dataclass",
        "pydantic.dataclasses.dataclass",
    }
)
_BASES: Final = frozenset(
    {
        "msgspec.Struct",
        "pydantic.BaseModel",
        "pydantic.main.BaseModel",
        "typing.NamedTuple",
        "typing.TypedDict",
    }
)


def functions_in_records(
    loader: SourceLoader, boundary: Boundary, known: Container[str]
) -> Iterator[tuple[Definition, ast.AnnAssign]]:
    """The fields of function types that values which go out may have, each once."""
    seen: set[str] = {boundary.full_name}
    pending = deque(_outgoing(boundary))
    while pending:
        annotation = pending.popleft()
        if not _SETTLED.isdisjoint(full_names(annotation)):
            continue
        for name in names_in(annotation):
            if name.full_name in seen or name.full_name in known:
                continue
            seen.add(name.full_name)
            pending.extend(types_behind(loader, name))
            found = own_definition(loader, name)
            if found is not None and _is_record(loader, found):
                for field, annotation in _fields(loader, found):
                    if _is_function(loader, annotation):
                        yield found, field


def _outgoing(boundary: Boundary) -> Iterator[Annotation]:
    """The types of what the program gives to the environment."""
    for member in boundary.members:
        if isinstance(member, Attribute):
            if member.settable or boundary.direction == "inbound":
                yield member.value
            continue
        if not member.recorded:
            continue
        outbound = (member.direction or boundary.direction) == "outbound"
        signatures = member.signatures if isinstance(member, Method) else member.accessors
        for signature in signatures:
            if outbound:
                annotations = [parameter.annotation for parameter in signature.parameters]
            else:
                annotations = [signature.returns]
            yield from filter(None, annotations)


def _is_record(loader: SourceLoader, found: Definition) -> bool:
    """Whether values of a class are stored field by field."""
    seen: set[str] = set()
    pending = [found]
    while pending:
        definition = pending.pop()
        if definition.full_name in seen or not isinstance(definition.node, ast.ClassDef):
            continue
        seen.add(definition.full_name)
        scope = class_scope(loader, definition, [])
        decorators = (
            node.func if isinstance(node, ast.Call) else node
            for node in definition.node.decorator_list
        )
        if any(scope.name_of(decorator) in _DECORATORS for decorator in decorators):
            return True
        for base in definition.node.bases:
            for name in names_in(resolve_names(base, scope)):
                if name.full_name in _BASES:
                    return True
                inherited = own_definition(loader, name)
                pending.extend([inherited] if inherited is not None else [])
    return False


def _fields(loader: SourceLoader, found: Definition) -> Iterator[tuple[ast.AnnAssign, Annotation]]:
    assert isinstance(found.node, ast.ClassDef)
    scope = class_scope(loader, found, [])
    for statement in found.node.body:
        if isinstance(statement, ast.AnnAssign):
            yield statement, resolve_names(statement.annotation, scope)


def _is_function(loader: SourceLoader, annotation: Annotation) -> bool:
    """Whether a type is a function's, directly or by an alias, with no word on what it is for."""
    seen: set[str] = set()
    pending = deque([annotation])
    is_function = False
    while pending:
        for name in names_in(pending.popleft()):
            if name.full_name in _SETTLED:
                return False
            is_function = is_function or name.full_name == "typing.Callable"
            alias = None if name.full_name in seen else own_definition(loader, name)
            seen.add(name.full_name)
            if alias is not None and not isinstance(alias.node, ast.ClassDef):
                pending.extend(types_behind(loader, name))
    return is_function
