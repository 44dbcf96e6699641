"""Lists, tuples, sets and deques: containers that are stored as a list."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, Final

from vcr_gen.paths import Step, Wild
from vcr_gen.runtime.codec.compare import Difference, compare_items, differences
from vcr_gen.runtime.codec.node import NO_FIT, ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import LIST, Fault, Plain, show

BOUNDED: Final = "$bounded"


def encode_items(items: Iterable[object], encode: Callable[[object], Plain]) -> list[Plain]:
    """Encode each item; a fault says which one."""
    out: list[Plain] = []
    try:
        for item in items:
            out.append(encode(item))  # noqa: PERF401 - `len(out)` is the index for the fault
    except Fault as fault:
        fault.within(f"[{len(out)}]")
        raise
    return out


def decode_items(plain: Plain, decode: Callable[[Plain], object], expected: str) -> list[object]:
    """Decode each item; a fault says which one."""
    if type(plain) is not list:
        raise Fault(expected, show(plain))
    out: list[object] = []
    try:
        for item in plain:
            out.append(decode(item))  # noqa: PERF401 - `len(out)` is the index for the fault
    except Fault as fault:
        fault.within(f"[{len(out)}]")
        raise
    return out


def replace_items(items: Iterable[object], node: Node) -> tuple[list[object], bool]:
    """Each item with its live parts replaced, and whether any was."""
    before = list(items)
    after = [node.replace(item) for item in before]
    return after, any(new is not old for new, old in zip(after, before, strict=True))


class ItemsNode(ClassNode):
    """A container of items of one type, made from their list."""

    kinds = frozenset({LIST})
    make: Callable[[list[object]], object]

    def __init__(
        self,
        nodes: Nodes,
        cls: type,
        name: str,
        item: Node,
        *,
        make: Callable[[list[object]], object],
        base: type | None = None,
        alternatives: Mapping[type, Callable[[], Node]] | None = None,
    ) -> None:
        super().__init__(nodes, cls, name, base=base, alternatives=alternatives)
        self.item: Final = item
        self.make = make
        self.natural = frozenset({LIST}) if cls is list else frozenset()

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The node of the items."""
        return (((Wild.ANY,), self.item),)

    def bare(self, value: object) -> Plain:
        """The items' plains."""
        assert isinstance(value, Iterable)
        return encode_items(value, self.item.encode)

    def restore(self, plain: Plain) -> object:
        """The container of the items."""
        return self.make(decode_items(plain, self.item.decode, self.name))

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Item by item."""
        return compare_items(lambda _: self.item.compare, recorded, actual)

    def fits(self, value: object) -> int:
        """How far the value's type is from the declared one; an iterator would be used up here."""
        return NO_FIT if isinstance(value, Iterator) else super().fits(value)

    def replace(self, value: object) -> object:
        """The container with the live parts of its items replaced, of the value's own type."""
        make = _REMAKE.get(type(value))
        if make is None or not isinstance(value, Iterable):
            return value
        items, changed = replace_items(value, self.item)
        return make(items) if changed else value


_REMAKE: Final[dict[type, Callable[[list[object]], object]]] = {
    list: list,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    deque: deque,
}


class SetNode(ItemsNode):
    """A set, stored sorted so that a recording is stable."""

    def bare(self, value: object) -> Plain:
        """The items' plains, in a stable order."""
        assert isinstance(value, Iterable)
        return in_stable_order([self.item.encode(item) for item in value])

    def restore(self, plain: Plain) -> object:
        """The set of the items; a repeated item is refused."""
        items = decode_items(plain, self.item.decode, self.name)
        try:
            made = self.make(items)
        except TypeError as error:
            raise Fault(f"{self.name} of hashable items", str(error)) from error
        if len(set(items)) != len(items):
            raise Fault(f"{self.name} without repeated items", "a repeated item")
        return made


