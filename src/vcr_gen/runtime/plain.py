"""The plain model: the values a cassette file can contain, in every format."""

import marshal
from math import isfinite
from typing import Final, TypeAlias

from vcr_gen.errors import EncodeError

Plain: TypeAlias = bool | int | float | str | list["Plain"] | dict[str, "Plain"] | None
"""None, bool, 64-bit int, finite float, text, list, dict with text keys; nothing else."""

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1

MAX_DEPTH: Final = 200
"""How deep containers may nest: far above real data, below the limit of any parser in use."""

_Fault: TypeAlias = tuple[str, str, str]  # path below the value, expected, got


def check_plain(value: Plain) -> None:
    """Raise EncodeError, with the path to the fault, unless `value` is in the plain model.

    A type checker cannot say "finite", "64 bits" or "no lone surrogates", and takes an enum
    member for its base; a file that cannot be read back would be noticed only at replay.
    """
    fault = _fault(value, 0)
    if fault is not None:
        path, expected, got = fault
        raise EncodeError(path="$" + path, expected=expected, got=got)


def _fault(value: Plain, depth: int) -> _Fault | None:
    if value is None or value is True or value is False:
        return None
    if type(value) is str:
        return None if value.isascii() else _text_fault(value)
    if type(value) is int:
        return None if INT_MIN <= value <= INT_MAX else ("", "an int of 64 bits", "a larger one")
    if type(value) is float:
        return None if isfinite(value) else ("", "a finite float", repr(value))
    if type(value) is dict:
        return _dict_fault(value, depth + 1)
    if type(value) is list:
        return _list_fault(value, depth + 1)
    return "", "a plain value", type(value).__qualname__


def _dict_fault(value: dict[str, Plain], depth: int) -> _Fault | None:
    if depth > MAX_DEPTH:
        return "", f"at most {MAX_DEPTH} levels", "more"
    for key, item in value.items():
        if type(key) is not str:
            return "", "text as key", type(key).__qualname__
        fault = (None if key.isascii() else _text_fault(key)) or _fault(item, depth)
        if fault is not None:
            step = f".{key}" if key.isidentifier() else f"[{key!r}]"
            return step + fault[0], *fault[1:]
    return None


def _list_fault(value: list[Plain], depth: int) -> _Fault | None:
    if depth > MAX_DEPTH:
        return "", f"at most {MAX_DEPTH} levels", "more"
    for index, item in enumerate(value):
        fault = _fault(item, depth)
        if fault is not None:
            return f"[{index}]{fault[0]}", *fault[1:]
    return None


def image_of(value: Plain) -> bytes | None:
    """Bytes that are equal for equal values; None for one that is deeper than marshal goes.

    All texts of the value are in them, so that one search replaces a walk through it. The order of
    keys counts. Version 2 of marshal spells no shared objects, which equal values may share
    differently.
    """
    try:
        return marshal.dumps(value, 2)
    except ValueError:
        return None


def may_hold(image: bytes | None, text: bytes) -> bool:
    """Whether a text may be in the value of an image.

    Its first byte is searched for first, in a tenth of the time: few values have that of our texts.
    """
    return image is None or (text[:1] in image and text in image)


def is_plain_text(text: str) -> bool:
    """Whether every format supports the text: no lone surrogates."""
    return text.isascii() or _text_fault(text) is None


def _text_fault(text: str) -> _Fault | None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return "", "text", f"a lone surrogate at position {error.start}"
    return None


_LONGEST_INT: Final = 20  # Python takes quadratic time for very long digits
_LONGEST_SHOWN: Final = 40


def parse_int(text: str) -> int:
    """Parse an int; ValueError if it is outside the plain model."""
    if len(text) <= _LONGEST_INT and INT_MIN <= (number := int(text)) <= INT_MAX:
        return number
    raise ValueError("an int must fit into 64 bits")


def parse_float(text: str) -> float:
    """Parse a float; ValueError if it overflows or underflows."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{shortened(text)} is too large for a float")
    if number == 0 and text.lower().partition("e")[0].strip("-0."):
        raise ValueError(f"{shortened(text)} is too small for a float")
    return number


def shortened(text: str) -> str:
    """`text` in quotes, for a message."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "...")
