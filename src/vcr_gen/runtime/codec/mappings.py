"""Dicts and their relatives: stored as a dict where every key is a text, else as pairs."""

from __future__ import annotations

from collections import ChainMap, Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import ClassVar, Final, cast

from vcr_gen.paths import Step, Wild
from vcr_gen.runtime.codec.compare import (
    Compare,
    Difference,
    compare_fields,
    compare_items,
    differences,
)
from vcr_gen.runtime.codec.node import ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import DICT, LIST, Fault, Plain, show, step_to
from vcr_gen.runtime.codec.scalars import IntNode

ITEMS: Final = "$items"
A_KEY: Final = "[a key]"
FACTORY: Final = "$factory"


class MappingNode(ClassNode):
    """A mapping: `{key: value}`, or `{$items: [[key, value], …]}` when keys are not plain texts."""

    kinds = frozenset({DICT, ITEMS})
    is_open: ClassVar[bool] = True

    def __init__(
        self,
        nodes: Nodes,
        cls: type,
        name: str,
        key: Node,
        value: Node,
        *,
        make: Callable[[dict[object, object]], object] = dict,
        base: type | None = None,
        alternatives: Mapping[type, Callable[[], Node]] | None = None,
    ) -> None:
        super().__init__(nodes, cls, name, base=base, alternatives=alternatives)
        self.key: Final = key
        self.value: Final = value
        self._make: Final = make
        self._int_keys: Final = type(key) is IntNode
        self.natural = frozenset({DICT}) if cls is dict else frozenset()

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The nodes of keys and values; a key leads to its whole entry."""
        return (((Wild.ANY,), self.key), ((Wild.ANY,), self.value))

    def bare(self, value: object) -> Plain:
        """The entries' plains."""
        assert isinstance(value, Mapping)
        return self.encode_entries(value)

    def restore(self, plain: Plain) -> object:
        """The mapping of the entries."""
        return self._make(self.decode_entries(plain))

    def encode_entries(self, value: Mapping[object, object]) -> Plain:
        """The plain of the entries."""
        pairs: list[tuple[Plain, Plain]] = []
        texts = True
        for key, item in value.items():
            plain_key = self._encode_key(key)
            if type(plain_key) is not str or plain_key.startswith("$"):
                texts = False
            try:
                pairs.append((plain_key, self.value.encode(item)))
            except Fault as fault:
                fault.within(A_KEY if self.key.hides else step_to(key))
                raise
        if texts:
            entries = {key: item for key, item in pairs if isinstance(key, str)}
            if len(entries) != len(pairs):
                raise Fault("keys that differ when they are stored", "several secret ones")
            return entries
        return {ITEMS: [[self._decode_int_key(key), item] for key, item in pairs]}

    def decode_entries(self, plain: Plain) -> dict[object, object]:
        """The entries of a plain."""
        if type(plain) is not dict:
            raise Fault(self.name, show(plain))
        if len(plain) == 1 and ITEMS in plain:
            return self._decode_pairs(plain[ITEMS])
        out: dict[object, object] = {}
        for text, item in plain.items():
            if type(text) is not str or text.startswith("$"):
                raise Fault(f"a key of {self.name}", show(text))
            key = self._decode_key(text)
            try:
                out[key] = self.value.decode(item)
            except Fault as fault:
                fault.within(step_to(text))
                raise
        if len(out) != len(plain):
            raise Fault(f"{self.name} without repeated keys", "a repeated key")
        return out

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Key by key."""
        return compare_fields(self._compare_of, recorded, actual)

    def replace(self, value: object) -> object:
        """The mapping with the live parts of its values replaced."""
        if not isinstance(value, dict | OrderedDict | MappingProxyType):
            return value
        after = {key: self.value.replace(item) for key, item in value.items()}
        if all(after[key] is item for key, item in value.items()):
            return value
        if isinstance(value, MappingProxyType):
            return MappingProxyType(after)
        copy = value.copy()
        copy.update(after)
        return copy

    def _compare_of(self, key: str) -> Compare:
        return self.compare_pair_lists if key == ITEMS else self.value.compare

    def compare_pair_lists(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Pair by pair."""
        return compare_items(lambda _: self._compare_pair, recorded, actual)

    def _compare_pair(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        sides = (self.key.compare, self.value.compare, differences)
        return compare_items(lambda i: sides[min(i, 2)], recorded, actual)

    def _encode_key(self, key: object) -> Plain:
        try:
            plain = self.key.encode(key)
        except Fault as fault:
            fault.within(A_KEY)
            raise
        return str(plain) if self._int_keys and type(plain) is int else plain

    def _decode_int_key(self, plain: Plain) -> Plain:
        return int(plain) if self._int_keys and type(plain) is str else plain

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

    def _decode_pairs(self, pairs: Plain) -> dict[object, object]:
        if type(pairs) is not list:
            raise Fault("a list of [key, value]", show(pairs)).within(f".{ITEMS}")
        out: dict[object, object] = {}
        for i, pair in enumerate(pairs):
            try:
                if type(pair) is not list or len(pair) != 2:
                    raise Fault("[key, value]", show(pair))
                key = self.key.decode(pair[0])
                hash(key)
                out[key] = self.value.decode(pair[1])
            except Fault as fault:
                fault.within(f".{ITEMS}[{i}]")
                raise
            except TypeError as error:
                raise Fault("a hashable key", str(error)).within(f".{ITEMS}[{i}]") from error
        if len(out) != len(pairs):
            raise Fault(f"{self.name} without repeated keys", "a repeated key")
        return out


class OrderedDictNode(MappingNode):
    """An OrderedDict, as a list of pairs: its order is part of its value."""

    kinds = frozenset({LIST})

    def bare(self, value: object) -> Plain:
        """The entries' plains, in order."""
        assert isinstance(value, OrderedDict)
        pairs: list[Plain] = []
        for i, (key, item) in enumerate(value.items()):
            try:
                pairs.append([self.key.encode(key), self.value.encode(item)])
            except Fault as fault:
                fault.within(f"[{i}]")
                raise
        return pairs

    def restore(self, plain: Plain) -> object:
        """The OrderedDict of the pairs."""
        if type(plain) is not list:
            raise Fault(self.name, show(plain))
        return OrderedDict(self._decode_pairs(plain))

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Pair by pair."""
        return self.compare_pair_lists(recorded, actual)


class DefaultDictNode(MappingNode):
    """A defaultdict: bare when its factory is the declared value's type, else `{$factory: …}`."""

    kinds = frozenset({DICT, ITEMS, FACTORY})

    def __init__(
        self, nodes: Nodes, name: str, key: Node, value: Node, factory: type | None
    ) -> None:
        super().__init__(nodes, defaultdict, name, key, value)
        self._nodes: Final = nodes
        self._factory: Final = factory

    def bare(self, value: object) -> Plain:
        """The entries' plains, and the factory when it is not the obvious one."""
        assert isinstance(value, defaultdict)
        entries = self.encode_entries(value)
        factory = value.default_factory
        if factory is self._factory:
            return entries
        if factory is None:
            return {FACTORY: [None, entries]}
        if not isinstance(factory, type):
            hint = "use a class as the factory, or register a codec for the type"
            raise Fault("a defaultdict whose factory is a class", show(factory), hint)
        self._nodes.of_value(factory)
        return {FACTORY: [self._nodes.type_name(factory), entries]}

    def restore(self, plain: Plain) -> object:
        """The defaultdict of the entries."""
        factory = self._factory
        if type(plain) is dict and len(plain) == 1 and FACTORY in plain:
            parts = plain[FACTORY]
            if not isinstance(parts, list) or len(parts) != 2:
                raise Fault("the factory and the entries of a defaultdict", show(parts))
            name, plain = parts
            if name is None:
                factory = None
            elif isinstance(name, str):
                factory = self._nodes.find_type(name, object)
                self._nodes.of_value(factory)
            else:
                raise Fault("the name of a factory", show(name)).within(f".{FACTORY}[0]")
        return defaultdict(factory, self.decode_entries(plain))

    def compare_bare(self, recorded: Plain, actual: Plain) -> tuple[Difference, ...]:
        """Key by key; two with an unusual factory, as plains."""
        if isinstance(recorded, dict) and FACTORY in recorded:
            return differences(recorded, actual)
        return super().compare_bare(recorded, actual)


class ChainMapNode(ClassNode):
    """A ChainMap, as the list of its maps."""

    kinds = frozenset({LIST})

    def __init__(self, nodes: Nodes, name: str, layer: Node) -> None:
        super().__init__(nodes, ChainMap, name)
        self._layer: Final = layer

    def parts(self) -> Iterable[tuple[tuple[Step, ...], Node]]:
        """The node of each map."""
        return (((Wild.ANY,), self._layer),)

    def bare(self, value: object) -> Plain:
        """The maps' plains."""
        assert isinstance(value, ChainMap)
        return [self._layer.encode(layer) for layer in value.maps]

    def restore(self, plain: Plain) -> object:
        """The ChainMap of the maps."""
        if type(plain) is not list:
            raise Fault(self.name, show(plain))
        layers = [self._layer.decode(layer) for layer in plain]
        return ChainMap(*(layer for layer in layers if isinstance(layer, dict)))


class NamespaceNode(MappingNode):
    """A SimpleNamespace, by its attributes."""

    def __init__(self, nodes: Nodes) -> None:
        anything = nodes.node(object)
        super().__init__(nodes, SimpleNamespace, "types.SimpleNamespace", nodes.node(str), anything)

    def bare(self, value: object) -> Plain:
        """The attributes' plains."""
        attributes: dict[object, object] = {}
        attributes.update(vars(value))
        return self.encode_entries(attributes)

    def restore(self, plain: Plain) -> object:
        """The namespace of the attributes."""
        entries = self.decode_entries(plain)
        return SimpleNamespace(**{str(key): item for key, item in entries.items()})


def make_counter(entries: dict[object, object]) -> object:
    """A Counter with the given entries."""
    counter: Counter[object] = Counter()
    for key, count in entries.items():
        counter[key] = cast("int", count)
    return counter