class DequeNode(ItemsNode):
    """A deque; `{$bounded: [maxlen, items]}` when it has a bound."""

    kinds = frozenset({LIST, BOUNDED})

    def bare(self, value: object) -> Plain:
        """The items' plains."""
        assert isinstance(value, deque)
        items: Plain = encode_items(value, self.item.encode)
        return items if value.maxlen is None else {BOUNDED: [value.maxlen, items]}

    def restore(self, plain: Plain) -> object:
        """The deque of the items."""
        if type(plain) is dict and len(plain) == 1 and BOUNDED in plain:
            parts = plain[BOUNDED]
            if not isinstance(parts, list) or len(parts) != 2:
                raise Fault("the bound and the items of a deque", show(parts))
            bound, items = parts
            if type(bound) is not int or bound < 0:
                raise Fault("the bound of a deque", show(bound))
            values = decode_items(items, self.item.decode, self.name)
            if len(values) > bound:
                raise Fault(f"at most {bound} items", f"{len(values)} items")
            return deque(values, bound)
        return deque(decode_items(plain, self.item.decode, self.name))

    def replace(self, value: object) -> object:
        """A bounded deque keeps its bound."""
        if not isinstance(value, deque):
            return super().replace(value)
        items, changed = replace_items(value, self.item)
        return deque(items, value.maxlen) if changed else value


class TupleNode(ClassNode):
    """A tuple with a type for each position; one type may repeat."""

    kinds = frozenset({LIST})
    is_open: ClassVar[bool] = True

    def __init__(
        self,
        nodes: Nodes,
        name: str,
        first: tuple[Node, ...],
        repeated: Node | None = None,
        last: tuple[Node, ...] = (),
    ) -> None:
        super().__init__(nodes, tuple, name)
        self._first: Final = first
        self._repeated: Final = repeated
        self._last: Final = last

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of the places; those behind a repeated one have no number of their own."""
        repeated = () if self._repeated is None else (self._repeated,)
        numbered: list[tuple[tuple[Step, ...], Node]] = [
            ((i,), node) for i, node in enumerate(self._first)
        ]
        return [*numbered, *(((Wild.ANY,), node) for node in (*repeated, *self._last))]

    def bare(self, value: object) -> Plain:
        """The items' plains."""
        assert isinstance(value, tuple)
        places = iter(self._places(len(value)))
        return encode_items(value, lambda item: next(places).encode(item))

    def restore(self, plain: Plain) -> object:
        """The tuple of the items."""
        if type(plain) is not list:
            raise Fault(self.name, show(plain))
        places = iter(self._places(len(plain)))
        return tuple(decode_items(plain, lambda item: next(places).decode(item), self.name))

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Place by place."""
        if isinstance(recorded, list) and isinstance(actual, list):
            try:
                places = self._places(len(recorded))
                self._places(len(actual))
            except Fault:
                return differences(recorded, actual)
            return compare_items(lambda i: places[i].compare, recorded, actual)
        return differences(recorded, actual)

    def replace_bare(self, value: object) -> object:
        """The tuple with the live parts of its items replaced."""
        assert isinstance(value, tuple)
        places = self._places(len(value))
        after = tuple(node.replace(item) for node, item in zip(places, value, strict=True))
        changed = any(new is not old for new, old in zip(after, value, strict=True))
        return after if changed else value

    def _places(self, length: int) -> tuple[Node, ...]:
        fixed = len(self._first) + len(self._last)
        if self._repeated is None:
            if length != fixed:
                raise Fault(f"{self.name} ({fixed} items)", f"{length} items")
            return self._first
        if length < fixed:
            raise Fault(f"{self.name} (at least {fixed} items)", f"{length} items")
        return (*self._first, *([self._repeated] * (length - fixed)), *self._last)


def in_stable_order(plains: list[Plain]) -> list[Plain]:
    """Plains sorted in a way that depends on nothing but themselves."""
    return sorted(plains, key=_order)


def _order(plain: Plain) -> tuple[str, float, str]:
    number = plain if isinstance(plain, int | float) and not isinstance(plain, bool) else 0
    return type(plain).__name__, number, json.dumps(plain, sort_keys=True)
