"""Values in quotes, which may be escaped: where they end, and what they are without escapes."""

import re
from typing import Final

__all__ = ["LONGEST", "closing", "quote_before", "unescaped"]

LONGEST: Final = 8192
"""How long a value may be whose end is looked for."""
_QUOTE_BEFORE: Final = re.compile(r"\\{0,16}[\"']\Z")
_ESCAPED: Final = re.compile(r"\\+([\\\"'/])")


def quote_before(text: str, start: int) -> str:
    """The quote with its escapes that stands right before a place; empty if none does."""
    found = _QUOTE_BEFORE.search(text, max(0, start - 17), start)
    return found[0] if found else ""


def unescaped(value: str) -> str | None:
    """The value of a quoted text without its escapes, where it has any."""
    if "\\" not in value:
        return None
    return _ESCAPED.sub(r"\1", value)


def closing(text: str, start: int, quote: str) -> int:
    """Where a quoted value ends; escapes deeper than its own quotes belong to it. -1 if nowhere."""
    depth = len(quote) - 1
    position = start
    limit = min(len(text), start + LONGEST)
    while (found := text.find(quote[-1], position, limit)) >= 0:
        slashes = 0
        while found - slashes > start and text[found - slashes - 1] == "\\":
            slashes += 1
        if slashes <= depth or (depth == 0 and slashes % 2 == 0):
            return found - min(slashes, depth)
        position = found + 1
    return -1
