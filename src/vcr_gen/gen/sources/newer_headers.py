"""Finds the headers of PEP 695 in a text: `class A[T]`, `def f[T]`, `type X[T] = ...`.

Most files whose syntax is newer than the running Python have nothing else that is new. To find
those headers takes a hundredth of the time that libcst needs to tell where things stand.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from vcr_gen.gen.sources.masking import Mask

__all__ = ["Header", "find_headers"]

_HEADER: Final = re.compile(
    r"""
    ^ (?P<indent> [ \t\f]* )
    (?: (?: async [ \t]+ )? (?: def | class ) [ \t]+ \w+ [ \t]* (?= \[ )
      | (?P<type> type [ \t]+ (?P<name> \w+ ) [ \t]* (?= [=\[] ) )
    )
    """,
    re.MULTILINE | re.VERBOSE,
)
_PIECE: Final = re.compile(
    r"""
    \# [^\n]*
    | \"{3} .*? \"{3} | '{3} .*? '{3}
    | " (?: [^"\\\n] | \\. )* " | ' (?: [^'\\\n] | \\. )* '
    | [\[\](){}]
    """,
    re.VERBOSE | re.DOTALL,
)
"""Comments and strings, whose brackets do not count, and brackets."""


@dataclass(frozen=True, slots=True)
class Header:
    """A statement that may have type parameters; or text in a string that looks like one."""

    place: tuple[int, int]
    """Where the statement begins: line and column."""
    brackets: str
    """From `[` to `]`; empty where a `type` statement has none."""
    mask: Mask


def find_headers(text: str) -> Iterator[Header]:
    """All that looks like such a header, with what hides the new part of it."""
    ends = list(accumulate(len(line) + 1 for line in text.split("\n")))

    def place(offset: int) -> tuple[int, int]:
        line = bisect_right(ends, offset)
        return line + 1, offset - (ends[line - 1] if line else 0)

    for found in _HEADER.finditer(text):
        start, opening = found.end("indent"), found.end()
        closing = _after_brackets(text, opening)
        if closing is None:
            continue
        hidden = start if found["type"] else opening
        yield Header(
            place(start),
            text[opening:closing],
            Mask(place(hidden), place(closing), found["name"] or ""),
        )


def _after_brackets(text: str, start: int) -> int | None:
    """Where the brackets that open here are closed; None if they never are."""
    if text[start] != "[":
        return start
    depth = 0
    for piece in _PIECE.finditer(text, start):
        match piece.group():
            case "[" | "(" | "{":
                depth += 1
            case "]" | ")" | "}":
                depth -= 1
                if depth == 0:
                    return piece.end()
    return None
