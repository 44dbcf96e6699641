"""Which node stores which of Python's own types, and the fixed names of these types."""

from __future__ import annotations

import collections
import pathlib
import re
import sys
import types
from collections import abc
from collections.abc import Callable
from typing import Any, Final, get_origin

from vcr_gen.runtime.codec.annotations import Unresolved, strip_annotated, union_of
from vcr_gen.runtime.codec.dynamic import UnresolvedNode
from vcr_gen.runtime.codec.fault import Fault
from vcr_gen.runtime.codec.lookup import plain_type_name
from vcr_gen.runtime.codec.mappings import DefaultDictNode, MappingNode, pairs_node
from vcr_gen.runtime.codec.node import DeclaredClass, Node, Nodes
from vcr_gen.runtime.codec.records import Field, RecordNode, Shape
from vcr_gen.runtime.codec.scalars import BytesNode, ConstantNode, FloatNode, IntNode, StrNode
from vcr_gen.runtime.codec.sequences import ItemsNode, IterableNode, SetNode, TupleNode
from vcr_gen.runtime.codec.tags import BOOL, NULL
from vcr_gen.runtime.codec.texts import TEXTS, TextNode

Args = tuple[Any, ...]
Make = Callable[[Nodes, type, str, Args], Node]


def _alias(cls: type, *args: object) -> object:
    return types.GenericAlias(cls, args)


def _argument(args: Args, place: int) -> object:
    return args[place] if place < len(args) else Any


