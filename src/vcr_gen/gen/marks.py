"""Finds the classes of a module that are marked with a direction."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from vcr_gen.gen.conditions import Target, verdict
from vcr_gen.gen.config import Direction
from vcr_gen.gen.decorators import mark_of
from vcr_gen.gen.library import Definition, Library
from vcr_gen.gen.modules import Module, When
from vcr_gen.gen.scopes import Scope
from vcr_gen.gen.syntax import blocks

__all__ = ["Marked", "marked_classes", "mistaken_marks"]


@dataclass(frozen=True, slots=True)
class Marked:
    """A class with its marks, of which there should be one."""

    name: str
    definition: Definition
    marks: tuple[tuple[ast.expr, Direction], ...]
    """The decorators that give a direction, and which."""

    @property
    def direction(self) -> Direction:
        """What the first mark says."""
        return self.marks[0][1]


def marked_classes(library: Library, module: Module) -> Iterator[Marked]:
    """Every class of a module that has a mark, wherever it stands."""
    scope = Scope(library, module)
    for node, outer, when in _Classes(module.target).inside(module.parsed.tree.body):
        marks = tuple(_marks(node, scope))
        if marks:
            definition = Definition(module, ".".join([*outer, node.name]), node, when)
            yield Marked(node.name, definition, marks)


def mistaken_marks(library: Library, module: Module) -> Iterator[tuple[ast.Name, str]]:
    """Decorators that mean nothing in their module, each with the mark that it looks like."""
    scope = Scope(library, module)
    for node, outer, _ in _Classes(module.target).inside(module.parsed.tree.body):
        for decorator in node.decorator_list if "<locals>" not in outer else ():
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not isinstance(called, ast.Name) or called.id in module.bindings:
                continue
            if scope.resolve(called) is None:  # no star import has it either
                for meant in get_close_matches(called.id, ("inbound", "outbound"), 1, 0.8):
                    yield called, meant


def _marks(node: ast.ClassDef, scope: Scope) -> Iterator[tuple[ast.expr, Direction]]:
    for decorator in node.decorator_list:
        mark = mark_of(decorator, scope)
        if mark is not None:
            yield mark


@dataclass(frozen=True, slots=True)
class _Classes:
    """Finds the class statements of a module that exist on the target."""

    target: Target

    def inside(
        self, body: Sequence[ast.stmt], outer: tuple[str, ...] = (), when: When = When.ALWAYS
    ) -> Iterator[tuple[ast.ClassDef, tuple[str, ...], When]]:
        """Each class with the names around it, and whether it is there when the program runs."""
        for node in body:
            match node:
                case ast.ClassDef(name=name):
                    yield node, outer, when
                    yield from self.inside(node.body, (*outer, name), when)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    yield from self.inside(node.body, (*outer, name, "<locals>"), when)
                case ast.If(test=test):
                    outcome = verdict(test, self.target)
                    if outcome != "false":
                        inner = When.CHECKING if outcome == "checking" else when
                        yield from self.inside(node.body, outer, inner)
                    if outcome != "true":
                        inner = When.CHECKING if outcome == "running" else when
                        yield from self.inside(node.orelse, outer, inner)
                case _:
                    for block in blocks(node):
                        yield from self.inside(block, outer, when)
