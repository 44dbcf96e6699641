"""Groups the statements of a class body by the names that they declare."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from vcr_gen.gen.model.annotation import Annotation, without_quotes
from vcr_gen.gen.model.kinds import When
from vcr_gen.gen.protocols.decorators import Decorations, decorations
from vcr_gen.gen.protocols.mro import Ancestor
from vcr_gen.gen.sources.modules import Binding, class_bindings
from vcr_gen.gen.sources.syntax import Function
from vcr_gen.gen.types.resolve import resolve_names
from vcr_gen.gen.types.scope import Scope
from vcr_gen.gen.types.type_arguments import fill

__all__ = ["Declared", "Decorated", "MemberPlace", "declarations", "functions_of"]

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
    is_split: bool = False
    """Whether the statements under `if TYPE_CHECKING` differ from those that run."""


def declarations(ancestor: Ancestor, place: MemberPlace) -> list[Declared]:
    """What one class of the MRO declares, in the order of its body."""
    groups: dict[str, list[Binding]] = {}
    module = ancestor.definition.module
    for binding in class_bindings(module, ancestor.node):
        if not binding.module:
            groups.setdefault(binding.name, []).append(binding)
    own = module.bindings.get(ancestor.node.name, ())
    whole = any(binding.disputed and binding.node is ancestor.node for binding in own)
    return [
        Declared(
            name,
            tuple(binding.node for binding in bindings),
            place,
            whole
            or f"{ancestor.definition.full_name}.{name}" in _DISPUTED
            or any(binding.disputed for binding in bindings),
            _is_split(bindings),
        )
        for name, bindings in groups.items()
    ]


def _is_split(bindings: Sequence[Binding]) -> bool:
    return any(binding.disputed and binding.when is When.ALWAYS for binding in bindings) and any(
        binding.when is When.CHECKING for binding in bindings
    )


def functions_of(declared: Declared) -> list[Decorated]:
    """The functions among the statements, with what their decorators say."""
    return [
        (node, decorations(node, declared.place.scope))
        for node in declared.nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
