"""Standard types stored by their pieces: ranges, slices, patterns, finished processes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from vcr_gen.runtime.codec.node import ClassNode, Node, Nodes
from vcr_gen.runtime.codec.plain_kinds import LIST, STR, Fault, Plain, show
from vcr_gen.runtime.codec.records import Field, RecordNode, Shape
from vcr_gen.runtime.codec.rewrite import union_of
from vcr_gen.runtime.codec.scalars import BASE64, bytes_from_plain, bytes_to_plain

Args = tuple[Any, ...]

WRITABLE: Final = "$writable"
FIELDS: Final = "$fields"


def _called(cls: Callable[..., object], **fields: object) -> Shape:
    """A record made by calling `cls` with its pieces in order."""
    described = tuple(Field(name, annotation) for name, annotation in fields.items())
    return Shape(described, lambda values: cls(*values.values()))


_RANGE: Final = _called(range, start=int, stop=int, step=int)
_SLICE: Final = _called(slice, start=object, stop=object, step=object)


def _range(nodes: Nodes, cls: type, name: str, args: Args) -> Node:
    del args
    return RecordNode(nodes, cls, name, _RANGE)


def _slice(nodes: Nodes, cls: type, name: str, args: Args) -> Node:
    del args
    return RecordNode(nodes, cls, name, _SLICE)


def _pattern(nodes: Nodes, cls: type, name: str, args: Args) -> Node:
    text = args[0] if args else str | bytes
    return RecordNode(nodes, cls, name, _called(re.compile, pattern=text, flags=int))


def _memoryview(nodes: Nodes, cls: type, name: str, args: Args) -> Node:
    del cls, name, args
    return MemoryViewNode(nodes)


def _process(nodes: Nodes, cls: type[Any], name: str, args: Args) -> Node:
    output = union_of((args[0], None)) if args else object
    shape = _called(cls, args=object, returncode=int, stdout=output, stderr=output)
    return RecordNode(nodes, cls, name, shape)


def piecewise(cls: type[Any]) -> Callable[[Nodes, type[Any], str, Args], Node] | None:
    """The maker of the node of such a type, by name where the module may not be loaded."""
    if getattr(cls, "n_sequence_fields", None) is not None and issubclass(cls, tuple):
        return lambda nodes, cls, name, _: StructNode(nodes, cls, name)
    if (cls.__module__, cls.__qualname__) == ("subprocess", "CompletedProcess"):
        return _process
    return _MAKERS.get(cls)


_MAKERS: Final[dict[type, Callable[[Nodes, type[Any], str, Args], Node]]] = {
    range: _range,
    slice: _slice,
    re.Pattern: _pattern,
    memoryview: _memoryview,
}


class MemoryViewNode(ClassNode):
    """A memoryview of bytes, as them; `{$writable: …}` when it can be written to."""

    kinds = frozenset({STR, BASE64, WRITABLE})

    def __init__(self, nodes: Nodes) -> None:
        super().__init__(nodes, memoryview, "memoryview")

    def bare(self, value: object) -> Plain:
        """The plain of the bytes seen."""
        assert isinstance(value, memoryview)
        if value.format != "B" or value.ndim != 1:
            raise Fault("a memoryview of bytes", f"one of format {value.format}")
        plain = bytes_to_plain(value.tobytes())
        return plain if value.readonly else {WRITABLE: plain}

    def restore(self, plain: Plain) -> object:
        """A memoryview of equal bytes."""
        if type(plain) is dict and len(plain) == 1 and WRITABLE in plain:
            data = bytes_from_plain(plain[WRITABLE], expected=self.name)
            return memoryview(bytearray(data))
        return memoryview(bytes_from_plain(plain, expected=self.name))


class StructNode(ClassNode):
    """A C struct that looks like a tuple (`os.stat_result`, `time.struct_time`)."""

    kinds = frozenset({LIST, FIELDS})

    def __init__(self, nodes: Nodes, cls: type[Any], name: str) -> None:
        super().__init__(nodes, cls, name)
        self._make: Final = cls
        self._anything: Final = nodes.node(object)

    def bare(self, value: object) -> Plain:
        """The visible items, and the hidden ones when there are any."""
        assert isinstance(value, tuple)
        _, (items, hidden) = _reduced(value)
        plain = self._anything.encode(list(items))
        return {FIELDS: [plain, self._anything.encode(hidden)]} if hidden else plain

    def restore(self, plain: Plain) -> object:
        """An equal struct."""
        hidden: object = {}
        if type(plain) is dict and len(plain) == 1 and FIELDS in plain:
            parts = plain[FIELDS]
            if not isinstance(parts, list) or len(parts) != 2:
                raise Fault("the items and hidden fields of a struct", show(parts))
            plain, hidden = parts[0], self._anything.decode(parts[1])
        items = self._anything.decode(plain)
        try:
            return self._make(items, hidden)
        except (TypeError, ValueError) as error:
            raise Fault(self.name, f"items it refuses ({error})") from error


def _reduced(value: tuple[object, ...]) -> tuple[object, tuple[tuple[object, ...], object]]:
    reduced: Any = value.__reduce__()
    return reduced[0], (reduced[1][0], reduced[1][1] if len(reduced[1]) > 1 else {})
