"""Turns the model of one source module into what the templates write."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from keyword import iskeyword

from vcr_gen.gen.model.annotation import Annotation, Reference, When, imported, references, unquoted
from vcr_gen.gen.model.boundary_model import (
    Attribute,
    Boundary,
    Signature,
    SourceModule,
    TypeVariable,
)
from vcr_gen.gen.wrappers.boundary_view import make_boundary
from vcr_gen.gen.wrappers.checker_view import needs_private_usage
from vcr_gen.gen.wrappers.context import RUNTIME, Chosen, WrapperContext, wished_names
from vcr_gen.gen.wrappers.import_statements import Import, statements
from vcr_gen.gen.wrappers.layout import Nest
from vcr_gen.gen.wrappers.names import Names, means
from vcr_gen.gen.wrappers.views import ModuleView

LATE = "LATE_IMPORTS"


@dataclass(frozen=True, slots=True)
class BoundaryLocation:
    """Where the constant of a boundary is defined."""

    module: str
    """The generated module."""
    constant: str

    @property
    def place(self) -> str:
        """How the runtime looks it up when a session first needs it."""
        return f"{self.module}:{self.constant}"


@dataclass
class _Definitions:
    """The names that a generated module defines."""

    spelled: set[str]
    """The names that the Protocols use, which are not free."""
    names: set[str] = field(default_factory=set)

    def add(self, wish: str) -> str:
        """Define the wished name, or the next free one."""
        name, number = wish, 2
        while name in self.names or name in self.spelled or iskeyword(name):
            name, number = f"{wish}{number}", number + 1
        self.names.add(name)
        return name


def _spellings(module: SourceModule) -> set[str]:
    """Names that annotations, defaults and parameters use: our own definitions give way."""
    found: set[str] = set()
    for boundary in module.boundaries:
        found.add(boundary.reference.spelling)
        for signature in boundary.signatures():
            found.update(_names_in(signature))
        for member in boundary.members:
            if isinstance(member, Attribute):
                found.update(reference.spelling for reference in references(member.annotation))
    return found | {LATE, *_brackets(*module.boundaries)}


def _brackets(*boundaries: Boundary) -> frozenset[str]:
    """The type parameters in PEP 695 brackets, of Protocols and of their methods."""
    return frozenset(
        variable.reference.spelling
        for boundary in boundaries
        for variables in (
            boundary.type_parameters,
            *(signature.type_parameters for signature in boundary.signatures()),
        )
        for variable in variables
        if variable.reference.kind == "parameter"
    )


def _references(module: SourceModule) -> Iterator[Reference]:
    """The names in the signatures of a module, which wrappers repeat; first those kept as text.

    Expressions that are evaluated may use any name, so they come last.
    """
    found = [boundary.reference for boundary in module.boundaries]
    text: list[Reference] = []
    for boundary in module.boundaries:
        for signature in boundary.signatures():
            found.extend(_mentioned(signature))
            text.extend(_mentioned(signature) if signature.lazy else ())
    wanted = {reference.spelling: reference for reference in reversed(found)}
    yield from (reference for reference in text if not means(wanted[reference.spelling], reference))
    yield from found


def _mentioned(signature: Signature) -> Iterator[Reference]:
    for text in (signature.returns, *(parameter.annotation for parameter in signature.parameters)):
        yield from references(text)


def _names_in(signature: Signature) -> Iterator[str]:
    for parameter in signature.parameters:
        yield parameter.name
        yield from (reference.spelling for reference in references(parameter.annotation))
        if parameter.default:
            yield from (reference.spelling for reference in references(parameter.default.text))
    yield from (reference.spelling for reference in references(signature.returns))


def choose_names(module: SourceModule) -> tuple[tuple[Chosen, ...], _Definitions]:
    """The names that the generated module defines for each boundary."""
    defined = _Definitions(_spellings(module))
    chosen = []
    for boundary in module.boundaries:
        wish = wished_names(boundary)
        chosen.append(
            Chosen(
                defined.add(wish.wrapper),
                defined.add(wish.constant),
                wish.prefix,
                defined.add(wish.conformance),
            )
        )
    return tuple(chosen), defined


def emit_module(
    module: SourceModule,
    elsewhere: Mapping[str, BoundaryLocation],
    is_project: Callable[[str], bool],
) -> ModuleView:
    """The view of one generated module."""
    chosen, defined = choose_names(module)
    names = Names(defined.names, module.lazy)
    for reference in _references(module):
        names.claim(reference)
    names.brackets = _brackets(*module.boundaries)  # for what all wrappers share
    flag = names.own("typing", "TYPE_CHECKING")
    final = names.own("typing", "Final")
    made = [
        make_boundary(
            WrapperContext(
                replace(names, brackets=()).inside(boundary.type_parameters),
                boundary,
                names_of,
                module.variables,
                defined.add,
            ),
            handles=tuple(
                elsewhere[handle].place for handle in boundary.handles if handle in elsewhere
            ),
        )
        for boundary, names_of in zip(module.boundaries, chosen, strict=True)
    ]
    has_events = any(boundary.events for boundary in made)
    event = names.own(RUNTIME, "event") if has_events else ""
    sorted_names = _Imports.of(names, module)
    late = sorted_names.late
    return ModuleView(
        source=module.display,
        module=module.name,
        lazy=module.lazy,
        private=needs_private_usage(
            module.boundaries, [use.reference for use in names.uses.values()]
        ),
        deprecated=any(boundary.deprecated for boundary in module.boundaries),
        event=event,
        final=final,
        checking_flag=flag,
        imports=statements(sorted_names.always, is_project),
        checking=statements(sorted_names.checking, is_project)
        + ((sorted_names.checking_variables,) if sorted_names.checking_variables else ()),
        running=statements(sorted_names.running, is_project),
        late=tuple(sorted(late.items())),
        variables=sorted_names.variables,
        boundaries=tuple(made),
    )


@dataclass(frozen=True)
class _Imports:
    """The uses of names, sorted by how they come into the module."""

    always: list[Import]
    checking: list[Import]
    running: list[Import]
    late: dict[str, str]
    variables: tuple[Nest, ...]
    checking_variables: tuple[Nest, ...]

    @classmethod
    def of(cls, names: Names, module: SourceModule) -> "_Imports":
        always: list[Import] = []
        checking: list[Import] = []
        running: list[Import] = []
        late: dict[str, str] = {}
        variables: list[Nest] = []
        checking_variables: list[Nest] = []
        # Declaring a variable may use further names, so the table grows while it is walked.
        done: set[tuple[Reference, str]] = set()
        while pending := [key for key in names.uses if key not in done]:
            for key in pending:
                done.add(key)
                use = names.uses[key]
                reference = use.reference
                aliased = reference.top_level and use.name != reference.spelling
                module_name = reference.top_level if aliased else reference.module
                statement = Import(module_name, reference.attribute, use.name)
                if reference.kind == "variable" and _redeclared(reference):
                    variable = module.variables.get(reference)
                    if variable is None:
                        continue
                    always_there = reference.when is When.ALWAYS
                    split = bool(reference.home) or (always_there and not names.lazy)
                    nest = _declaration(names, use.name, variable, checking=split)
                    (checking_variables if split else variables).append(nest)
                    if split:
                        source = reference.home or reference.module
                        running.append(Import(source, reference.attribute, use.name))
                elif reference.when is When.ALWAYS:
                    always.append(statement)
                elif use.evaluated and reference.when is not When.NEVER:
                    if reference.home:
                        checking.append(statement)
                        running.append(Import(reference.home, reference.spelling, use.name))
                    else:
                        always.append(statement)
                else:
                    checking.append(statement)
                    if reference.when is not When.NEVER:
                        home = Import(reference.home, reference.spelling, use.name)
                        target = (home if reference.home else statement).target
                        late[use.name] = reference.top_level or target
        return cls(always, checking, running, late, tuple(variables), tuple(checking_variables))


def _redeclared(reference: Reference) -> bool:
    """A private or checker-only type variable is declared again; others are imported."""
    return reference.attribute.startswith("_") or reference.when is not When.ALWAYS


def _declaration(names: Names, name: str, variable: TypeVariable, *, checking: bool) -> Nest:
    found = imported(variable.maker, variable.kind)
    if checking and variable.maker != "typing":  # may not be installed where the program runs
        found = replace(found, when=When.NEVER)
    maker = names.name(found, evaluated=True)
    items = [f'"{name}"']
    items.extend(names.spell(argument, evaluated=True) for argument in variable.arguments)
    if variable.bound is not None:
        items.append(f"bound={names.quoted(variable.bound)}")
    items.extend(variable.options)
    if variable.default is not None:
        items.append(f"default={_default(names, variable.default)}")
    return Nest(f"{name} = {maker}(", tuple(items), ")")


def _default(names: Names, default: Annotation) -> str:
    """A default that can be evaluated, or else its text."""
    if all(reference.when is When.ALWAYS for reference in references(default)):
        return names.spell(default, evaluated=True)
    return names.quoted(unquoted(default))


def all_names(view: ModuleView) -> Iterable[str]:
    """Everything a generated module offers to others."""
    for boundary in view.boundaries:
        yield boundary.constant
        yield boundary.wrapper
        for event in boundary.events:
            yield event.name
