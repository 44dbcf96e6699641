"""Lists, tuples, sets and other containers that are stored as a list."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from vcr_gen.field_path_syntax import Step, Wild
from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.codec.node import NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.object_state import ObjectNode
from vcr_gen.runtime.codec.registry import HINT
from vcr_gen.runtime.codec.tags import LIST
from vcr_gen.runtime.plain import Plain


class ItemsNode(ClassNode):
    """A container of items of one type: `items` reads them, `make` builds it from their list."""

    kinds = frozenset({LIST})

    def __init__(
        self,
        nodes: Nodes,
        cls: type,
        name: str,
        item: Node,
        *,
        make: Callable[[list[Any]], object],
        items: Callable[[Any], Iterable[object]] = iter,
        base: type | None = None,
        alternatives: Mapping[type, object] | None = None,
    ) -> None:
        super().__init__(nodes, cls, name, base=base, alternatives=alternatives)
        self.item: Final = item
        self._make: Final = make
        self._items: Final = items
        self.natural = frozenset({LIST}) if cls is list else frozenset()

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return (((Wild.ANY,), self.item),)

    def bare(self, value: object) -> Plain:
        items, encode = self._items(value), self.item.encode
        out: list[Plain] = []
        try:
            for item in items:
                out.append(encode(item))  # noqa: PERF401 - `len(out)` is the index for the fault
        except Fault as fault:
            fault.within(f"[{len(out)}]")
            raise
        return out

    def restore(self, plain: Plain) -> object:
        return self._make(self.decode_items(plain))

    def decode_items(self, plain: Plain) -> list[object]:
        """Decode each item; a fault says which one."""
        if type(plain) is not list:
            raise Fault(self.name, show(plain))
        decode = self.item.decode
        out: list[object] = []
        try:
            for item in plain:
                out.append(decode(item))  # noqa: PERF401 - `len(out)` is the index for the fault
        except Fault as fault:
            fault.within(f"[{len(out)}]")
            raise
        return out

    def fits(self, value: object) -> int:
        # An iterator would be used up here.
        return NO_FIT if isinstance(value, Iterator) else super().fits(value)

    def replace_bare(self, value: object) -> object:
        before = list(self._items(value))
        after = [self.item.replace(item) for item in before]
        changed = any(new is not old for new, old in zip(after, before, strict=True))
        return self._make(after) if changed else value


class IterableNode(ItemsNode):
    """Anything with items. An ordinary object among them is recorded item by item, as a stream."""

    def node_of(self, value: object) -> tuple[str, Node]:
        name, node = super().node_of(value)
        if isinstance(node, ObjectNode):
            raise Fault("", f"a value of type {name}", HINT)
        return name, node


class SetNode(ItemsNode):
    """A set, stored sorted so that a recording is stable."""

    def bare(self, value: object) -> Plain:
        assert isinstance(value, Iterable)
        return sorted((self.item.encode(item) for item in value), key=_stable_order)

    def restore(self, plain: Plain) -> object:
        items = self.decode_items(plain)
        try:
            if len(set(items)) != len(items):
                raise Fault(f"{self.name} without repeated items", "a repeated item")
            return self._make(items)
        except TypeError as error:
            raise Fault(f"{self.name} of hashable items", str(error)) from error


def _stable_order(plain: Plain) -> tuple[str, float, str]:
    number = plain if isinstance(plain, int | float) and not isinstance(plain, bool) else 0
    return type(plain).__name__, number, json.dumps(plain, sort_keys=True)


class TupleNode(ClassNode):
    """A tuple with a type for each position."""

    kinds = frozenset({LIST})

    def __init__(self, nodes: Nodes, name: str, places: tuple[Node, ...]) -> None:
        super().__init__(nodes, tuple, name)
        self._places: Final = places

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        return [((i,), node) for i, node in enumerate(self._places)]

    def bare(self, value: object) -> Plain:
        assert isinstance(value, tuple)
        self._check_length(value)
        out: list[Plain] = []
        try:
            for node, item in zip(self._places, value, strict=True):
                out.append(node.encode(item))
        except Fault as fault:
            fault.within(f"[{len(out)}]")
            raise
        return out

    def restore(self, plain: Plain) -> object:
        if type(plain) is not list:
            raise Fault(self.name, show(plain))
        self._check_length(plain)
        out: list[object] = []
        try:
            for node, item in zip(self._places, plain, strict=True):
                out.append(node.decode(item))
        except Fault as fault:
            fault.within(f"[{len(out)}]")
            raise
        return tuple(out)

    def replace_bare(self, value: object) -> object:
        assert isinstance(value, tuple)
        after = tuple(node.replace(item) for node, item in zip(self._places, value, strict=False))
        changed = any(new is not old for new, old in zip(after, value, strict=False))
        return after if changed and len(after) == len(value) else value

    def _check_length(self, items: tuple[object, ...] | list[Plain]) -> None:
        if len(items) != len(self._places):
            raise Fault(f"{self.name} ({len(self._places)} items)", f"{len(items)} items")
