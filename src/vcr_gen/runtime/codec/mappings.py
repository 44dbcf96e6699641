"""Dicts and their relatives: stored as a dict where every key is a text, else as pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from vcr_gen.field_path_syntax import Step, Wild
from vcr_gen.runtime.codec.fault import Fault, show, step_to
from vcr_gen.runtime.codec.node import ClassNode, Node, Nodes
from vcr_gen.runtime.codec.scalars import IntNode, StrNode
from vcr_gen.runtime.codec.sequences import ItemsNode, TupleNode
from vcr_gen.runtime.codec.tags import DICT
from vcr_gen.runtime.plain import Plain

ITEMS: Final = "$items"
A_KEY: Final = "[a key]"
FACTORY: Final = "$factory"


def pairs_node(nodes: Nodes, cls: type, name: str, key: Node, value: Node, **how: Any) -> ItemsNode:
    """The node of a container that is stored as a list of pairs."""
    pair = TupleNode(nodes, "[key, value]", (key, value))
    return ItemsNode(nodes, cls, name, pair, **how)


class MappingNode(ClassNode):
    """A mapping: `{key: value}`, or `{$items: [[key, value], …]}` when keys are not plain texts."""

    kinds = frozenset({DICT, ITEMS})

    def __init__(
        self,
        nodes: Nodes,
        cls: type,
        name: str,
        key: Node,
        value: Node,
        *,
        make: Callable[[dict[Any, Any]], object] = dict,
        entries: Callable[[Any], Mapping[object, object]] | None = None,
        base: type | None = None,
        alternatives: Mapping[type, object] | None = None,
    ) -> None:
        super().__init__(nodes, cls, name, base=base, alternatives=alternatives)
        self.key: Final = key
        self.value: Final = value
        self._make: Final = make
        self._entries: Final = entries
        self._pairs: Final = pairs_node(
            nodes, list, "a list of [key, value]", key, value, make=list
        )
        self._int_keys: Final = type(key) is IntNode
        self._text_keys: Final = type(key) is StrNode
        self.natural = frozenset({DICT}) if cls is dict else frozenset()

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of keys and values; a key leads to its whole entry."""
        return (((Wild.ANY,), self.key), ((Wild.ANY,), self.value))

    def part(self, key: str | int) -> Node | None:
        return self._pairs if key == ITEMS else self.value

    def bare(self, value: Any) -> Plain:
        entries = value if self._entries is None else self._entries(value)
        out: dict[str, Plain] = {}
        for key, item in entries.items():
            text: str | None
            if self._text_keys and type(key) is str and key.isascii():
                text = key
            else:
                text = self._key_text(key)
            if text is None or text[:1] == "$":
                return {ITEMS: [self._encode_pair(key, item) for key, item in entries.items()]}
            if text in out:
                raise Fault("keys that differ when they are stored", "several secret ones")
            try:
                out[text] = self.value.encode(item)
            except Fault as fault:
                fault.within(A_KEY if self.key.hides else step_to(key))
                raise
        return out

    def restore(self, plain: Plain) -> object:
        return self._make(self.decode_entries(plain))

    def decode_entries(self, plain: Plain) -> dict[object, object]:
        """The entries of a plain."""
        if type(plain) is not dict:
            raise Fault(self.name, show(plain))
        if len(plain) == 1 and ITEMS in plain:
            return self._decode_pairs(plain[ITEMS])
        out: dict[object, object] = {}
        for text, item in plain.items():
            if type(text) is not str or text[:1] == "$":
                raise Fault(f"a key of {self.name}", show(text))
            key = text if self._text_keys and text.isascii() else self._decode_key(text)
            try:
                out[key] = self.value.decode(item)
            except Fault as fault:
                fault.within(step_to(text))
                raise
        if len(out) != len(plain):
            raise Fault(f"{self.name} without repeated keys", "a repeated key")
        return out

    def replace_bare(self, value: Any) -> object:
        before = value if self._entries is None else self._entries(value)
        after = {key: self.value.replace(item) for key, item in before.items()}
        changed = any(after[key] is not item for key, item in before.items())
        return self.remake(value, after) if changed else value

    def remake(self, value: object, entries: dict[object, object]) -> object:
        """A mapping like `value` with other entries."""
        del value
        return self._make(entries)

    def _encode_pair(self, key: object, item: object) -> Plain:
        try:
            return [self.key.encode(key), self.value.encode(item)]
        except Fault as fault:
            fault.within(A_KEY if self.key.hides else step_to(key))
            raise

    def _key_text(self, key: object) -> str | None:
        """The text of a key; None if it is stored as something else."""
        try:
            plain = self.key.encode(key)
        except Fault as fault:
            fault.within(A_KEY)
            raise
        if type(plain) is str:
            return plain
        return str(plain) if self._int_keys and type(plain) is int else None

    def _decode_key(self, text: str) -> object:
        try:
            if not self._int_keys:
                return self.key.decode(text)
            digits = text.removeprefix("-")
            if digits.isascii() and digits.isdecimal() and len(digits) < 20:
                number = int(text)
                if str(number) == text:
                    return self.key.decode(number)
            raise Fault("int", show(text))
        except Fault as fault:
            fault.within(A_KEY)
            raise

    def _decode_pairs(self, plain: Plain) -> dict[object, object]:
        try:
            pairs: Any = self._pairs.decode_items(plain)
            out = dict(pairs)
        except Fault as fault:
            fault.within(f".{ITEMS}")
            raise
        except TypeError as error:
            raise Fault("hashable keys", str(error)).within(f".{ITEMS}") from error
        if len(out) != len(pairs):
            raise Fault(f"{self.name} without repeated keys", "a repeated key")
        return out


class DefaultDictNode(MappingNode):
    """A defaultdict: bare when its factory is the declared value's type, else `{$factory: …}`."""

    kinds = frozenset({DICT, ITEMS, FACTORY})

    def __init__(
        self, nodes: Nodes, name: str, key: Node, value: Node, factory: type | None
    ) -> None:
        super().__init__(nodes, defaultdict, name, key, value)
        self._factory: Final = factory

    def part(self, key: str | int) -> Node | None:
        return None if key == FACTORY else super().part(key)

    def bare(self, value: Any) -> Plain:
        entries = super().bare(value)
        factory = value.default_factory
        if factory is self._factory:
            return entries
        if factory is None:
            return {FACTORY: [None, entries]}
        if not isinstance(factory, type):
            hint = "use a class as the factory, or register a codec for the type"
            raise Fault("a defaultdict whose factory is a class", show(factory), hint)
        self.nodes.of_value(factory)
        return {FACTORY: [self.nodes.type_name(factory), entries]}

    def restore(self, plain: Plain) -> object:
        factory = self._factory
        if type(plain) is dict and len(plain) == 1 and FACTORY in plain:
            parts = plain[FACTORY]
            if not isinstance(parts, list) or len(parts) != 2:
                raise Fault("the factory and the entries of a defaultdict", show(parts))
            name, plain = parts
            if name is None:
                factory = None
            elif isinstance(name, str):
                factory = self.nodes.find_type(name, object)
                self.nodes.of_value(factory)
            else:
                raise Fault("the name of a factory", show(name)).within(f".{FACTORY}[0]")
        return defaultdict(factory, self.decode_entries(plain))

    def remake(self, value: Any, entries: dict[object, object]) -> object:
        return defaultdict(value.default_factory, entries)
