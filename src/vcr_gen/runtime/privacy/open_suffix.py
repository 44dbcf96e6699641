"""Decides whether a text may end inside a secret that the next item of a stream continues."""

import re
from typing import Final

from vcr_gen.runtime.privacy.assignments import NAME_WORDS
from vcr_gen.runtime.privacy.command_lines import COMMAND_WORD
from vcr_gen.runtime.privacy.field_names import Naming, naming_of
from vcr_gen.runtime.privacy.key_formats import KEY_FORMATS
from vcr_gen.runtime.privacy.spans import Span

__all__ = [
    "LONGEST_LINE",
    "LONGEST_WORD",
    "begun_in",
    "first_word",
    "goes_on",
    "has_name",
    "open_from",
]

LONGEST_WORD: Final = 2048
"""The maximum length of an open word."""

LONGEST_LINE: Final = 4096
"""How much of a line is searched."""
_END_OF_LINE: Final = 256
"""How much of a longer line is searched."""
_STOP: Final = re.compile(r"[\s\"'<>(){}\[\],;|\\`]")
_KEY: Final = re.compile(r"-{1,5}\Z|-----(?:B|BE|BEG|BEGI|BEGIN|BEGIN [A-Z0-9 ]{0,60}-{0,5})\Z")
_NAME: Final = re.compile(rf"[\w-]{{0,40}}?(?:{NAME_WORDS.pattern})[\w-]{{0,40}}", re.IGNORECASE)
_MACHINE: Final = re.compile(
    r"(?:^|(?<=\n))[ \t]{0,16}(?:machine|default|login)(?:\s{1,8}\S{1,256}){0,7}\s{0,8}\Z"
)
_TITLE: Final = re.compile(
    r"(?:name|key)[\"']?\s{0,8}[:=]\s{0,8}[\"']?([\w.-]{1,80})[\"']?[^\n]{0,200}\n"
    r"(?:\r?\n)?[^\n]{0,2048}\Z"
)
"""The first of the two lines of `name: DB_PASSWORD` and `value: …`."""


def goes_on(text: str) -> bool:
    """Whether the next item can only extend an open word."""
    return _STOP.search(text) is None


def open_from(text: str, start: int = 0) -> int:
    """The start of the part that may continue in the next item; the length of the text if none.

    A line with the name of a credential is open until it ends: its value may follow. The text
    before `start` belongs to the same line and has been checked.
    """
    tail = max(0, len(text) - LONGEST_WORD)
    stop = _STOP.search(text[tail:][::-1])
    starts = [tail if stop is None else len(text) - stop.start()]
    line = max(text.rfind("\n", start) + 1, start)
    if len(text) - line > LONGEST_LINE:
        line = len(text) - _END_OF_LINE
    if has_name(text[line:]):
        starts.append(line)
    if text[-1:] == "-" or "-----" in text[-100:]:
        starts += (found.start() for found in _KEY.finditer(text, max(0, len(text) - 100)))
    if "\n" in text[start:]:
        if (machine := _MACHINE.search(text, tail)) is not None:
            starts.append(machine.start())
        title = _TITLE.search(text, tail)
        if title is not None and naming_of(title[1]) is not Naming.HARMLESS:
            starts.append(title.start())
    return min(starts)


def has_name(text: str) -> bool:
    """Whether a text contains the name of a credential, or a word that precedes one."""
    lower = text.lower()
    if COMMAND_WORD.search(lower) is not None:
        return True
    if NAME_WORDS.search(lower) is None:
        return False
    names = (found[0].strip("-") for found in _NAME.finditer(text))
    return any(naming_of(name, in_query=True) is not Naming.HARMLESS for name in names)


def begun_in(text: str, start: int) -> Span | None:
    """The secret at the start of the open part, if waiting for the rest is impossible."""
    tail = text[start:]
    for known in KEY_FORMATS:
        if any(len(hint) > 2 and hint in tail for hint in known.hints):
            return Span(start, len(text), known.name)
    return None


def first_word(text: str) -> int:
    """The end of the first word of a text."""
    found = _STOP.search(text)
    return len(text) if found is None else found.start()
