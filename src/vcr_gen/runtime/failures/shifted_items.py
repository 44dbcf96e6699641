"""Finds the items that were added to a list, or removed: all later items are compared one off."""

import json
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Final

from vcr_gen.runtime.codec import MISSING, NOT_RECORDED, ONLY_RECORDED, Difference
from vcr_gen.runtime.failures.typed_values import value_at
from vcr_gen.runtime.plain import Plain

_MOST: Final = 1000
"""How many items are aligned, which may take quadratic time."""


def without_shifts(
    differences: tuple[Difference, ...],
    recorded: Mapping[str, Plain],
    actual: Mapping[str, Plain],
) -> tuple[Difference, ...]:
    """The differences, where a list has only added or removed items without those that follow."""
    for path in {each.path.rpartition("[")[0] for each in differences if _is_length(each)}:
        before, after = value_at(recorded, path), value_at(actual, path)
        if not isinstance(before, list) or not isinstance(after, list):
            continue
        moved = _moved(path, before, after)
        inside = [n for n, each in enumerate(differences) if each.path.startswith(f"{path}[")]
        if moved and len(moved) < len(inside):
            rest = [each for n, each in enumerate(differences) if n not in inside]
            rest[inside[0] : inside[0]] = moved
            differences = tuple(rest)
    return differences


def _is_length(difference: Difference) -> bool:
    is_one_sided = MISSING in (difference.recorded, difference.actual)
    return is_one_sided and difference.path.endswith("]")


def _moved(path: str, before: list[Plain], after: list[Plain]) -> list[Difference]:
    """The items that were added or removed; none where others differ too."""
    if max(len(before), len(after)) > _MOST:
        return []
    old, new = ([json.dumps(item, sort_keys=True) for item in items] for items in (before, after))
    found: list[Difference] = []
    for what, low, high, other_low, other_high in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if what == "replace":
            return []
        if what == "delete":
            found += [
                Difference(f"{path}[{n}]", before[n], MISSING, ONLY_RECORDED)
                for n in range(low, high)
            ]
        if what == "insert":
            found += [
                Difference(f"{path}[{n}]", MISSING, after[n], NOT_RECORDED)
                for n in range(other_low, other_high)
            ]
    return found
