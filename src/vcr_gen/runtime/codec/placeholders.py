"""Placeholders of secrets on the tape: `<redacted:anthropic-key:1>`."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from vcr_gen.runtime.plain import Plain

REDACTED: Final = "<redacted>"
"""The placeholder of an unidentified secret."""

PLACEHOLDER: Final = re.compile(r"<redacted(?::([a-z0-9._-]{1,60}):(~?\d{1,9})(?:#(\d+)/(\d+))?)?>")
"""A placeholder: rule, number (with `~` for one of a replay), and which part of how many."""

ANY_SPELLING: Final = re.compile(
    r"(?:<|%3[cC]|&lt;|\\+u003[cC])redacted"
    r"(?:(?::|%3[aA])([a-z0-9._-]{1,60})(?::|%3[aA])((?:~|%7[eE])?\d{1,9})(?:(?:#|%23)(\d+)(?:/|%2[fF])(\d+))?)?"
    r"(?:>|%3[eE]|&gt;|\\+u003[eE])"
)
"""A placeholder as a program may send it back: quoted for a URL, HTML or JSON."""


_PARTS: Final = re.compile(
    r"<redacted:([a-z0-9._-]{1,60}):(~?\d{1,9})#1/(\d{1,6})>(?:<redacted:\1:\2#\d{1,6}/\3>){1,9999}"
)


def joined(text: str) -> str:
    """The text with the parts of a secret put together, where they follow each other."""
    return _PARTS.sub(r"<redacted:\1:\2>", text) if "#1/" in text else text


def map_texts(value: Plain, change: Callable[[str], str]) -> Plain:
    """A value with each of its texts changed, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [map_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {change(key): map_texts(item, change) for key, item in value.items()}
    return value


def unnumbered(value: Plain) -> Plain:
    """A value with placeholders that stand for any secret: each session has its own numbers."""
    return map_texts(value, unnumbered_text)


def unnumbered_text(text: str) -> str:
    """The same for a text."""
    return PLACEHOLDER.sub(REDACTED, text) if "<redacted:" in text else text


def placeholders_in(value: object) -> set[str]:
    """Every placeholder in a stored value."""
    if isinstance(value, str):
        if "<redacted:" not in value:
            return set()
        return {found[0] for found in PLACEHOLDER.finditer(value)}
    if isinstance(value, Mapping):
        return placeholders_in([*value, *value.values()])
    if isinstance(value, list | tuple):
        return set().union(*map(placeholders_in, value))
    return set()


def is_placeholder(text: str) -> bool:
    """Whether the whole text is one."""
    return text.startswith("<redacted") and PLACEHOLDER.fullmatch(text) is not None


def part_of(placeholder: str, part: int, parts: int) -> str:
    """The placeholder for one part of a secret that was cut into several."""
    return f"{placeholder[:-1]}#{part}/{parts}>"
