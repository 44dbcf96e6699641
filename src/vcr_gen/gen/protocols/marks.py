"""Finds the classes of a module that are marked with a direction, and marks that mark nothing."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from vcr_gen.gen.model.kinds import When
from vcr_gen.gen.protocols.decorators import mark_of
from vcr_gen.gen.settings.config import Direction
from vcr_gen.gen.sources.conditions import Target, verdict
from vcr_gen.gen.sources.loader import Definition, SourceLoader
from vcr_gen.gen.sources.modules import Module
from vcr_gen.gen.sources.syntax import blocks
from vcr_gen.gen.types.scope import Scope

__all__ = ["Marked", "marked_classes", "mistaken_marks"]


@dataclass(frozen=True, slots=True)
class Marked:
    """A class with its marks; more than one is an error."""

    name: str
    definition: Definition
    marks: tuple[tuple[ast.expr, Direction], ...]
    """The decorators that give a direction, and which."""

    @property
    def direction(self) -> Direction:
        """The direction of the first mark."""
        return self.marks[0][1]


def marked_classes(loader: SourceLoader, module: Module) -> Iterator[Marked]:
    """Every marked class of a module, also inside classes and functions."""
    scope = Scope(loader, module)
    for node, outer, when in _classes(module.parsed.tree.body, module.target):
        marks = tuple(_marks(node, scope))
        if marks:
            definition = Definition(module, ".".join([*outer, node.name]), node, when)
            yield Marked(node.name, definition, marks)


def mistaken_marks(loader: SourceLoader, module: Module) -> Iterator[tuple[ast.Name, str]]:
    """Decorators that mean nothing in their module, each with the mark that it looks like."""
    scope = Scope(loader, module)
    for node, outer, _ in _classes(module.parsed.tree.body, module.target):
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


def _classes(
    body: Sequence[ast.stmt],
    target: Target,
    outer: tuple[str, ...] = (),
    when: When = When.ALWAYS,
) -> Iterator[tuple[ast.ClassDef, tuple[str, ...], When]]:
    """Each class that the target has, the names around it, and whether it exists at run time."""
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield node, outer, when
                yield from _classes(node.body, target, (*outer, name), when)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield from _classes(node.body, target, (*outer, name, "<locals>"), when)
            case ast.If(test=test):
                outcome = verdict(test, target)
                if outcome != "false":
                    inner = When.CHECKING if outcome == "checking" else when
                    yield from _classes(node.body, target, outer, inner)
                if outcome != "true":
                    inner = When.CHECKING if outcome == "running" else when
                    yield from _classes(node.orelse, target, outer, inner)
            case _:
                for block in blocks(node):
                    yield from _classes(block, target, outer, when)
