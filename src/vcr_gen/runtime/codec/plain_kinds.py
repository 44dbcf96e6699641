"""The plain model: the kinds of data that every cassette format supports, and what does not fit."""

from __future__ import annotations

import math
from typing import Final, TypeAlias, cast

SHOWN: Final = 60
DEEP: Final = 20


class Fault(Exception):  # noqa: N818 - internal; the public errors are EncodeError and DecodeError
    """What was expected and what was found; each container adds its step of the path."""

    def __init__(self, expected: str, got: str, hint: str = "") -> None:
        super().__init__(expected, got, hint)
        self.expected: Final = expected
        self.got: Final = got
        self.hint = hint
        self._steps: Final[list[str]] = []

    def within(self, step: str) -> Fault:
        """Add the step that leads from the container to the place."""
        self._steps.append(step)
        return self

    @property
    def facts(self) -> dict[str, str]:
        """The fields of an EncodeError or a DecodeError."""
        return {"path": self.path, "expected": self.expected, "got": self.got, "hint": self.hint}

    @property
    def path(self) -> str:
        """The place, such as `$.items[1].qty`."""
        steps = self._steps[::-1]
        if len(steps) > DEEP:  # a cycle: the way in and the way on say it all
            steps = [*steps[: DEEP // 2], "…", *steps[-DEEP // 2 :]]
        return "$" + "".join(steps)


def step_to(key: object) -> str:
    """The step of a path to a field or a key."""
    if isinstance(key, str) and key.removeprefix("$").isidentifier():
        return f".{key}"
    return f"[{show(key)}]"


def show(value: object) -> str:
    """A short text for messages: scalars as they are, anything else by its type."""
    if value is None or value is ...:
        return repr(value)
    if type(value) is dict and isinstance(value.get("$type"), str):
        return f"a value tagged {_cut(value['$type'])}"
    if type(value) is int and not -(10**SHOWN) < value < 10**SHOWN:
        return "a huge int"
    if type(value) in (bool, int, float):
        return repr(value)
    if type(value) is str:
        return _cut(value)
    cls = type(value)
    return (
        cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    )


def _cut(text: str) -> str:
    from vcr_gen.runtime.privacy import hidden  # it is made of what this package offers

    text = hidden(text)  # before it is cut: half a key is not known as one
    return repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}…"


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
