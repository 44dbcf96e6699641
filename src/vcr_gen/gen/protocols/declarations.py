"""Groups the statements of a class body by the names that they declare."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from vcr_gen.gen.model.annotation import Annotation, When, without_quotes
from vcr_gen.gen.protocols.decorators import Decorations, decorations
from vcr_gen.gen.protocols.mro import Ancestor
from vcr_gen.gen.sources.modules import Binding, class_bindings
from vcr_gen.gen.sources.syntax import Function, is_function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_variables import fill

Decorated: TypeAlias = tuple[Function, Decorations]
"""A function, and what its decorators say."""
_DISPUTED: Final = frozenset({"typing.Container.__contains__"})
"""Members of Python's own Protocols whose types differ between the stubs of mypy and pyright."""


@dataclass(frozen=True)
class MemberPlace:
    """Where a member is declared: its scope, and what type parameters stand for there."""

    scope: Scope
    arguments: Mapping[str, Annotation]

    @property
    def class_name(self) -> str:
        """The class whose name mangles private names."""
        return self.scope.classes[-1].name

    def typed(self, node: ast.expr) -> Annotation:
        """An annotation with its names resolved and its type parameters filled in."""
        resolved, module = resolve_names(node, self.scope), self.scope.module
        filled = fill(resolved, self.arguments)
        if filled == resolved or module.standard or not module.lazy_annotations:
            return filled
        return without_quotes(filled)  # which the arguments need where they are given, not here


@dataclass(frozen=True)
class Declared:
    """The statements in one class body that declare one name."""

    name: str
    nodes: tuple[ast.stmt, ...]
    place: MemberPlace
    disputed: bool
    """Whether type checkers do not agree that it is declared, or do not know it."""

    def __str__(self) -> str:
        """Its name in messages."""
        return f"`{self.place.class_name}.{self.name}`"


def declarations(ancestor: Ancestor, place: MemberPlace) -> dict[str, Declared]:
    """What one class of the MRO declares, in the order of its body."""
    groups: dict[str, list[Binding]] = {}
    for binding in class_bindings(ancestor.definition.module, ancestor.node):
        if not binding.module:
            groups.setdefault(binding.name, []).append(binding)
    found: dict[str, Declared] = {}
    for name, bindings in groups.items():
        seen = [binding for binding in bindings if binding.when is When.CHECKING] or bindings
        disputed = f"{ancestor.definition.full_name}.{name}" in _DISPUTED
        disputed = disputed or any(binding.disputed for binding in seen)
        found[name] = Declared(name, tuple(binding.node for binding in seen), place, disputed)
    return found


def functions_of(declared: Declared) -> list[Decorated]:
    """The functions among the statements, with what their decorators say."""
    return [
        (node, decorations(node, declared.place.scope))
        for node in declared.nodes
        if is_function(node)
    ]
