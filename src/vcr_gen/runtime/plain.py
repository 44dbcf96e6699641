"""The plain model: what a cassette file can hold, the same in every format."""

from math import isfinite
from typing import Final, TypeAlias

from vcr_gen.errors import EncodeError

__all__ = ["INT_MAX", "INT_MIN", "MAX_DEPTH", "Plain", "check_plain"]

Plain: TypeAlias = "None | bool | int | float | str | list[Plain] | dict[str, Plain]"
"""None, bool, 64-bit int, finite float, text, list, dict with text keys; nothing else."""

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1

MAX_DEPTH: Final = 200
"""How deep containers may nest: far above real data, below the limit of any parser in use."""


def check_plain(value: Plain, *, path: str = "$", depth: int = 0) -> None:
    """Raise EncodeError, with the path to the fault, unless `value` is in the plain model.

    A type checker cannot say "finite", "64 bits" or "no lone surrogates", and takes an enum
    member for its base; a file that cannot be read back would be noticed only at replay.
    """
    if value is None or value is True or value is False:
        return
    if type(value) is str:
        if not value.isascii():
            _check_text(value, path)
    elif type(value) is int:
        if not INT_MIN <= value <= INT_MAX:
            raise EncodeError(path=path, expected="an int of 64 bits", got="a larger one")
    elif type(value) is float:
        if not isfinite(value):
            raise EncodeError(path=path, expected="a finite float", got=repr(value))
    elif type(value) is dict or type(value) is list:
        if depth == MAX_DEPTH:
            raise EncodeError(path=path, expected=f"at most {MAX_DEPTH} levels", got="more")
        _check_items(value, path, depth + 1)
    else:
        raise EncodeError(path=path, expected="a plain value", got=type(value).__qualname__)


def _check_items(value: list[Plain] | dict[str, Plain], path: str, depth: int) -> None:
    if isinstance(value, list):
        for index, item in enumerate(value):
            check_plain(item, path=f"{path}[{index}]", depth=depth)
        return
    for key, item in value.items():
        if type(key) is not str:
            raise EncodeError(path=path, expected="text as key", got=type(key).__qualname__)
        if not key.isascii():
            _check_text(key, path)
        check_plain(item, path=f"{path}.{key}", depth=depth)


def _check_text(text: str, path: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        got = f"a lone surrogate at position {error.start}"
        raise EncodeError(path=path, expected="text", got=got) from None
