"""Parses numbers exactly, or refuses them."""

from math import isfinite
from typing import Final

from vcr_gen.runtime.plain import INT_MAX, INT_MIN

__all__ = ["parse_float", "parse_int", "shortened"]

_LONGEST_INT: Final = 20  # Python takes quadratic time for very long digits
_LONGEST_SHOWN: Final = 40


def parse_int(text: str) -> int:
    """Parse an int; ValueError if it is outside the plain model."""
    if len(text) > _LONGEST_INT or not INT_MIN <= int(text) <= INT_MAX:
        raise ValueError("an int must fit into 64 bits")
    return int(text)


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
