"""Where in a type the words stand that loosen the comparison, or the values of a declared few."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from vcr_gen.paths import Step, Wild
from vcr_gen.runtime.codec.node import Node

LIMIT: Final = 1_000
"""The maximum number of distinct places of a type, far more than anyone marks."""
VISITS: Final = 20 * LIMIT
"""How many places are visited: types that contain each other have too many to visit all."""

_FEW: Final = "few"
_Look: TypeAlias = "Callable[[Node, tuple[Step, ...] | None], str]"
"""The text for a node, given the step that leads to it; empty to continue inside."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the values of a type, and how it is treated."""

    steps: tuple[Step, ...]
    how: str
    """`volatile`, `secret`, `unrecorded`, or `match` and the function's name."""


def reachable(node: Node) -> list[Node]:
    """The node and all nodes of its parts, each once."""
    seen: dict[int, Node] = {}
    pending = [node]
    while pending:
        each = pending.pop()
        if id(each) not in seen:
            seen[id(each)] = each
            pending.extend(part for _, part in each.parts())
    return list(seen.values())


def find_marks(node: Node) -> tuple[Mark, ...]:
    """The outermost marks in the values of a node; below a recursive type, at any depth."""
    return _outermost(node, lambda each, _: each.loosens)


def find_few(node: Node) -> tuple[tuple[Step, ...], ...]:
    """The places in the values of a node where only a declared few are possible."""

    def look(each: Node, way: tuple[Step, ...] | None) -> str:
        if each.few:
            return "" if way == () else _FEW  # one alternative of a union that has others
        return each.loosens

    return tuple(mark.steps for mark in _outermost(node, look) if mark.how == _FEW)


def _outermost(node: Node, look: _Look) -> tuple[Mark, ...]:
    nodes = reachable(node)
    seen = {id(each) for each in nodes if look(each, None)}
    leading = {id(each) for each in nodes if any(id(n) in seen for n in reachable(each))}
    found: dict[Mark, None] = {}
    for mark in _Search(look, leading).marks(node, None, (), frozenset()):
        found[mark] = None
        if len(found) == LIMIT:
            break
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Search:
    look: _Look
    leading: set[int]
    """The nodes that lead to something, by their ids."""
    visited: set[tuple[int, tuple[Step, ...]]] = field(default_factory=set)
    """The nodes that were looked into, each with its place: many ways lead to one."""
    recursive: dict[int, bool] = field(default_factory=dict)

    def marks(
        self,
        node: Node,
        way: tuple[Step, ...] | None,
        steps: tuple[Step, ...],
        above: frozenset[int],
    ) -> Iterator[Mark]:
        """The texts for a node and its parts; `way` is the last of the `steps` to it."""
        if how := self.look(node, way):
            yield Mark(steps, how)
        elif id(node) in self.leading and id(node) not in above and self._is_new(node, steps):
            if self._leads_back(node):
                steps = steps if steps[-1:] == (Wild.DEEP,) else (*steps, Wild.DEEP)
            for on, part in node.parts():
                yield from self.marks(part, on, (*steps, *on), above | {id(node)})

    def _is_new(self, node: Node, steps: tuple[Step, ...]) -> bool:
        place = (id(node), steps)
        if place in self.visited or len(self.visited) == VISITS:
            return False
        self.visited.add(place)
        return True

    def _leads_back(self, node: Node) -> bool:
        """Whether values of the node can contain further values of it."""
        known = self.recursive.get(id(node))
        if known is None:
            inner = (one for _, part in node.parts() for one in reachable(part))
            known = self.recursive[id(node)] = any(one is node for one in inner)
        return known
