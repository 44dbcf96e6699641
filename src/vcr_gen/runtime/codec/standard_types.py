"""The standard types the codec knows by a fixed name, whatever module defines them this year."""

from __future__ import annotations

import collections
import pathlib
import re
import types
from collections.abc import Callable, Mapping
from typing import Final

from vcr_gen.runtime.codec.mappings import NamespaceNode
from vcr_gen.runtime.codec.node import Node, Nodes
from vcr_gen.runtime.codec.scalars import BoolNode, BytesNode, FloatNode, IntNode, NoneNode, StrNode
from vcr_gen.runtime.codec.texts import TEXT_NODES

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
