"""Finds, in source, the types whose values are stored by their attributes or cannot be stored.

A class is judged by its text alone: its decorators, its bases and its attributes.
"""

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from vcr_gen.gen.model.annotation import Annotation, Name, full_names, names_in
from vcr_gen.gen.model.boundary_model import Boundary
from vcr_gen.gen.protocols.follow import STORED_OTHERWISE, crossing
from vcr_gen.gen.protocols.handles import types_behind
from vcr_gen.gen.protocols.mro import class_scope, is_protocol, scope_around
from vcr_gen.gen.sources.loader import Definition, SourceLoader, Unread, is_standard
from vcr_gen.gen.sources.syntax import is_function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope, definition_of
from vcr_gen.known_types import LIVE_METHODS, LIVE_MODULES, NOT_LIVE, STORED_AS_DATA

Verdict: TypeAlias = Literal["stored by attributes", "needs help", "source not found"]

_DATA_DECORATORS: Final = ("dataclass", "attrs", "define", "frozen", "mutable", "s")
"""The last parts of the names of decorators that declare the fields of a class."""
_PLAIN_BASES: Final = frozenset(
    {"builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing.Hashable"}
)
"""Bases outside the project that do not decide how objects are stored."""


@dataclass(frozen=True, slots=True)
class ValueNote:
    """A type whose values are not declared as data."""

    place: str
    """`Bank.balance: result.lock`"""
    type: str
    verdict: Verdict
    reason: str = ""


def value_notes(loader: SourceLoader, boundary: Boundary) -> Iterator[ValueNote]:
    """A note for each such type that the values of a boundary lead to, at its first place."""
    seen: set[str] = set()
    for member in boundary.members:
        direction = getattr(member, "direction", None) or boundary.direction
        for annotation, _, what in crossing(member, direction):
            words = what.replace("parameter ", "").replace("`", "")
            yield from _notes(
                loader, f"{boundary.qualname}.{member.name}: {words}", annotation, seen
            )


def _notes(
    loader: SourceLoader, place: str, annotation: Annotation, seen: set[str]
) -> Iterator[ValueNote]:
    pending = deque([(place, annotation)])
    while pending:
        place, annotation = pending.popleft()
        if not STORED_OTHERWISE.isdisjoint(full_names(annotation)):
            continue
        for name in names_in(annotation):
            package = name.full_name.partition(".")[0]
            if name.full_name in seen or name.reference.is_variable or package in STORED_AS_DATA:
                continue
            seen.add(name.full_name)
            found = definition_of(loader, name)
            if note := _note(place, name, found, loader):
                yield note
                if note.verdict == "needs help":
                    continue
            if isinstance(found, Definition) and _is_ordinary(loader, found):
                pending.extend(
                    (f"{place}.{attribute}", kind)
                    for attribute, kind in _attributes(loader, found).items()
                )
            else:
                pending.extend((place, part) for part in types_behind(loader, name))


def _note(
    place: str, name: Name, found: Definition | Unread | None, loader: SourceLoader
) -> ValueNote | None:
    package, last = name.full_name.partition(".")[0], name.full_name.rpartition(".")[2]
    if package in LIVE_MODULES and f"{package}.{last}" not in NOT_LIVE:
        return ValueNote(place, name.full_name, "needs help", "its objects are alive")
    if isinstance(found, Definition) and _is_file(loader, found):
        return ValueNote(place, found.full_name, "needs help", "declare BinaryIO or TextIO")
    if found is None or (isinstance(found, Unread) and not is_standard(found.module)):
        return ValueNote(place, name.full_name, "source not found")
    if not isinstance(found, Definition) or not _is_ordinary(loader, found):
        return None
    if method := _live_method(found):
        return ValueNote(place, found.full_name, "needs help", f"it has `{method}`")
    return ValueNote(place, found.full_name, "stored by attributes")


def _is_file(loader: SourceLoader, found: Definition, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a class outside the standard library extends a class of `io`."""
    if not isinstance(found.node, ast.ClassDef) or found.module.standard:
        return False
    scope, seen = scope_around(loader, found), seen | {found.full_name}
    if any(scope.name_of(base).startswith("io.") for base in found.node.bases):
        return True
    inner = (scope.resolve(base) for base in found.node.bases)
    return any(
        isinstance(base, Definition) and base.full_name not in seen and _is_file(loader, base, seen)
        for base in inner
    )


def _is_ordinary(loader: SourceLoader, found: Definition) -> bool:
    """Whether the objects of a class are stored by their attributes, as far as its text tells."""
    if not isinstance(found.node, ast.ClassDef) or found.module.standard:
        return False
    return not is_protocol(loader, found) and not _is_data(loader, found, set())


def _is_data(loader: SourceLoader, found: Definition, seen: set[str]) -> bool:
    """Whether a class declares its fields, or extends a class that the codec knows."""
    assert isinstance(found.node, ast.ClassDef)
    if found.full_name in seen:
        return False
    seen.add(found.full_name)
    scope = scope_around(loader, found)
    decorators = (
        node.func if isinstance(node, ast.Call) else node for node in found.node.decorator_list
    )
    if any(scope.name_of(each).rpartition(".")[2] in _DATA_DECORATORS for each in decorators):
        return True
    for base in found.node.bases:
        if isinstance(base, ast.Call):  # of `namedtuple`, or of another function that makes classes
            return True
        inner = scope.resolve(base)
        name = scope.name_of(base)
        if name.partition(".")[0] in STORED_AS_DATA:
            return True
        if isinstance(inner, Definition) and not inner.module.standard:
            if isinstance(inner.node, ast.ClassDef) and _is_data(loader, inner, seen):
                return True
        elif name and name not in _PLAIN_BASES:
            return True
    return False


def _live_method(found: Definition) -> str:
    assert isinstance(found.node, ast.ClassDef)
    defined = {node.name for node in found.node.body if is_function(node)}
    return next((name for name in LIVE_METHODS if name in defined), "")


def _attributes(loader: SourceLoader, found: Definition) -> dict[str, Annotation]:
    """The attributes that the body or the methods of a class set, with their types if declared.

    `self.x = Lock()` has the type `Lock`, and `self.x = x` that of the parameter.
    """
    assert isinstance(found.node, ast.ClassDef)
    scope = class_scope(loader, found, [])
    types: dict[str, ast.expr] = {}
    for node in found.node.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            types.setdefault(node.target.id, node.annotation)
        elif is_function(node):
            for attribute, kind in _set_in(node):
                types.setdefault(attribute, kind)
    return {name: resolve_names(kind, scope) for name, kind in types.items() if _leads(kind, scope)}


def _set_in(method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """The attributes of `self` that a method sets, where it shows their types."""
    parameters = [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
    annotations = {each.arg: each.annotation for each in parameters}
    for node in ast.walk(method):
        match node:
            case ast.AnnAssign(
                target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=kind
            ):
                yield name, kind
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Call(func=kind),
            ):
                yield name, kind
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Name(id=given),
            ) if annotation := annotations.get(given):
                yield name, annotation


def _leads(kind: ast.expr, scope: Scope) -> bool:
    """Whether an expression may be a type: the function of a call may also be a method."""
    if not isinstance(kind, ast.Name | ast.Attribute):
        return True
    found = scope.resolve(kind)
    return not isinstance(found, Definition) or isinstance(found.node, ast.ClassDef)