def _list(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    item = _argument(args, 0)
    others: dict[type, object] = {
        tuple: _alias(tuple, item, ...),
        collections.deque: _alias(collections.deque, item),
        set: _alias(set, item),
        frozenset: _alias(frozenset, item),
        dict: _alias(dict, item, Any),
    }
    accepted = {cls: other for cls, other in others.items() if issubclass(cls, origin)}
    node = IterableNode if origin is abc.Iterable else ItemsNode
    return node(nodes, list, name, nodes.node(item), make=_same, base=origin, alternatives=accepted)


def _same(items: list[Any]) -> object:
    return items


def _set(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    item = _argument(args, 0)
    cls = frozenset if origin is frozenset else set
    others: dict[type, object] = {frozenset: _alias(frozenset, item)} if origin is abc.Set else {}
    return SetNode(nodes, cls, name, nodes.node(item), make=cls, base=origin, alternatives=others)


def _tuple(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    if (not args and name == "tuple") or any(map(_is_unpacked, args)):
        args = (Any, ...)  # of `tuple[int, *tuple[str, ...]]` the values themselves tell the types
    if len(args) == 2 and args[1] is ...:
        return ItemsNode(nodes, origin, name, nodes.node(args[0]), make=tuple)
    return TupleNode(nodes, name, tuple(nodes.node(arg) for arg in args))


def _is_unpacked(arg: object) -> bool:
    return getattr(get_origin(arg), "_name", "") == "Unpack" or getattr(arg, "__unpacked__", False)


def _dict(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    key, value = _argument(args, 0), _argument(args, 1)
    others: dict[type, object] = {
        cls: _alias(cls, key, value)
        for cls in (
            collections.OrderedDict,
            collections.defaultdict,
            types.MappingProxyType,
        )
        if issubclass(cls, origin)
    }
    others[collections.Counter] = _alias(collections.Counter, key)
    return MappingNode(
        nodes, dict, name, nodes.node(key), nodes.node(value), base=origin, alternatives=others
    )


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
    return MappingNode(nodes, origin, name, key, nodes.node(int), make=collections.Counter)


def _proxy(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    key, value = nodes.node(_argument(args, 0)), nodes.node(_argument(args, 1))
    return MappingNode(nodes, origin, name, key, value, make=types.MappingProxyType)


def _namespace(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    del args
    return MappingNode(
        nodes,
        origin,
        name,
        nodes.node(str),
        nodes.node(object),
        make=lambda attributes: types.SimpleNamespace(**attributes),
        entries=lambda namespace: namespace.__dict__,
    )


def _items(
    make: Callable[[Any], object], items: Callable[[Any], abc.Iterable[object]] = iter
) -> Make:
    """A function that makes the node of a container stored as a list of its items."""

    def node(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
        item = nodes.node(_argument(args, 0))
        return ItemsNode(nodes, origin, name, item, make=make, items=items)

    return node


def _pairs(
    make: Callable[[Any], object], items: Callable[[Any], abc.Iterable[object]] = iter
) -> Make:
    """The function that makes the node of a container stored as a list of pairs."""

    def node(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
        key, value = nodes.node(_argument(args, 0)), nodes.node(_argument(args, 1))
        return pairs_node(nodes, origin, name, key, value, make=make, items=items)

    return node


def _items_of_deque(value: collections.deque[object]) -> collections.deque[object]:
    if value.maxlen is not None:
        hint = "pass a deque without `maxlen`, or register a codec for the type"
        raise Fault("a deque without a bound", f"one of at most {value.maxlen} items", hint)
    return value


def _called(make: Callable[..., object], **fields: object) -> Shape:
    """A record made by calling `make` with its pieces in order."""
    described = tuple(Field(name, annotation) for name, annotation in fields.items())
    return Shape(described, lambda values: make(*values.values()))


def _record(make: Callable[..., object], **fields: object) -> Make:
    """A function that makes the node of such a record."""
    return lambda nodes, cls, name, _: RecordNode(nodes, cls, name, _called(make, **fields))


def _pattern(nodes: Nodes, origin: type, name: str, args: Args) -> Node:
    text = args[0] if args else str | bytes
    return RecordNode(nodes, origin, name, _called(re.compile, pattern=text, flags=int))


def completed_process_node(declared: DeclaredClass) -> Node | None:
    """The node of `subprocess.CompletedProcess`, whose module may not be loaded."""
    cls, args = declared.cls, declared.arguments
    if (cls.__module__, cls.__qualname__) != ("subprocess", "CompletedProcess"):
        return None
    output = union_of((args[0], None)) if args else object
    shape = _called(cls, args=object, returncode=int, stdout=output, stderr=output)
    return RecordNode(declared.nodes, cls, declared.name, shape)


def logger_node(declared: DeclaredClass) -> Node | None:
    """The node of a logger: its name, by which `logging` knows it."""
    logging: Any = sys.modules.get("logging")
    if logging is None or not issubclass(declared.cls, logging.Logger):
        return None

    def write(logger: Any) -> str:
        if logging.getLogger(logger.name) is not logger:
            raise ValueError(f"one that logging.getLogger({logger.name!r}) does not give")
        return str(logger.name)

    def read(name: str) -> object:
        logger: object = logging.getLogger(name)
        if type(logger) is not declared.cls:
            raise ValueError(name)
        return logger

    return TextNode(declared.nodes, declared.cls, declared.name, write, read)


def struct_node(declared: DeclaredClass) -> Node | None:
    """The node of a C struct that looks like a tuple (`os.stat_result`, `time.struct_time`)."""
    cls: Any = declared.cls
    if not issubclass(cls, tuple) or not hasattr(cls, "n_sequence_fields"):
        return None

    def read(value: Any, field: str) -> object:
        _, (items, *hidden) = value.__reduce__()
        return items if field == "items" else (hidden or [{}])[0]

    fields = (Field("items", tuple), Field("hidden", dict))
    shape = Shape(fields, lambda parts: cls(*parts.values()), read=read)
    return RecordNode(declared.nodes, cls, declared.name, shape)


def _leaf(make: Callable[[Nodes, type[Any], str], Node]) -> Make:
    """A function that makes the node of a type without arguments."""
    return lambda nodes, cls, *_: make(nodes, cls, nodes.type_name(cls))


STANDARD: Final[dict[type, Make]] = {
    Unresolved: _leaf(lambda nodes, *_: UnresolvedNode(nodes, object, "Any")),
    type(None): _leaf(lambda _, cls, name: ConstantNode(cls, name, NULL)),
    bool: _leaf(lambda _, cls, name: ConstantNode(cls, name, BOOL)),
    int: _leaf(lambda nodes, *_: IntNode(nodes)),
    float: _leaf(lambda nodes, *_: FloatNode(nodes)),
    str: _leaf(lambda nodes, *_: StrNode(nodes)),
    bytes: _leaf(lambda nodes, cls, _: BytesNode(nodes, cls)),
    bytearray: _leaf(lambda nodes, cls, _: BytesNode(nodes, cls)),
    memoryview: _leaf(lambda nodes, cls, _: BytesNode(nodes, cls)),
    **{cls: _leaf(make) for cls, make in TEXTS.items()},
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
    collections.deque: _items(collections.deque, _items_of_deque),
    dict: _dict,
    abc.Mapping: _dict,
    abc.MutableMapping: _dict,
    # The order is part of the value, so it is a list of pairs.
    collections.OrderedDict: _pairs(collections.OrderedDict, collections.OrderedDict.items),
    collections.defaultdict: _default,
    collections.Counter: _counter,
    types.MappingProxyType: _proxy,
    types.SimpleNamespace: _namespace,
    type({}.keys()): _items(lambda keys: dict.fromkeys(keys).keys()),
    type({}.values()): _items(lambda values: dict(enumerate(values)).values()),
    type({}.items()): _pairs(lambda pairs: dict(pairs).items()),
    range: _record(range, start=int, stop=int, step=int),
    slice: _record(slice, start=object, stop=object, step=object),
    re.Pattern: _pattern,
}
"""For each class, what makes its node, given the type arguments."""

_NAMES: Final[dict[type, str]] = {
    **{cls: plain_type_name(cls) for cls in (*STANDARD, type)},
    type(None): "None",
    pathlib.PurePath: "pathlib.PurePath",
    pathlib.Path: "pathlib.Path",
    type(pathlib.Path()): "pathlib.Path",
    pathlib.PurePosixPath: "pathlib.PurePosixPath",
    pathlib.PureWindowsPath: "pathlib.PureWindowsPath",
    types.MappingProxyType: "types.MappingProxyType",
    types.SimpleNamespace: "types.SimpleNamespace",
    types.EllipsisType: "types.EllipsisType",
}
"""The names of standard types, which are the same in every version of Python."""
_TYPES: Final = {name: cls for cls, name in _NAMES.items()}


def standard_name(cls: type) -> str | None:
    """The fixed name of a standard type."""
    return _NAMES.get(cls)


def standard_type(name: str) -> type | None:
    """The standard type of that name."""
    return _TYPES.get(name)
