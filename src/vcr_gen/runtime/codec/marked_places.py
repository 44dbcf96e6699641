"""Where in the values of a type the comparison is loosened, or only a few values are possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from vcr_gen.field_path_syntax import Step, Wild
from vcr_gen.runtime.codec.node import Node
from vcr_gen.runtime.plain import Plain

LIMIT: Final = 1_000
"""The maximum number of distinct places of a type, far more than real types have."""
VISITS: Final = 20 * LIMIT
"""How many places are visited: types that contain each other have too many to visit all."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in the values of a type, and how it is treated."""

    steps: tuple[Step, ...]
    how: str
    """`volatile`, `secret`, `unrecorded`, or `match` and the function's name."""
    key_of: Callable[[Plain], Plain] | None = None
    """The key by which it is compared, if there is one."""


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


_FEW: Final = "few"


def _outermost(
    root: Node, look: Callable[[Node, tuple[Step, ...] | None], str]
) -> tuple[Mark, ...]:
    """A mark for each place where `look` finds a text; given a node and the last steps to it."""
    found: dict[Mark, None] = {}
    visited: set[tuple[int, tuple[Step, ...]]] = set()
    leads: dict[int, tuple[bool, bool]] = {}
    pending: list[tuple[Node, tuple[Step, ...] | None, tuple[Step, ...], frozenset[int]]]
    pending = [(root, None, (), frozenset())]
    while pending and len(found) < LIMIT and len(visited) < VISITS:
        node, way, steps, above = pending.pop()
        if how := look(node, way):
            found[Mark(steps, how, node.key_of)] = None
            continue
        if id(node) in above or (id(node), steps) in visited:
            continue
        visited.add((id(node), steps))
        if id(node) not in leads:
            inside = [inner for _, part in node.parts() for inner in reachable(part)]
            leads[id(node)] = any(look(each, None) for each in inside), node in inside
        leads_on, leads_back = leads[id(node)]
        if leads_on:
            if leads_back and steps[-1:] != (Wild.DEEP,):
                steps = (*steps, Wild.DEEP)
            inner = [(part, on, (*steps, *on), above | {id(node)}) for on, part in node.parts()]
            pending.extend(reversed(inner))
    return tuple(found)
