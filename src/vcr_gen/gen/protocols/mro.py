"""Lines up a Protocol with its bases in MRO order, generic arguments filled in."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vcr_gen.gen.model.annotation import Annotation, Subscript, unquoted
from vcr_gen.gen.model.boundary_model import TypeVariable
from vcr_gen.gen.protocols.problems import Problems, RefusedProtocolError
from vcr_gen.gen.sources.loader import Definition, SourceLoader, Unread, is_standard
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import blocks, is_function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_variables import assigned, bracketed, declared_variables, fill

_PROTOCOL: Final = "typing.Protocol"
_OF_PYTHON: Final = "inherit from `Collection` or `Iterable`, or declare the methods that you need"
_NOT_BASES: Final = frozenset({_PROTOCOL, "typing.Generic", "builtins.object"})


NamedClass: TypeAlias = tuple[Definition, Sequence[Annotation]]
"""A class, and its type arguments."""


@dataclass(frozen=True)
class Ancestor:
    """One class of the MRO, and what its type parameters stand for in the Protocol."""

    definition: Definition
    arguments: Mapping[str, Annotation] = field(default_factory=dict)

    @property
    def node(self) -> ast.ClassDef:
        """The class statement."""
        assert isinstance(self.definition.node, ast.ClassDef)
        return self.definition.node


def is_protocol(loader: SourceLoader, definition: Definition) -> bool:
    """Whether a class names `Protocol` among its bases."""
    if not isinstance(definition.node, ast.ClassDef):
        return False
    scope = scope_around(loader, definition)
    return any(scope.name_of(base) == _PROTOCOL for base in definition.node.bases)


def class_scope(
    loader: SourceLoader, definition: Definition, unresolved: list[tuple[Module, ast.Name]]
) -> Scope:
    """The scope of annotations in a class body."""
    assert isinstance(definition.node, ast.ClassDef)
    classes = [*_classes_around(definition), definition.node]
    scope = Scope(loader, definition.module, tuple(classes), {}, unresolved)
    for node in classes:
        scope = scope.with_parameters(definition.module.parsed.type_parameters(node))
    return scope


def scope_around(loader: SourceLoader, definition: Definition) -> Scope:
    """The scope of a statement itself: the bases of a class, the right side of an alias.

    In the body of a class, they may be what that body defines.
    """
    scope = Scope(loader, definition.module, tuple(_classes_around(definition)))
    if isinstance(definition.node, ast.ClassDef):
        return scope.with_parameters(definition.module.parsed.type_parameters(definition.node))
    return scope


def _classes_around(definition: Definition) -> Iterator[ast.ClassDef]:
    """The classes in whose bodies something is defined, outermost first."""
    first, *rest = definition.qualname.split(".")[:-1] or [""]
    bound = (binding.node for binding in definition.module.bindings.get(first, ()))
    outer = next((node for node in bound if isinstance(node, ast.ClassDef)), None)
    while outer is not None:
        yield outer
        name, *rest = rest or [""]
        outer = next((inner for inner in _classes(outer.body) if inner.name == name), None)


def _classes(body: Sequence[ast.stmt]) -> Iterator[ast.ClassDef]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node
        elif not is_function(node):
            for block in blocks(node):
                yield from _classes(block)


def linearize(
    loader: SourceLoader, definition: Definition, problems: Problems
) -> tuple[Ancestor, ...]:
    """The Protocol and all its bases, in MRO order; refuses what cannot be resolved."""
    reader = _Bases(loader, problems)
    order = reader.linearize(definition, ())
    arguments: dict[str, dict[str, Annotation]] = {definition.full_name: {}}
    for current in order:
        env = arguments.get(current.full_name, {})
        for base, bound in reader.bases(current):
            filled = [fill(argument, env) for argument in bound]
            names = own_parameters(loader, base)
            arguments.setdefault(base.full_name, assigned(names, filled))
    return tuple(Ancestor(base, arguments.get(base.full_name, {})) for base in order)


class _Bases:
    def __init__(self, loader: SourceLoader, problems: Problems) -> None:
        self.loader = loader
        self.problems = problems
        self._known: dict[str, list[NamedClass]] = {}

    def bases(self, definition: Definition) -> list[NamedClass]:
        """The Protocol bases of a class with their type arguments."""
        known = self._known.get(definition.full_name)
        if known is None:
            known = self._known[definition.full_name] = list(self._read(definition))
        return known

    def _read(self, definition: Definition) -> Iterator[NamedClass]:
        assert isinstance(definition.node, ast.ClassDef)
        scope = scope_around(self.loader, definition)
        refused = False
        for base in definition.node.bases:
            name = scope.name_of(base)
            if name in _NOT_BASES:
                continue
            resolved = _named_class(base, scope)
            if resolved is None:
                refused = True
                self.problems.report(
                    "VCR103",
                    f"the base `{ast.unparse(base)}` of `{definition.qualname}` cannot be found",
                    _how_to_find(base, scope),
                    module=definition.module,
                    node=base,
                )
            elif not is_protocol(self.loader, resolved[0]):
                if definition.module.standard:  # typeshed has `class PathLike(ABC, Protocol)`
                    continue
                refused = True
                self.problems.report(
                    "VCR105",
                    f"the base `{ast.unparse(base)}` of `{definition.qualname}` is not a Protocol",
                    "a Protocol can only inherit from Protocols; "
                    + (
                        _OF_PYTHON if resolved[0].module.standard else "add `Protocol` to its bases"
                    ),
                    module=definition.module,
                    node=base,
                )
            elif variable := _variadic_parameter(self.loader, resolved):
                refused = True
                self.problems.report(
                    "VCR207",
                    f"the base `{ast.unparse(base)}` of `{definition.qualname}` is generic over "
                    f"the {variable.kind} `{variable.name}`",
                    "declare its methods in this Protocol, with all their parameters",
                    module=definition.module,
                    node=base,
                )
            else:
                yield resolved
        if refused:
            raise RefusedProtocolError

    def linearize(self, definition: Definition, below: tuple[str, ...]) -> list[Definition]:
        """C3, as Python does it."""
        if definition.full_name in below:
            self._inconsistent(definition)
        parents = [base for base, _ in self.bases(definition)]
        rows = [self.linearize(base, (*below, definition.full_name)) for base in parents]
        rows.append(parents)
        order = [definition]
        while rows := [row for row in rows if row]:
            for row in rows:
                head = row[0].full_name
                if not any(head == base.full_name for other in rows for base in other[1:]):
                    break
            else:
                self._inconsistent(definition)
            order.append(row[0])
            rows = [[base for base in other if base.full_name != head] for other in rows]
        return order

    def _inconsistent(self, definition: Definition) -> None:
        self.problems.report(
            "VCR107",
            f"the bases of `{definition.qualname}` have no consistent order",
            "Python would refuse this class too; reorder its bases",
            module=definition.module,
            node=definition.node,
        )
        raise RefusedProtocolError


def _named_class(node: ast.expr, scope: Scope) -> NamedClass | None:
    """The class that an expression names, and its arguments, through all aliases."""
    loader = scope.loader
    found, arguments = scope.resolve(node), _arguments(resolve_names(node, scope))
    for _ in range(10):
        if isinstance(found, Unread):
            found = loader.read_standard(found)
        if found is None or isinstance(found.node, ast.ClassDef):
            return None if found is None else (found, arguments)
        value = getattr(found.node, "value", None)  # `Base = Other`, `Base = Other[list[T]]`
        if not isinstance(value, ast.expr):
            return None
        scope = scope_around(loader, found)
        alias = unquoted(resolve_names(value, scope))
        if isinstance(alias, Subscript):
            own = declared_variables(loader, [alias])
            arguments = _arguments(fill(alias, assigned(own, arguments)))
        found = scope.resolve(value)
    return None


def _how_to_find(base: ast.expr, scope: Scope) -> str:
    """The hint for a base that is not found, by the meaning of its first name."""
    for _ in range(10):
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        match scope.resolve(base):
            case Unread(module=name) if is_standard(name):
                return (
                    "type checkers do not treat it as a class; declare the methods that you need"
                    " (`__call__` for a `Callable`)"
                )
            case Unread():
                return "install the package it comes from, or add its folder to `sources`"
            case Definition(node=ast.Assign(value=value)) as alias:
                base, scope = value, scope_around(scope.loader, alias)
            case None if isinstance(base, ast.Name):
                return "import or define it there; a type checker reports it too"
    return "name the class itself; vcr-gen reads source and evaluates nothing"


def _variadic_parameter(loader: SourceLoader, base: NamedClass) -> TypeVariable | None:
    """The ParamSpec or TypeVarTuple of a base, whose arguments would change its signatures."""
    parameters = own_parameters(loader, base[0])
    return next((variable for variable in parameters if variable.kind != "TypeVar"), None)


def _arguments(annotation: Annotation) -> Sequence[Annotation]:
    generic = unquoted(annotation)
    return generic.arguments if isinstance(generic, Subscript) else ()


def own_parameters(loader: SourceLoader, definition: Definition) -> tuple[TypeVariable, ...]:
    """The type parameters of a class, in order."""
    assert isinstance(definition.node, ast.ClassDef)
    scope = scope_around(loader, definition)
    brackets = definition.module.parsed.type_parameters(definition.node)
    if brackets:
        return tuple(bracketed(parameter, scope) for parameter in brackets)
    generic: list[Annotation] = []
    others: list[Annotation] = []
    for base in definition.node.bases:
        if isinstance(base, ast.Subscript):
            listed = scope.name_of(base.value) in {_PROTOCOL, "typing.Generic"}
            (generic if listed else others).append(resolve_names(base.slice, scope))
    return declared_variables(loader, generic or others)
