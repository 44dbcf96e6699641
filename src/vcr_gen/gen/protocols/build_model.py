"""Builds the model from the Protocols that were found."""

import ast
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from vcr_gen.gen.model.annotation import Reference, references
from vcr_gen.gen.model.boundaries import (
    Attribute,
    Boundary,
    SourceModule,
    TypeVariable,
)
from vcr_gen.gen.protocols.class_body import read_members
from vcr_gen.gen.protocols.decorators import is_deprecated
from vcr_gen.gen.protocols.discover import FoundProtocol
from vcr_gen.gen.protocols.field_rules import FieldFinder
from vcr_gen.gen.protocols.handles import handles
from vcr_gen.gen.protocols.mro import linearize, own_parameters, scope_around
from vcr_gen.gen.protocols.problems import Problems, RefusedProtocolError
from vcr_gen.gen.settings.config import BoundaryRule
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import Module, class_bindings
from vcr_gen.gen.sources.syntax import docstring_of
from vcr_gen.gen.types.import_targets import reference_to
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_variables import declaration

__all__ = ["build_module"]


def build_module(
    loader: SourceLoader,
    name: str,
    found: Iterable[FoundProtocol],
    known: Container[str],
    problems: Problems,
) -> SourceModule:
    """The model of one source module with all its boundaries."""
    boundaries: list[Boundary] = []
    variables: dict[Reference, TypeVariable] = {}
    lazy: set[bool] = set()
    display = name
    for protocol in found:
        display = problems.source(protocol.definition.module)
        before = len(problems.found)
        try:
            boundary = _boundary(loader, protocol, known, problems)
        except RefusedProtocolError:
            continue
        if len(problems.found) > before:
            continue
        boundaries.append(boundary)
        lazy.update(_laziness(boundary, protocol.definition.module))
        for reference in _all_references(boundary):
            if reference.kind == "variable" and reference not in variables:
                _declare(reference, loader, variables)
    return SourceModule(name, display, tuple(boundaries), variables, lazy == {True})


def _declare(
    reference: Reference, loader: SourceLoader, variables: dict[Reference, TypeVariable]
) -> None:
    variables[reference] = declaration(loader, reference)
    for annotation in variables[reference].limits:
        for other in references(annotation):
            if other.kind == "variable" and other not in variables:
                _declare(other, loader, variables)


def _boundary(
    loader: SourceLoader, found: FoundProtocol, known: Container[str], problems: Problems
) -> Boundary:
    definition = found.definition
    assert isinstance(definition.node, ast.ClassDef)
    unresolved: list[tuple[Module, ast.Name]] = []
    ancestors = linearize(loader, definition, problems)
    for ancestor in ancestors:
        _look_up_arguments(loader, ancestor.definition, unresolved)
    members = read_members(loader, ancestors, problems, unresolved)
    inside = {name for ancestor in ancestors for name in _imported_inside(ancestor.definition)}
    for module, node in unresolved:
        message = f"the name `{node.id}` in `{definition.qualname}` is not defined in its module"
        hint = "import or define it there; a type checker reports it too"
        if node.id in inside:
            message += ": an import in the body of a class makes it a member of the class"
            hint = "import it at the top of the module"
        problems.report("VCR106", message, hint, module=module, node=node)
    boundary = Boundary(
        qualname=definition.qualname,
        reference=_reference(loader, found),
        name=found.name,
        direction=found.direction,
        docstring=docstring_of(definition.node),
        type_parameters=own_parameters(loader, definition),
        members=members.members,
        constructors=members.constructors,
        deprecated=is_deprecated(definition.node, Scope(loader, definition.module)),
        full_name=definition.full_name,
    )
    boundary = replace(boundary, handles=tuple(handles(loader, boundary, known)))
    return _with_rules(loader, boundary, found.rule, problems) if found.rule else boundary


def _with_rules(
    loader: SourceLoader, boundary: Boundary, rule: BoundaryRule, problems: Problems
) -> Boundary:
    """The boundary with the fields that a rule of the configuration names."""
    finder = FieldFinder(loader, boundary)
    fields = tuple(finder.find(rule))
    for message, hint in finder.problems:
        problems.report_rule("VCR403", message, hint, line=rule.line)
    return replace(boundary, ruled_fields=fields)


def _imported_inside(definition: Definition) -> Iterator[str]:
    """The names that the body of a class imports."""
    if isinstance(definition.node, ast.ClassDef):
        bindings = class_bindings(definition.module, definition.node)
        yield from (binding.name for binding in bindings if binding.module)


def _reference(loader: SourceLoader, found: FoundProtocol) -> Reference:
    """The name to import: from the module that the rule names, or from where it is defined."""
    definition = found.definition
    head = definition.qualname.partition(".")[0]
    for module in (loader.module(found.module), definition.module):
        reference = reference_to(loader, module, head, []) if module else None
        if reference is not None:
            return reference
    return Reference(head, "import", definition.module.name, head)


def _look_up_arguments(
    loader: SourceLoader, definition: Definition, unresolved: list[tuple[Module, ast.Name]]
) -> None:
    """Find unknown names in the type arguments of a class's bases."""
    scope = replace(scope_around(loader, definition), unresolved=unresolved)
    for base in getattr(definition.node, "bases", ()):
        if isinstance(base, ast.Subscript) and not definition.module.standard:
            resolve_names(base.slice, scope)


def _laziness(boundary: Boundary, module: Module) -> Iterator[bool]:
    yield module.lazy_annotations
    for signature in boundary.signatures():
        if signature.lazy is not None:
            yield signature.lazy
    for member in boundary.members:
        if isinstance(member, Attribute):
            yield member.lazy


def _all_references(boundary: Boundary) -> Iterator[Reference]:
    for variable in boundary.type_parameters:
        yield variable.reference
    for text in boundary.annotations():
        yield from references(text)
