"""Builds the model from the Protocols that were found."""

import ast
from collections import Counter, deque
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from vcr_gen.gen.model.annotation import Reference, references
from vcr_gen.gen.model.boundary_model import (
    Attribute,
    Boundary,
    SourceModule,
    TypeVariable,
)
from vcr_gen.gen.protocols.class_body import read_members
from vcr_gen.gen.protocols.decorators import is_deprecated
from vcr_gen.gen.protocols.discover import FoundProtocol
from vcr_gen.gen.protocols.field_rules import FieldFinder
from vcr_gen.gen.protocols.follow import does_something, reached_protocols
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

_TOO_DEEP: Final = "the bases or the types of a Protocol are nested too deeply"
_SIMPLIFY: Final = "simplify the Protocol, or `exclude` the file"


def read_boundaries(
    loader: SourceLoader, found: Iterable[FoundProtocol], problems: Problems
) -> Iterator[tuple[FoundProtocol, Boundary]]:
    """The models of Protocols that can be wrapped, and of those that they lead to."""
    boundaries: dict[str, tuple[FoundProtocol, Boundary]] = {}
    refused: set[str] = set()
    near: set[str] = set()
    """What marked Protocols mention: others that mention it too do not change its direction."""
    pending = deque(found)
    while pending:
        protocol = pending.popleft()
        boundary = _read(loader, protocol, problems)
        if boundary is None:
            refused.add(protocol.definition.full_name)
            continue
        boundaries[boundary.full_name] = protocol, boundary
        if problems.config.follow:
            is_marked = not protocol.reached_from
            for each in _followed(loader, boundary):
                name = each.definition.full_name
                if name in refused or (name in near and not is_marked):
                    continue
                if _is_news(each, boundaries, pending):
                    pending.append(each)
                if is_marked:
                    near.add(name)
    names = Counter(boundary.name for _, boundary in boundaries.values())
    for each, boundary in boundaries.values():
        is_unique = not each.reached_from or names[boundary.name] == 1
        yield each, boundary if is_unique else replace(boundary, name=boundary.full_name)


def _read(loader: SourceLoader, protocol: FoundProtocol, problems: Problems) -> Boundary | None:
    """The model of a Protocol; None if it cannot be wrapped, which is an error if it is marked."""
    of_protocol = Problems(problems.config)
    try:
        boundary = _boundary(loader, protocol, of_protocol)
    except RecursionError:
        module = protocol.definition.module
        of_protocol.report("VCR101", _TOO_DEEP, _SIMPLIFY, module=module, node=None)
    except RefusedProtocolError:
        pass
    else:
        if not of_protocol.found and (not protocol.reached_from or does_something(boundary)):
            return boundary
    if not protocol.reached_from:
        problems.found.extend(of_protocol.found)
    return None


def _followed(loader: SourceLoader, boundary: Boundary) -> Iterator[FoundProtocol]:
    for reached in reached_protocols(loader, boundary):
        definition = reached.definition
        name = definition.qualname.rpartition(".")[2]
        place = f"{boundary.full_name.removesuffix(boundary.qualname)}{reached.place}"
        yield FoundProtocol(
            definition, reached.direction, name, definition.module.name, reached_from=place
        )


def _is_news(
    reached: FoundProtocol,
    boundaries: Mapping[str, tuple[FoundProtocol, Boundary]],
    pending: Iterable[FoundProtocol],
) -> bool:
    """Whether a Protocol is reached for the first time, or for the first time as outbound.

    An object that the environment gives may be passed back to it, so outbound wins.
    """
    name = reached.definition.full_name
    before = [each for each in pending if each.definition.full_name == name]
    if name in boundaries:
        before.append(boundaries[name][0])
    is_settled = any(not each.reached_from or each.direction == "outbound" for each in before)
    return not before or (not is_settled and reached.direction == "outbound")


def build_module(
    loader: SourceLoader,
    name: str,
    found: Iterable[tuple[FoundProtocol, Boundary]],
    known: Container[str],
    problems: Problems,
) -> SourceModule:
    """The model of one source module with all its boundaries."""
    boundaries: list[Boundary] = []
    variables: dict[Reference, TypeVariable] = {}
    lazy: set[bool] = set()
    display = name
    for protocol, alone in found:
        display = problems.source(protocol.definition.module)
        boundary = replace(alone, handles=tuple(handles(loader, alone, known)))
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


def _boundary(loader: SourceLoader, found: FoundProtocol, problems: Problems) -> Boundary:
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
