"""Numbers as files spell them: exactly what they say, or refused."""

from math import isfinite
from typing import Final

from vcr_gen.runtime.plain import INT_MAX, INT_MIN

__all__ = ["parse_float", "parse_int", "shortened"]

_LONGEST_INT: Final = 20  # Python takes quadratic time for digits without end
_LONGEST_SHOWN: Final = 40


def parse_int(text: str) -> int:
    """The int that decimal digits spell; ValueError if it is not in the plain model."""
    if len(text) > _LONGEST_INT or not INT_MIN <= int(text) <= INT_MAX:
        raise ValueError("an int must fit into 64 bits")
    return int(text)


def parse_float(text: str) -> float:
    """The float nearest to what is spelt; ValueError if that is infinite or vanishes."""
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{shortened(text)} is too large for a float")
    if number == 0 and text.lower().partition("e")[0].strip("-0."):
        raise ValueError(f"{shortened(text)} is too small for a float")
    return number


def shortened(text: str) -> str:
    """`text` in quotes, for a message."""
    return repr(text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "...")
