"""Strict comparison of plains: `True` is not `1`, `1` is not `1.0`, `nan` is `nan`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, TypeAlias

from vcr_gen.runtime.codec.fault import Fault, step_to
from vcr_gen.runtime.codec.tags import BASE64
from vcr_gen.runtime.plain import Plain, image_of

if TYPE_CHECKING:
    from vcr_gen.runtime.codec.node import Node


class Missing(Enum):
    """The type of `MISSING`."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return "MISSING"


VALUE_DIFFERS: Final = "value differs"
TYPE_DIFFERS: Final = "type differs"
ONLY_RECORDED: Final = "only in the recording"
NOT_RECORDED: Final = "not in the recording"

MISSING: Final = Missing.MISSING
"""Marks the side of a difference without the field or item."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place in which the actual value differs from the recorded one."""

    path: str
    """The place, such as `$.items[1].qty`."""
    recorded: Plain | Missing
    actual: Plain | Missing
    reason: str
    """In words: what kind of difference it is."""

    def below(self, step: str) -> Difference:
        """The same difference, seen from the container that `step` leads into."""
        return Difference(f"${step}{self.path[1:]}", self.recorded, self.actual, self.reason)


def same(recorded: Plain, actual: Plain) -> bool:
    """Whether two plains are equal, types included; works at any depth."""
    image = image_of(recorded)
    if image is not None and image == image_of(actual):
        return True  # nearly always they are equal, and their keys in the same order
    return next(_differences(recorded, actual, None), None) is None


def differences(recorded: Plain, actual: Plain, node: Node | None = None) -> tuple[Difference, ...]:
    """Every place in which two plains differ, in the order of the recorded one.

    The node of their type says which differences count; without one, all of them do.
    """
    return tuple(_differences(recorded, actual, node))


def _differences(recorded: Plain, actual: Plain, node: Node | None) -> Iterator[Difference]:
    pending: list[_Pair] = [("", recorded, actual, node)]
    while pending:
        path, left, right, node = pending.pop()
        if isinstance(left, Missing):
            yield Difference(f"${path}", left, right, NOT_RECORDED)
            continue
        if isinstance(right, Missing):
            yield Difference(f"${path}", left, right, ONLY_RECORDED)
            continue
        node, left, right = _opened(node, left, right)
        verdict = None if node is None else node.verdict(left, right)
        if verdict is not None:
            yield from (each.below(path) for each in verdict)
        elif isinstance(left, list) and isinstance(right, list):
            pending.extend(reversed(_paired_items(path, left, right, node)))
        elif isinstance(left, dict) and isinstance(right, dict):
            if left.keys() == right.keys() and left.keys() in _SCALARS:
                if left != right:
                    yield Difference(f"${path}", left, right, VALUE_DIFFERS)
                continue
            pending.extend(reversed(_paired_fields(path, left, right, node)))
        elif type(left) is not type(right):
            yield Difference(f"${path}", left, right, TYPE_DIFFERS)
        elif not _same_scalar(left, right):
            yield Difference(f"${path}", left, right, VALUE_DIFFERS)


_SCALARS: Final = ({BASE64}, {"$int"}, {"$float"})
"""The keys of stored bytes and numbers, which are one value."""

_Pair: TypeAlias = "tuple[str, Plain | Missing, Plain | Missing, Node | None]"


def _opened(node: Node | None, left: Plain, right: Plain) -> tuple[Node | None, Plain, Plain]:
    """The node that made both plains, with what it made; None if there is no such node."""
    if node is not None:
        try:
            left_node, left_part = node.opened(left)
            right_node, right_part = node.opened(right)
        except Fault:  # not plains of this type: every difference counts
            return None, left, right
        if left_node is right_node:
            return left_node, left_part, right_part
    return None, left, right


def _paired_items(
    path: str, left: list[Plain], right: list[Plain], node: Node | None
) -> list[_Pair]:
    pairs = enumerate(zip_longest(left, right, fillvalue=MISSING))
    return [
        (f"{path}[{index}]", left_item, right_item, node and node.part(index))
        for index, (left_item, right_item) in pairs
    ]


def _paired_fields(
    path: str, left: dict[str, Plain], right: dict[str, Plain], node: Node | None
) -> list[_Pair]:
    return [
        (
            path + step_to(key),
            left.get(key, MISSING),
            right.get(key, MISSING),
            node and node.part(key),
        )
        for key in {**left, **right}
    ]


def _same_scalar(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return repr(left) == repr(right)  # tells 0.0 from -0.0 and finds nan equal to itself
    return left == right
