"""Finds names that a person or a model takes for another one."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, zip_longest
from typing import Final

from vcr_gen.boundaries.mcp.listings.hidden_characters import as_seen

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_DIGITS: Final = str.maketrans("0135", "oles")
_SHORT: Final = 5
"""Words below this length differ in one letter by nature: `get` and `set`."""


def foreign_letters(name: str) -> bool:
    """Whether a name has letters that only look like those of ASCII."""
    return not name.isascii() and as_seen(name).isascii()


def lookalikes(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The pairs of names that are taken for each other."""
    for one, other in combinations(dict.fromkeys(names), 2):
        words, others = _words(one), _words(other)
        if _same(one + other, "".join(words), "".join(others)) or _differ_by_a_slip(words, others):
            yield one, other


def _same(names: str, one: str, other: str) -> bool:
    """Whether names are spelled alike; a `1` or an `I` may be an `l`, and `rn` an `m`."""
    one, other = one.replace("rn", "m"), other.replace("rn", "m")
    if "1" in names or "I" in names:
        one, other = one.replace("i", "l"), other.replace("i", "l")
    return one == other


def _words(name: str) -> list[str]:
    """The words of a name in lower case, with letters for the digits that look like them."""
    seen = re.sub(r"[0135](?=[^\W\d_])", _as_letter, as_seen(name))
    return [word.casefold() for word in _WORDS.findall(seen)]


def _as_letter(digit: re.Match[str]) -> str:
    return digit[0].translate(_DIGITS)


def _differ_by_a_slip(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether a single word is written wrongly."""
    pairs = [pair for pair in zip_longest(one, other, fillvalue="") if pair[0] != pair[1]]
    return len(pairs) == 1 and _is_slip(*sorted(pairs[0], key=len))


def _is_slip(short: str, long: str) -> bool:
    """Two letters exchanged, one doubled, or one left out inside a longer word."""
    if min(len(short), len(long)) < _SHORT - 1 or not (short + long).isalpha():
        return False
    first = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), None)
    if len(short) == len(long):
        if first is None or first + 1 >= len(long):
            return False
        exchanged = long[:first] + long[first + 1] + long[first] + long[first + 2 :]
        return exchanged == short
    if len(long) - len(short) != 1 or len(long) < _SHORT:
        return False
    if first is None:  # at the end: only a doubled letter; `s`, `d` and so on are grammar
        return long[-1] == long[-2] and long[-1] != "s"
    return first > 0 and long[:first] + long[first + 1 :] == short
