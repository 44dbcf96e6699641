"""The plain model: the kinds of data that every cassette format supports."""

from __future__ import annotations

import math
from typing import Final, TypeAlias, cast

from vcr_gen.runtime.codec.fault import Fault, show, step_to

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""None, bool, 64-bit int, finite float, str without lone surrogates, list, dict with str keys."""

TYPE: Final = "$type"
VALUE: Final = "$value"
TEMPLATE: Final = "$template"

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1

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

    A dict with one key that starts with `$` is a kind of its own, named by that key.
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


def is_plain_text(text: str) -> bool:
    """Whether every format supports the text: no lone surrogates."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_plain(value: object) -> Plain:
    """The value itself, if it is plain through and through."""
    pending: list[tuple[str, object]] = [("", value)]
    while pending:
        path, each = pending.pop()
        if type(each) is list:
            pending.extend((f"{path}[{i}]", item) for i, item in enumerate(each))
        elif type(each) is dict:
            if TEMPLATE in each:  # values of the program must not be rendered as templates
                raise Fault("plain data", f"the key {TEMPLATE}").within(path)
            pending.extend((path + step_to(key), item) for key, item in each.items())
            pending.extend((path + step_to(key), key) for key in each if type(key) is not str)
        elif not _is_scalar(each):
            raise Fault("plain data", show(each)).within(path)
    return cast("Plain", value)


def _is_scalar(value: object) -> bool:
    if value is None or value is True or value is False:
        return True
    if type(value) is int:
        return MIN_INT <= value <= MAX_INT
    if type(value) is float:
        return math.isfinite(value)
    return type(value) is str and is_plain_text(value)
