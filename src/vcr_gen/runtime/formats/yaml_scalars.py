"""The meaning of plain (unquoted) YAML scalars, the same for YAML 1.1 and 1.2."""

import re
from functools import cache
from typing import Final

from vcr_gen.runtime.plain import Plain, parse_float, parse_int, shortened

WORDS: Final[dict[str, Plain]] = {"null": None, "true": True, "false": False}
INT: Final = re.compile(r"0|-?[1-9][0-9]*")
FLOAT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+(?:e[-+][0-9]+)?")

# Everything that is a number, a date, a truth, nothing or a merge to some reader, and not one of
# the spellings above: to another reader it is text, or another number (`010`, `12:30`).
_UNCLEAR_WORDS: Final = frozenset(
    {"null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "="}
)
_LONGEST_UNCLEAR_WORD: Final = 5
_UNCLEAR: Final = re.compile(
    r"""
      [-+]?\.(?:inf|nan)
      | [-+]?0[box][0-9a-f_]+
      | [-+]?(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:e[-+]?[0-9_]+)?
      | [-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
      | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t\ ].*)?
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII | re.DOTALL,
)
_NUMBER_STARTS: Final = frozenset("+-.0123456789")

# What the emitter leaves unquoted: a narrow part of what YAML allows, easy to be sure about.
# Ranges, because the regex engine asks about a category (`\w`) one character at a time.
_LETTERS: Final = "A-Za-z_\xa1-\u1fff\u3041-\ud7ff"


def _safe(letters: str) -> str:
    return rf"""[{letters}$/][{letters}0-9$/.\-@%+=:,()\[\]{{}}&*!|<>?;~^'"`\# ]*"""


_SAFE_ASCII: Final = re.compile(_safe("A-Za-z_"))


_safe_texts: Final[dict[str, None]] = {}
"""Texts that were safe before: keys and many values occur again and again."""
_MOST_KNOWN: Final = 4096
_LONGEST_KNOWN: Final = 40


@cache
def _safe_letters() -> re.Pattern[str]:
    """The same with letters of all scripts; compiled when first needed, as that takes a while."""
    return re.compile(_safe(_LETTERS))


def is_safe_plain(text: str) -> bool:
    """Whether every reader reads the unquoted `text` as this text."""
    if text in _safe_texts:
        return True
    is_safe = (
        (_SAFE_ASCII if text.isascii() else _safe_letters()).fullmatch(text) is not None
        and ": " not in text
        and " #" not in text
        and text[-1] not in ": "
        and not _is_unclear_word(text)
    )
    if is_safe and len(text) <= _LONGEST_KNOWN:
        if len(_safe_texts) >= _MOST_KNOWN:
            _safe_texts.clear()
        _safe_texts[text] = None
    return is_safe


def resolve_plain(text: str) -> Plain:
    """The value of the unquoted `text`; ValueError, with the reason, if readers disagree."""
    if text in WORDS:
        return WORDS[text]
    if not text:
        raise ValueError("an empty value is unclear: write null, '', [] or {}")
    if text[0] in _NUMBER_STARTS:
        if INT.fullmatch(text):
            return parse_int(text)
        if FLOAT.fullmatch(text):
            return parse_float(text)
    elif not _is_unclear_word(text):
        return text
    if _is_unclear_word(text) or _UNCLEAR.fullmatch(text):
        raise ValueError(
            f"{shortened(text)} is text to some YAML readers and something else to others: "
            "put text in quotes; write numbers as 12 or 1.5e+3, truths as true and false"
        )
    return text


def _is_unclear_word(text: str) -> bool:
    return len(text) <= _LONGEST_UNCLEAR_WORD and text.lower() in _UNCLEAR_WORDS


def float_text(number: float) -> str:
    """`number` as YAML 1.1 and 1.2 both read it, exactly: an exponent needs a dot before it."""
    text = repr(number)
    mantissa, mark, exponent = text.partition("e")
    return text if not mark or "." in mantissa else f"{mantissa}.0e{exponent}"
