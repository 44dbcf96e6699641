"""Lists whose items have names: they are compared by name, and their order does not matter."""

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from vcr_gen.runtime.codec.fault import step_to
from vcr_gen.runtime.plain import Plain

Keys: TypeAlias = Mapping[str, str]
"""By the name of a list, the field that names its items: `{"tools": "name"}`."""


class NamedItems(NamedTuple):
    """The items of a list on two tapes, by name."""

    path: str
    field: str
    before: dict[Hashable, Plain]
    after: dict[Hashable, Plain]


def take_out_keyed_lists(before: Plain, after: Plain, keys: Keys) -> list[NamedItems]:
    """Take the keyed lists that both values have at the same place out of them."""
    lefts, rights = dict(_lists(before, keys, "")), dict(_lists(after, keys, ""))
    found = []
    for path in lefts.keys() & rights.keys():
        (holder, name), (other, _) = lefts[path], rights[path]
        left, right = _by_name(holder[name], keys[name]), _by_name(other[name], keys[name])
        if left is not None and right is not None:
            del holder[name], other[name]
            found.append(NamedItems(path, keys[name], left, right))
    return sorted(found, key=lambda items: items.path)


def _lists(value: Plain, keys: Keys, path: str) -> Iterator[tuple[str, tuple[Any, str]]]:
    """The outermost keyed lists by their paths: what holds each, and its name there."""
    if isinstance(value, dict):
        for name, item in value.items():
            inside = f"{path}{step_to(name)}"
            if name in keys and isinstance(item, list):
                yield inside, (value, name)
            else:
                yield from _lists(item, keys, inside)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _lists(item, keys, f"{path}[{number}]")


def _by_name(items: list[Plain], field: str) -> dict[Hashable, Plain] | None:
    """The items by name; None if a name is missing or not unique."""
    found: dict[Hashable, Plain] = {}
    for item in items:
        name = item.get(field) if isinstance(item, dict) else None
        if not isinstance(name, str | int) or name in found:
            return None
        found[name] = item
    return found
