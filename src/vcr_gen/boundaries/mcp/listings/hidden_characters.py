"""Finds characters that a model reads and a person does not see."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_TAGS: Final = re.compile("[\U000e0000-\U000e007f]+")
_FLAG: Final = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
"""A flag, such as that of Scotland: tags are a part of it."""
_BIDI: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u2060-\u2065\u3164\ufeff\uffa0]"
)
_JOINERS: Final = re.compile("(?<=[\x20-\x7e])[\u200c\u200d]|[\u200c\u200d](?=[\x20-\x7e])")
"""Joiners beside ASCII; emoji, and scripts such as Persian, need them."""
_MARKS: Final = re.compile("(?<=[\x20-\x7e])[\u200e\u200f]+(?=[\x20-\x7e]|$)")
"""Marks of direction in text of ASCII; texts in Hebrew or Arabic need them."""
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
"""Several variation selectors in a row carry data; a single one chooses the look of an emoji."""
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SPACE: Final = re.compile(r"(?<!\s)\s{20,}+(?=\S)")
_FAR: Final = 80
_KINDS: Final = (
    ("tag characters", _TAGS),
    ("characters that turn the direction of text", _BIDI),
    ("invisible characters", _INVISIBLE),
    ("invisible characters", _JOINERS),
    ("invisible characters", _MARKS),
    ("variation selectors in a row", _SELECTORS),
    ("control characters", _CONTROLS),
)
SMUGGLING: Final = ("tag characters", "variation selectors in a row")
"""The kinds that carry whole messages; ordinary pages have some of the other kinds."""
_LOOKS_LIKE: Final = {
    "'": "\u2019\u02bc",
    "A": "\u0410\u0391",
    "B": "\u0412\u0392",
    "C": "\u0421",
    "E": "\u0415\u0395",
    "H": "\u041d\u0397",
    "I": "\u0406\u0399",
    "J": "\u0408",
    "K": "\u041a\u039a",
    "M": "\u041c\u039c",
    "N": "\u039d",
    "O": "\u041e\u039f",
    "P": "\u0420\u03a1",
    "S": "\u0405",
    "T": "\u0422\u03a4",
    "X": "\u0425\u03a7",
    "Y": "\u03a5",
    "Z": "\u0396",
    "a": "\u0430\u03b1\u0251",
    "b": "\u0432",
    "c": "\u0441",
    "d": "\u0501",
    "e": "\u0435\u03b5",
    "g": "\u0261",
    "h": "\u04bb\u043d",
    "i": "\u0456\u03b9\u0131",
    "j": "\u0458",
    "k": "\u043a\u03ba",
    "l": "\u2113",
    "m": "\u043c",
    "n": "\u03b7",
    "o": "\u043e\u03bf",
    "p": "\u0440\u03c1",
    "q": "\u051b",
    "r": "\u0433",
    "s": "\u0455",
    "t": "\u0442\u03c4",
    "u": "\u03c5",
    "v": "\u03bd",
    "w": "\u051d",
    "x": "\u0445",
    "y": "\u0443",
}
"""By the letter of ASCII, those of other scripts that look like it."""
_LOOKALIKES: Final = str.maketrans(
    {other: letter for letter, others in _LOOKS_LIKE.items() for other in others}
)


def hidden_characters(text: str) -> Iterator[tuple[str, int]]:
    """What kind of characters are hidden in a text, and where the first of them is."""
    shown = _FLAG.sub(lambda flag: " " * len(flag[0]), text)
    for kind, pattern in _KINDS:
        found = pattern.search(shown)
        if found:
            yield kind, found.start()
    for space in _SPACE.finditer(text):
        lines = space[0].split("\n")
        if len(lines) > 20 or max(map(len, lines)) >= _FAR:
            yield "text behind much white space, where people do not scroll to", space.start()
            break


def hidden_message(text: str) -> str:
    """What tag characters spell; empty if there are none."""
    tags = "".join(_TAGS.findall(_FLAG.sub("", text)))
    return "".join(chr(ord(tag) - 0xE0000) for tag in tags if 0xE0020 <= ord(tag) < 0xE007F)


def without_hidden(text: str) -> str:
    """The text without the characters that are hidden, with letters in their usual form."""
    for _, pattern in _KINDS:
        text = pattern.sub("", text)
    return unicodedata.normalize("NFKC", text)


def as_seen(text: str) -> str:
    """The text without what is hidden, in letters of ASCII where they look like these."""
    return without_hidden(text).translate(_LOOKALIKES)


def spelled(text: str) -> str:
    """The text with unprintable characters as escapes."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )
