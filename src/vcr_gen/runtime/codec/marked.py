"""Where in a type the words stand that loosen the comparison."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from vcr_gen.paths import Step, Wild
from vcr_gen.runtime.codec.node import Node

LIMIT: Final = 1_000
"""How many places of one type are told apart: far more than a person marks."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One place in the values of a type, and what is done there."""

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
    leading = {id(each) for each in reachable(node) if any(n.loosens for n in reachable(each))}
    found: dict[Mark, None] = {}
    for mark in _marks(node, (), {}, leading):
        found[mark] = None
        if len(found) == LIMIT:
            break
    return tuple(found)


def _marks(
    node: Node, steps: tuple[Step, ...], above: dict[int, Node], leading: set[int]
) -> Iterator[Mark]:
    if node.loosens:
        yield Mark(steps, node.loosens)
    elif id(node) in leading and id(node) not in above:
        if _leads_back(node):
            steps = steps if steps[-1:] == (Wild.DEEP,) else (*steps, Wild.DEEP)
        for way, part in node.parts():
            yield from _marks(part, (*steps, *way), {**above, id(node): node}, leading)


def _leads_back(node: Node) -> bool:
    """Whether values of the node can hold values of it, at other places than their own."""
    return any(id(node) == id(inner) for _, part in node.parts() for inner in reachable(part))
