"""Strict comparison of plains: `True` is not `1`, `1` is not `1.0`, `nan` is `nan`."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from vcr_gen.runtime.codec.plain_kinds import Plain, step_to


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


Compare: TypeAlias = "Callable[[Plain, Plain], tuple[Difference, ...]]"


def same(recorded: Plain, actual: Plain) -> bool:
    """Whether two plains are equal, types included; works at any depth."""
    try:
        # Nearly always they are equal, and their keys in the same order: then their bytes are.
        # Version 2 spells no shared objects, which two equal plains may share differently.
        if marshal.dumps(recorded, 2) == marshal.dumps(actual, 2):
            return True
    except ValueError:  # deeper than marshal goes
        pass
    pending: list[tuple[Plain, Plain]] = [(recorded, actual)]
    while pending:
        left, right = pending.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            pending.extend(zip(left, right, strict=True))
        elif isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            pending.extend((value, right[key]) for key, value in left.items())
        elif not _same_scalar(left, right):
            return False
    return True


def differences(recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
    """Every place in which two plains differ, in the order of the recorded one."""
    found: list[Difference] = []
    pending: list[_Pair] = [("$", recorded, actual)]
    while pending:
        path, left, right = pending.pop()
        if isinstance(left, list) and isinstance(right, list):
            pending.extend(reversed(_paired_items(path, left, right)))
        elif isinstance(left, dict) and isinstance(right, dict):
            pending.extend(reversed(_paired_fields(path, left, right)))
        elif left is MISSING:
            found.append(Difference(path, left, right, NOT_RECORDED))
        elif right is MISSING:
            found.append(Difference(path, left, right, ONLY_RECORDED))
        elif type(left) is not type(right):
            found.append(Difference(path, left, right, TYPE_DIFFERS))
        elif not _same_scalar(left, right):
            found.append(Difference(path, left, right, VALUE_DIFFERS))
    return tuple(found)


def compare_fields(
    compare_of: Callable[[str], Compare], recorded: Plain, actual: Plain
) -> tuple[Difference, ...]:
    """Compare two dicts key by key, each value in the way that `compare_of` its key says."""
    if not isinstance(recorded, dict) or not isinstance(actual, dict):
        return differences(recorded, actual)
    found: list[Difference] = []
    for key, left in recorded.items():
        step = step_to(key)
        if key in actual:
            found += (each.below(step) for each in compare_of(key)(left, actual[key]))
        else:
            found.append(Difference(f"${step}", left, MISSING, ONLY_RECORDED))
    for key, right in actual.items():
        if key not in recorded:
            found.append(Difference(f"${step_to(key)}", MISSING, right, NOT_RECORDED))
    return tuple(found)


def compare_items(
    compare_of: Callable[[int], Compare], recorded: Plain, actual: Plain
) -> tuple[Difference, ...]:
    """Compare two lists item by item, each in the way that `compare_of` its index says."""
    if not isinstance(recorded, list) or not isinstance(actual, list):
        return differences(recorded, actual)
    found: list[Difference] = []
    for i, (left, right) in enumerate(zip(recorded, actual, strict=False)):
        found += (each.below(f"[{i}]") for each in compare_of(i)(left, right))
    shared = min(len(recorded), len(actual))
    for i, left in enumerate(recorded[shared:], shared):
        found.append(Difference(f"$[{i}]", left, MISSING, ONLY_RECORDED))
    for i, right in enumerate(actual[shared:], shared):
        found.append(Difference(f"$[{i}]", MISSING, right, NOT_RECORDED))
    return tuple(found)


_Pair: TypeAlias = "tuple[str, Plain | Missing, Plain | Missing]"


def _paired_items(path: str, left: list[Plain], right: list[Plain]) -> list[_Pair]:
    shared = min(len(left), len(right))
    pairs: list[_Pair] = [(f"{path}[{i}]", left[i], right[i]) for i in range(shared)]
    pairs += [(f"{path}[{i}]", left[i], MISSING) for i in range(shared, len(left))]
    pairs += [(f"{path}[{i}]", MISSING, right[i]) for i in range(shared, len(right))]
    return pairs


def _paired_fields(path: str, left: dict[str, Plain], right: dict[str, Plain]) -> list[_Pair]:
    pairs: list[_Pair] = [
        (path + step_to(key), value, right.get(key, MISSING)) for key, value in left.items()
    ]
    pairs += [
        (path + step_to(key), MISSING, value) for key, value in right.items() if key not in left
    ]
    return pairs


def _same_scalar(left: object, right: object) -> bool:
    if isinstance(left, float) and isinstance(right, float):
        return repr(left) == repr(right)  # tells 0.0 from -0.0 and finds nan equal to itself
    return left == right
