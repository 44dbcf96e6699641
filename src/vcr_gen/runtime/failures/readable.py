"""Recorded values as Python would spell them: short class names, no tags of the cassette."""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from vcr_gen.runtime.plain import Plain

__all__ = ["item_type", "readable", "short_name"]

_ENOUGH: Final = 20_000
"""So many letters of a value are looked at; a message shows far fewer."""
_DEEPEST: Final = 50
_EXCEPTION: Final = frozenset({"args", "attributes", "notes", "cause", "context_suppressed"})
_NO_CLASS: Final = frozenset({"Any", "Dict", "Mapping", "MutableMapping"})
_LIVE: Final = {
    "$async_callable": "function",
    "$awaitable": "awaitable",
    "$callable": "function",
    "$handle": "handle",
    "$manager": "context manager",
    "$stream": "stream",
}


def readable(value: Plain, declared: str = "") -> str:
    """A stored value on one line; `declared` is the annotation that it was stored by."""
    pieces: list[str] = []
    length = 0
    for piece in _pieces(value, declared, 0):
        pieces.append(piece)
        length += len(piece)
        if length > _ENOUGH:
            return "".join([*pieces, "…"])
    return "".join(pieces)


def short_name(qualified: str) -> str:
    """A class without its module: `app.ports.Step` is `Step`, also inside brackets."""
    return re.sub(r"(?:\w+[.:])+(\w+)", r"\1", qualified)


@lru_cache(256)
def item_type(annotation: str) -> str:
    """What a list or a stream of this type holds; empty where that is not known."""
    node = _parsed(annotation)
    if not isinstance(node, ast.Subscript):
        return ""
    inner = node.slice
    return ast.unparse(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)


@lru_cache(256)
def _class_name(annotation: str) -> str:
    """The class that an annotation names; empty where it names none, or several."""
    node = _parsed(annotation)
    if isinstance(node, ast.BinOp):
        sides = [side for side in (node.left, node.right) if ast.unparse(side) != "None"]
        node = sides[0] if len(sides) == 1 else None
    if not isinstance(node, ast.Name | ast.Attribute):
        return ""
    name = short_name(ast.unparse(node))
    return name if name[:1].isupper() and name not in _NO_CLASS else ""


def _parsed(annotation: str) -> ast.expr | None:
    try:
        return ast.parse(annotation, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # a file may hold anything
        return None


def _pieces(value: Plain, declared: str, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        yield "…"
    elif isinstance(value, dict):
        yield from _mapping(value, declared, depth + 1)
    elif isinstance(value, list):
        yield from _joined("[", (("", item) for item in value), "]", item_type(declared), depth)
    elif value is None or isinstance(value, bool):
        yield str(value)
    else:
        whole = value[:_ENOUGH] if isinstance(value, str) else value
        yield json.dumps(whole, ensure_ascii=False)


def _mapping(value: Mapping[str, Plain], declared: str, depth: int) -> Iterator[str]:
    if "$type" in value:
        fields = {key: item for key, item in value.items() if key != "$type"}
        yield from _tagged(short_name(str(value["$type"])), fields, depth)
        return
    if len(value) == 1:
        (key,) = value
        if key.startswith("$"):
            yield from _special(key, value[key], depth)
            return
    name = _class_name(declared)
    if name and all(map(str.isidentifier, value)):
        yield from _tagged(name, value, depth)
        return
    entries = ((f"{json.dumps(key, ensure_ascii=False)}: ", item) for key, item in value.items())
    yield from _joined("{", entries, "}", "", depth)


def _tagged(name: str, fields: Mapping[str, Plain], depth: int) -> Iterator[str]:
    """An object as a call of its class."""
    arguments = fields.get("args")
    if set(fields) == {"$value"}:
        yield from _joined(f"{name}(", [("", fields["$value"])], ")", "", depth)
    elif isinstance(arguments, list) and set(fields) <= _EXCEPTION:
        yield from _joined(f"{name}(", (("", item) for item in arguments), ")", "", depth)
    else:
        entries = ((f"{key.removeprefix('$')}=", item) for key, item in fields.items())
        yield from _joined(f"{name}(", entries, ")", "", depth)


def _special(key: str, value: Plain, depth: int) -> Iterator[str]:
    """A value that the cassette stores under a tag: a live object, a number beyond 64 bits."""
    if key in _LIVE:
        yield f"{_LIVE[key]} #{value}"
    elif key in ("$int", "$float"):
        yield str(value)
    elif key == "$items" and isinstance(value, list):
        yield "{"
        for position, pair in enumerate(value):
            yield ", " if position else ""
            entry = pair if isinstance(pair, list) else [pair]
            for place, part in enumerate(entry):
                yield ": " if place else ""
                yield from _pieces(part, "", depth)
        yield "}"
    else:
        yield from _joined(f"{key[1:]}(", [("", value)], ")", "", depth)


def _joined(
    start: str, entries: Iterable[tuple[str, Plain]], end: str, declared: str, depth: int
) -> Iterator[str]:
    yield start
    for position, (label, item) in enumerate(entries):
        yield f", {label}" if position else label
        yield from _pieces(item, declared, depth + 1)
    yield end
