"""Whether a text may end inside a secret, of which the next piece of a stream has the rest."""

import re
from collections.abc import Sequence
from typing import Final

from vcr_gen.runtime.redaction.key_formats import KEY_FORMATS
from vcr_gen.runtime.redaction.logins import begun_netrc
from vcr_gen.runtime.redaction.pairs import NAME_WORDS, SEPARATOR
from vcr_gen.runtime.redaction.spans import Span

__all__ = ["LONGEST_WORD", "begun_in", "first_word", "goes_on", "open_from"]

LONGEST_WORD: Final = 2048
"""How long a word may be of which the rest is waited for."""

_LONGEST_LINE: Final = 4096
_STOP: Final = re.compile(r"[\s\"'<>(){}\[\],;|\\`]")
_STOPS: Final = " \t\r\n\f\v\"'<>(){}[],;|\\`"
_BEGIN: Final = re.compile(r"-{1,5}\Z|-----(?:B|BE|BEG|BEGI|BEGIN|BEGIN [A-Z0-9 ]{0,60}-{0,5})\Z")
_HEADER: Final = re.compile(r"authorization|cookie", re.IGNORECASE)
_NAME_REST: Final = re.compile(r"[\w.$-]{0,60}")
_NAME_START: Final = re.compile(r"[\w.?&%\"'\\-]{0,60}\Z")
_SCHEME: Final = re.compile(r"[A-Za-z][\w-]{1,24}[ \t]{1,4}")
_VALUE_STOP: Final = re.compile(r"[\s\"'&,;]")
_NAMES: Final = 4
"""How many of the last names in a text are looked at: a value may look like a name itself."""


def goes_on(text: str) -> bool:
    """Whether a piece that follows an open word can only make it longer."""
    return _STOP.search(text) is None


def open_from(text: str, spans: Sequence[Span]) -> int:
    """Where the part begins that may go on in what follows; the length of the text if none does."""
    end = len(text)
    starts = [end, _word(text), _header(text), _name(text), begun_netrc(text)]
    starts += [span.start for span in spans if span.open and span.end == end]
    begin = _BEGIN.search(text, max(0, end - 100))
    if begin is not None:
        starts.append(begin.start())
    return min(starts)


def begun_in(text: str, start: int) -> Span | None:
    """The secret that begins in what is open, where nobody can wait to see all of it."""
    tail = text[start:]
    for known in KEY_FORMATS:
        if any(len(hint) > 2 and hint in tail for hint in known.hints):
            return Span(start, len(text), known.name)
    return None


def first_word(text: str) -> int:
    """Where the word ends with which a text begins."""
    found = _STOP.search(text)
    return len(text) if found is None else found.start()


def _word(text: str) -> int:
    tail = max(0, len(text) - LONGEST_WORD)
    return max(tail, *(text.rfind(stop, tail) + 1 for stop in _STOPS))


def _header(text: str) -> int:
    """A header of which the line is not over yet."""
    line = max(text.rfind("\n") + 1, len(text) - _LONGEST_LINE, 0)
    found = _HEADER.search(text, line)
    return len(text) if found is None else _whole_name(text, found.start())


def _name(text: str) -> int:
    """The name of a secret that has no value yet, or one that is not over."""
    tail = max(0, len(text) - LONGEST_WORD - 100)
    words = list(NAME_WORDS.finditer(text[tail:].lower()))
    for word in words[-_NAMES:]:
        rest = _NAME_REST.match(text, tail + word.end())
        position = rest.end() if rest else tail + word.end()
        separator = SEPARATOR.match(text, position)
        if separator is None:
            is_open = not text[position:].strip("\"'\\] \t")
        else:
            scheme = _SCHEME.match(text, separator.end())
            start = scheme.end() if scheme else separator.end()
            is_open = _VALUE_STOP.search(text, start) is None
        if is_open:
            return _whole_name(text, tail + word.start())
    return len(text)


def _whole_name(text: str, position: int) -> int:
    found = _NAME_START.search(text, max(0, position - 60), position)
    return found.start() if found else position
