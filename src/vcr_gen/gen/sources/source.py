"""Turns source text into a tree: with `ast` where it can, as it is nine times cheaper."""

import ast
import io
import tokenize
import warnings
from itertools import accumulate
from typing import Final

from vcr_gen.gen.sources.syntax import Parsed

__all__ = ["decode", "parse"]

_MOST_BRACKETS: Final = 500
"""Brackets in brackets; Python itself takes 200."""


def decode(data: bytes) -> str:
    """The text of a source file, by its own encoding declaration and with `\\n` line ends."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    text = data.decode(encoding)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def parse(data: bytes) -> Parsed:
    """Parse a source file; raises `SyntaxError` when no reader understands it."""
    try:
        text = decode(data)
    except (UnicodeDecodeError, LookupError) as error:
        raise SyntaxError(f"the file cannot be decoded: {error}") from error
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in somebody's string is not ours
        try:
            return Parsed(ast.parse(text), text)
        except SyntaxError as error:
            return _parse_newer(text, error)
        except (ValueError, RecursionError, MemoryError) as error:
            raise SyntaxError(str(error) or "it is nested too deeply") from error


def _parse_newer(text: str, refusal: SyntaxError) -> Parsed:
    if _depth(text) > _MOST_BRACKETS:  # which libcst does not survive
        raise SyntaxError("it is nested too deeply") from refusal
    # Importing libcst takes longer than most runs, and only syntax from the future needs it.
    from vcr_gen.gen.sources.newer_syntax import parse_newer

    try:
        return parse_newer(text)
    except SyntaxError:
        raise refusal from None
    except RecursionError:  # where there are fewer brackets, but more around them
        raise SyntaxError("it is nested too deeply") from refusal


def _depth(text: str) -> int:
    """How many brackets stand in each other at most, those in strings and comments included."""
    steps = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
    return max(accumulate(steps[one] for one in text if one in steps), default=0)
