"""Which node stores which of Python's own types, and the fixed names of these types."""

from __future__ import annotations

import collections
import pathlib
import re
import types
from collections import abc
from collections.abc import Callable, Mapping
from typing import Any, Final, cast, get_args, get_origin

from vcr_gen.runtime.codec.mappings import (
    ChainMapNode,
    DefaultDictNode,
    MappingNode,
    NamespaceNode,
    OrderedDictNode,
    make_counter,
)
from vcr_gen.runtime.codec.node import Node, Nodes
from vcr_gen.runtime.codec.rewrite import strip_annotated
from vcr_gen.runtime.codec.scalars import BoolNode, BytesNode, FloatNode, IntNode, NoneNode, StrNode
from vcr_gen.runtime.codec.sequences import DequeNode, ItemsNode, SetNode, TupleNode
from vcr_gen.runtime.codec.texts import TEXT_NODES

Args = tuple[Any, ...]


def _same(items: list[object]) -> object:
    return items


def _list(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    item = _argument(args, 0)
    others: dict[type, Callable[[], Node]] = {}
    if origin is not list:
        others = {tuple: lambda: nodes.node(types.GenericAlias(tuple, (item, ...)))}
        for cls in (list, collections.deque, set, frozenset):
            if issubclass(cls, origin) and cls is not list:
                others[cls] = _alternative(nodes, cls, (item,))
        if issubclass(dict, origin):
            others[dict] = _alternative(nodes, dict, (item, Any))
        if not issubclass(tuple, origin):
            del others[tuple]
    return ItemsNode(
        nodes, list, name, nodes.node(item), make=_same, base=origin, alternatives=others
    )


def _set(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    item = _argument(args, 0)
    cls = frozenset if origin is frozenset else set
    others: dict[type, Callable[[], Node]] = {}
    if origin is abc.Set:
        others = {frozenset: _alternative(nodes, frozenset, (item,))}
    return SetNode(nodes, cls, name, nodes.node(item), make=cls, base=origin, alternatives=others)


def _deque(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    item = nodes.node(_argument(args, 0))
    return DequeNode(nodes, origin, name, item, make=collections.deque)


def _tuple(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    del origin
    if not args and name == "tuple":
        args = (Any, ...)
    first: list[Node] = []
    repeated: Node | None = None
    last: list[Node] = []
    for place in _places(args):
        if isinstance(place, Repeated):
            repeated = nodes.node(place.annotation)
        else:
            (first if repeated is None else last).append(nodes.node(place))
    return TupleNode(nodes, name, tuple(first), repeated, tuple(last))


def _dict(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    key, value = _argument(args, 0), _argument(args, 1)
    others: dict[type, Callable[[], Node]] = {
        cls: _alternative(nodes, cls, (key, value))
        for cls in (
            collections.OrderedDict,
            collections.defaultdict,
            collections.ChainMap,
            types.MappingProxyType,
        )
        if issubclass(cls, origin)
    }
    others[collections.Counter] = _alternative(nodes, collections.Counter, (key,))
    return MappingNode(
        nodes,
        dict,
        name,
        nodes.node(key),
        nodes.node(value),
        base=origin,
        alternatives=others,
    )


def _ordered(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    key, value = nodes.node(_argument(args, 0)), nodes.node(_argument(args, 1))
    return OrderedDictNode(nodes, origin, name, key, value)


def _default(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    del origin
    value = _argument(args, 1)
    bare = strip_annotated(value)
    factory = get_origin(bare) or bare
    chosen = factory if isinstance(factory, type) and factory is not object else None
    key = nodes.node(_argument(args, 0))
    return DefaultDictNode(nodes, name, key, nodes.node(value), chosen)


def _counter(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    key = nodes.node(_argument(args, 0))
    return MappingNode(nodes, origin, name, key, nodes.node(int), make=make_counter)


def _proxy(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    key, value = nodes.node(_argument(args, 0)), nodes.node(_argument(args, 1))
    return MappingNode(nodes, origin, name, key, value, make=types.MappingProxyType)


def _chain(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    del origin
    layer = types.GenericAlias(dict, (_argument(args, 0), _argument(args, 1)))
    return ChainMapNode(nodes, name, nodes.node(layer))


def _keys(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    item = nodes.node(_argument(args, 0))
    return ItemsNode(
        nodes,
        type({}.keys()),
        name,
        item,
        make=lambda keys: dict.fromkeys(keys).keys(),
        base=origin,
    )


def _values(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    item = nodes.node(_argument(args, 0))
    return ItemsNode(
        nodes,
        type({}.values()),
        name,
        item,
        make=lambda values: dict(enumerate(values)).values(),
        base=origin,
    )


def _items(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    pair = nodes.node(types.GenericAlias(tuple, (_argument(args, 0), _argument(args, 1))))
    return ItemsNode(nodes, type({}.items()), name, pair, make=_items_of, base=origin)


def _items_of(pairs: list[object]) -> object:
    return dict(cast("list[tuple[object, object]]", pairs)).items()


Maker = Callable[[Nodes, type, str, Args], Node]

CONTAINERS: Final[dict[type, Maker]] = {
    list: _list,
    abc.Sequence: _list,
    abc.MutableSequence: _list,
    abc.Collection: _list,
    abc.Container: _list,
    abc.Iterable: _list,
    abc.Reversible: _list,
    tuple: _tuple,
    set: _set,
    frozenset: _set,
    abc.Set: _set,
    abc.MutableSet: _set,
    collections.deque: _deque,
    dict: _dict,
    abc.Mapping: _dict,
    abc.MutableMapping: _dict,
    collections.OrderedDict: _ordered,
    collections.defaultdict: _default,
    collections.Counter: _counter,
    collections.ChainMap: _chain,
    types.MappingProxyType: _proxy,
    type({}.keys()): _keys,
    type({}.values()): _values,
    type({}.items()): _items,
    abc.KeysView: _keys,
    abc.ValuesView: _values,
    abc.ItemsView: _items,
}


class Repeated:
    """The part of a tuple that may be there any number of times."""

    def __init__(self, annotation: object) -> None:
        self.annotation: Final = annotation


def _places(args: Args) -> list[object]:
    if len(args) == 2 and args[1] is ...:
        return [Repeated(args[0])]
    found: list[object] = []
    for arg in args:
        inner = _unpacked(arg)
        if inner is None:
            found.append(arg)
        else:
            found += _places(get_args(inner)) if get_origin(inner) is tuple else [Repeated(Any)]
    return found


def _unpacked(arg: object) -> object:
    """The unpacked type of `*tuple[int, ...]` or `*Ts`; None without a star."""
    if getattr(get_origin(arg), "_name", "") == "Unpack":
        return get_args(arg)[0]
    return arg if getattr(arg, "__unpacked__", False) else None


def _argument(args: Args, place: int) -> object:
    return args[place] if place < len(args) else Any


def _alternative(nodes: Nodes, cls: type, args: Args) -> Callable[[], Node]:
    return lambda: nodes.node(types.GenericAlias(cls, args))


NativePath: Final = type(pathlib.Path())

LEAVES: Final[Mapping[type, Callable[[Nodes], Node]]] = {
    type(None): lambda _: NoneNode(),
    bool: lambda _: BoolNode(),
    int: IntNode,
    float: FloatNode,
    str: StrNode,
    bytes: lambda nodes: BytesNode(nodes, bytes),
    bytearray: lambda nodes: BytesNode(nodes, bytearray),
    types.SimpleNamespace: NamespaceNode,
    **TEXT_NODES,
}
"""Types without type arguments."""

_FIXED: Final[Mapping[type, str]] = {
    type(None): "None",
    NativePath: "pathlib.Path",
    pathlib.PurePosixPath: "pathlib.PurePosixPath",
    pathlib.PureWindowsPath: "pathlib.PureWindowsPath",
    types.MappingProxyType: "types.MappingProxyType",
    types.SimpleNamespace: "types.SimpleNamespace",
    types.EllipsisType: "types.EllipsisType",
    re.Pattern: "re.Pattern",
}

_CONTAINERS: Final[tuple[type, ...]] = (
    list,
    tuple,
    set,
    frozenset,
    dict,
    collections.deque,
    collections.OrderedDict,
    collections.defaultdict,
    collections.Counter,
    collections.ChainMap,
    types.MappingProxyType,
    range,
    slice,
    memoryview,
    type,
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)


def standard_name(cls: type) -> str | None:
    """The fixed name of a standard type."""
    return _NAMES.get(cls)


def standard_type(name: str) -> type | None:
    """The standard type of that name."""
    return _TYPES.get(name)


def _module_name(cls: type) -> str:
    if cls.__module__ == "builtins":
        return cls.__qualname__
    return f"{cls.__module__}.{cls.__qualname__}"


_NAMES: Final = {
    cls: _FIXED.get(cls) or _module_name(cls) for cls in (*LEAVES, *_CONTAINERS, *_FIXED)
}
_TYPES: Final = {name: cls for cls, name in _NAMES.items()}
