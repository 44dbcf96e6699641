"""The kinds of plain data that distinguish types, and the tag that names a type."""

from __future__ import annotations

from typing import Final

from vcr_gen.runtime.codec.fault import Fault, show
from vcr_gen.runtime.plain import Plain

TYPE: Final = "$type"
VALUE: Final = "$value"
BASE64: Final = "$base64"
BLOB: Final = "$blob"
"""Data in a file beside the cassette (`vcr_gen.runtime.tape.blobs`)."""

ID: Final = "$id"
SAME: Final = "$same"
DEFAULTED: Final = "$defaulted"
STRUCTURAL: Final = frozenset({TYPE, ID, SAME, DEFAULTED})
"""Keys whose values say how a value is made, and are no data of the program."""

HANDLE: Final = "$handle"
FUNCTIONS: Final = frozenset({"$async_callable", "$callable"})
LIVE: Final = {
    "$async_callable": "function",
    "$awaitable": "awaitable",
    "$callable": "function",
    "$file": "file",
    HANDLE: "handle",
    "$manager": "context manager",
    "$reader": "reader",
    "$stream": "stream",
    "$text_file": "file",
    "$writer": "writer",
}
"""The tags of live objects, which have a number on the tape, and the words for them in messages."""

NULL: Final = "null"
BOOL: Final = "bool"
INT: Final = "int"
FLOAT: Final = "float"
STR: Final = "str"
LIST: Final = "list"
DICT: Final = "dict"
TAGGED: Final = TYPE

KINDS: Final = frozenset({NULL, BOOL, INT, FLOAT, STR, LIST, DICT})

_KIND_OF_TYPE: Final[dict[type, str]] = {
    type(None): NULL,
    bool: BOOL,
    int: INT,
    float: FLOAT,
    str: STR,
    list: LIST,
}


def kind_of(plain: Plain) -> str:
    """The kind by which a union tells its members apart: `str`, `list`, `$type`, `$items`, …

    A dict with one key that starts with `$` is a separate kind, named by that key.
    """
    if type(plain) is dict:
        if TYPE in plain:
            return TAGGED
        if len(plain) == 1:
            key = next(iter(plain))
            if type(key) is str and key.startswith("$"):
                return key
        return DICT
    kind = _KIND_OF_TYPE.get(type(plain))
    if kind is None:
        raise Fault("plain data", show(plain))
    return kind


def tag(name: str, plain: Plain, *, merge: bool) -> Plain:
    """Name the type of `plain`; the fields of a record stay beside the name."""
    if merge and type(plain) is dict and kind_of(plain) == DICT:
        return {TYPE: name, **plain}
    return {TYPE: name, VALUE: plain}


def untag(tagged: dict[str, Plain], *, expected: str) -> tuple[str, Plain]:
    """The name of the type, and the tagged plain."""
    name = tagged[TYPE]
    if type(name) is not str:
        raise Fault(f"{expected}, tagged with a type's name", show(name)).within(f".{TYPE}")
    if len(tagged) == 2 and VALUE in tagged:
        return name, tagged[VALUE]
    return name, {key: value for key, value in tagged.items() if key != TYPE}
