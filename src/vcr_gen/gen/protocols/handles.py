"""Finds the other boundaries whose objects may cross a boundary: it has to know their wrappers."""

import ast
from collections import deque
from collections.abc import Container, Iterator

from vcr_gen.gen.model.annotation import Annotation, Name, names_in
from vcr_gen.gen.model.boundary_model import Boundary
from vcr_gen.gen.protocols.mro import class_scope, scope_around
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.syntax import annotations_of, is_function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import definition_of
from vcr_gen.known_types import STORED_AS_DATA


def handles(loader: SourceLoader, boundary: Boundary, known: Container[str]) -> Iterator[str]:
    """The other boundaries that annotations lead to, in order.

    They may be mentioned by an alias, the bound of a type variable, a field of a class that is
    stored as data, or what a Protocol with `__call__` takes and returns.
    """
    seen: set[str] = {boundary.full_name}
    pending = deque(_annotations(boundary))
    while pending:
        for name in names_in(pending.popleft()):
            if name.full_name in seen:
                continue
            found = own_definition(loader, name)
            full_name = found.full_name if found else name.full_name  # of what `lib` re-exports
            if full_name in known and full_name not in seen:
                yield full_name
            elif full_name not in known:
                pending.extend(types_behind(loader, name))
            seen |= {name.full_name, full_name}


def _annotations(boundary: Boundary) -> Iterator[Annotation]:
    yield from boundary.annotations()
    for variable in boundary.type_parameters:
        yield from variable.limits
    for signature in boundary.signatures():
        for variable in signature.type_parameters:
            yield from variable.limits


def types_behind(loader: SourceLoader, name: Name) -> tuple[Annotation, ...]:
    """The types that a name stands for or is made of."""
    if name.reference.kind not in {"import", "variable"} or not name.reference.module:
        return ()
    if name.full_name not in loader.made_of:
        found = own_definition(loader, name)
        loader.made_of[name.full_name] = tuple(_parts(loader, found)) if found else ()
    return loader.made_of[name.full_name]


def own_definition(loader: SourceLoader, name: Name) -> Definition | None:
    """The statement behind a name; Python's own types and bases of data hold no boundaries."""
    found = definition_of(loader, name)
    if not isinstance(found, Definition) or found.module.standard:
        return None
    return None if found.module.name.partition(".")[0] in STORED_AS_DATA else found


def _parts(loader: SourceLoader, found: Definition) -> Iterator[Annotation]:
    if isinstance(found.node, ast.ClassDef):
        scope = class_scope(loader, found, [])
        types = (*found.node.bases, *_fields(found.node), *_called(found.node))
    else:
        parameters = found.module.parsed.type_parameters(found.node)
        scope = scope_around(loader, found).with_parameters(parameters)
        types = tuple(_made_by(getattr(found.node, "value", None)))
    for node in types:
        yield resolve_names(node, scope)


def _fields(node: ast.ClassDef) -> Iterator[ast.expr]:
    """What the attributes of a dataclass, a `TypedDict` or a model are."""
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign):
            yield statement.annotation


def _called(node: ast.ClassDef) -> Iterator[ast.expr]:
    """The types that the `__call__` of a Protocol takes and returns."""
    for statement in node.body:
        if is_function(statement) and statement.name == "__call__":
            yield from annotations_of(statement)


def _made_by(value: object) -> Iterator[ast.expr]:
    """The type of an alias, or the arguments of `NamedTuple`, `TypedDict`, `NewType`, `TypeVar`."""
    match value:
        case ast.Call(args=arguments, keywords=keywords):
            for argument in (*arguments[1:], *(keyword.value for keyword in keywords)):
                yield from argument.values if isinstance(argument, ast.Dict) else (argument,)
        case ast.expr():
            yield value
