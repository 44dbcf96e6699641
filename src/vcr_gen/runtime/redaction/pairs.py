"""Named credentials inside a text: JSON keys, query parameters, forms, headers, options, settings.

The words that names of credentials hold are found first; then the whole name, what separates it
from its value, and the value. Every step looks a bounded way ahead, so that a text takes linear
time whatever is in it.
"""

import re
from collections.abc import Iterator
from typing import Final, Protocol

from vcr_gen.runtime.redaction.looks import is_filler, looks_secret, may_be_code
from vcr_gen.runtime.redaction.names import Naming, rule_of
from vcr_gen.runtime.redaction.spans import Span

__all__ = [
    "NAME_WORDS",
    "SEPARATOR",
    "NamingOf",
    "authorization",
    "cookies",
    "named_spans",
    "whole",
]

NAME_WORDS: Final = re.compile(
    r"passw|passphrase|passcode|pwd|secret|token|key|auth|cookie|credential|cvv|cvc|sess|sig|code"
    r"|hmac|otp|jwt|ticket|assertion|pass|sid"
)
_BEFORE: Final = re.compile(r"[\w.$-]{0,60}\Z")
_BEHIND: Final = re.compile(r"[\w.$-]{0,60}")
SEPARATOR: Final = re.compile(
    r"(\\{0,16}[\"'])?\]?\s{0,8}(=>|[:=]|%3[dDaA])(?!=)\s{0,8}(\\{0,16}[\"'])?"
)
_OPTION: Final = re.compile(r"(?:=|\s{1,4})([\"'])?")
_BARE: Final = re.compile(r"[^\s\"'`,;&<>(){}\[\]\\]{1,4096}")
_IN_QUERY: Final = re.compile(r"[^\s&;#\"'<>\\]{1,4096}")
_FORM: Final = re.compile(
    r"[\w.%+\[\]-]{1,80}=[^\s&]{0,4096}(?:&[\w.%+\[\]-]{1,80}=[^\s&]{0,4096}){0,1000}"
)
_SCHEME: Final = re.compile(r"\s*([A-Za-z][\w-]{1,24})(?:\s+|%20|\+)(?=\S)")
_ATTRIBUTES: Final = frozenset(
    {
        "path",
        "domain",
        "expires",
        "max-age",
        "samesite",
        "secure",
        "httponly",
        "priority",
        "partitioned",
        "version",
        "comment",
    }
)
_LONGEST: Final = 8192


class NamingOf(Protocol):
    """Says what a name says of its value."""

    def __call__(self, name: str, *, in_query: bool = False) -> Naming:
        """What the name says."""


def whole(text: str, name: str, naming: Naming, *, eager: bool = False) -> Iterator[Span]:
    """The secrets of a text that stands under a name."""
    if not text.strip():
        return
    if naming is Naming.AUTHORIZATION:
        yield from authorization(text, 0, len(text), rule_of(name))
    elif naming is Naming.COOKIE:
        yield from cookies(text, 0, len(text))
    elif naming is Naming.STRONG or eager or looks_secret(text):
        yield Span(0, len(text), rule_of(name), named=True)


def named_spans(
    text: str,
    naming_of: NamingOf,
    *,
    words: "re.Pattern[str]" = NAME_WORDS,
    eager: bool = False,
) -> Iterator[Span]:
    """The secrets that a name inside the text says are some; every name holds one of `words`."""
    lower = text.lower()
    if len(lower) != len(text):  # a few characters have a longer lower case
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    is_form: bool | None = None
    position = 0
    while (word := words.search(lower, position)) is not None:
        before = _BEFORE.search(text, max(0, word.start() - 60), word.start())
        behind = _BEHIND.match(text, word.end())
        start = before.start() if before else word.start()
        end = behind.end() if behind else word.end()
        position = max(end, word.end())
        quoted = text[start - 1 : start + 2] if start and text[start - 1] == "%" else ""
        start += 2 if quoted else 0  # the end of an escape in a URL is no part of the name
        name = text[start:end].strip(".$")
        if is_form is None:
            is_form = "=" in text and _FORM.fullmatch(text) is not None
        previous = text[start - 1] if start else ""
        in_query = previous in ("?", "&") or is_form or quoted.upper() in ("%26", "%3F")
        naming = naming_of(name.lstrip("-"), in_query=in_query)
        if naming is Naming.HARMLESS:
            continue
        for span in _value(text, start, end, name, naming, in_query=in_query, eager=eager):
            position = max(position, span.end)
            yield span


def authorization(text: str, start: int, end: int, rule: str) -> Iterator[Span]:
    """The credential behind the word for its scheme."""
    scheme = _SCHEME.match(text, start, end)
    if scheme is not None:
        start = scheme.end()
    while end > start and text[end - 1] in " \t\r":
        end -= 1
    if end > start:
        yield Span(start, end, rule, named=True)


def cookies(text: str, start: int, end: int) -> Iterator[Span]:
    """The values of cookies; what a server says about them besides is kept."""
    position = start
    while position < end:
        stop = text.find(";", position, end)
        stop = end if stop < 0 else stop
        name, equals, value = text[position:stop].partition("=")
        bare = value.strip(' "\r\t')
        if equals and bare and name.strip().lower() not in _ATTRIBUTES:
            first = text.index(bare, position + len(name) + 1)
            yield Span(first, first + len(bare), "cookie", named=True)
        elif not equals and looks_secret(name.strip()):
            first = position + len(name) - len(name.lstrip())
            yield Span(first, first + len(name.strip()), "cookie", named=True)
        position = stop + 1


def _value(
    text: str, start: int, end: int, name: str, naming: Naming, *, in_query: bool, eager: bool
) -> Iterator[Span]:
    option = text[start : start + 2] == "--"
    found = SEPARATOR.match(text, end)
    if found is None:
        if option and (given := _OPTION.match(text, end)) is not None:
            yield from _bare(text, given.end(), name, naming, certain=True, eager=eager)
        return
    quote = found[3]
    if naming in (Naming.AUTHORIZATION, Naming.COOKIE):
        yield from _header(text, start, found, name, naming)
    elif quote is not None:
        stop = _closing(text, found.end(), quote)
        value = text[found.end() : stop]
        if value and (eager or (_is_secret(value, naming) and not is_filler(value))):
            unfinished = stop == len(text)
            yield Span(found.end(), stop, rule_of(name), named=True, open=unfinished)
    elif (in_query and not option) or found[2].startswith("%"):
        value_match = _IN_QUERY.match(text, found.end())
        stop = value_match.end() if value_match else found.end()
        if found[2].startswith("%") and (cut := text.find("%26", found.end(), stop)) >= 0:
            stop = cut
        value = text[found.end() : stop]
        if value and (eager or (_is_secret(value, naming) and not is_filler(value))):
            yield Span(found.end(), stop, rule_of(name), named=True, open=stop == len(text))
    else:
        at_line = start == 0 or text[start - 1] in "\n\"'"
        is_variable = name.isupper() and found[2] == "="
        is_header = at_line and found[2] == ":" and "-" in name.strip("-")
        certain = option or is_variable or is_header
        yield from _bare(text, found.end(), name, naming, certain=certain, eager=eager)


def _bare(
    text: str, start: int, name: str, naming: Naming, *, certain: bool, eager: bool
) -> Iterator[Span]:
    """A value without quotes: in prose and in source code, what follows is mostly none."""
    found = _BARE.match(text, start)
    if found is None:
        return
    value = found[0].rstrip(".:!?")
    if not value or (is_filler(value) and not eager):
        return
    follows = text[found.end() : found.end() + 1]
    if naming is Naming.STRONG:
        good = (
            certain or eager or (len(value) > 5 and not may_be_code(value) and follows not in "([")
        )
    else:
        good = looks_secret(value) or certain
    if good:
        end = start + len(value)
        yield Span(start, end, rule_of(name), named=True, open=end == len(text))


def _is_secret(value: str, naming: Naming) -> bool:
    return naming is Naming.STRONG or looks_secret(value)


def _header(
    text: str, start: int, found: re.Match[str], name: str, naming: Naming
) -> Iterator[Span]:
    """The value of a header: to the end of its line, or of the quotes around it."""
    quote = found[3]
    begin = found.end()
    if quote is not None:
        stop = _closing(text, begin, quote)
    else:
        stop = len(text)
        for mark in ("\n", "\\n", "\\r"):
            line = text.find(mark, begin, min(stop, begin + _LONGEST))
            stop = line if line >= 0 else stop
        stop = min(stop, begin + _LONGEST)
        around = text[start - 1] if start else ""
        if around in "\"'" and (closing := text.find(around, begin, stop)) >= 0:
            stop = closing
        if found[2] == "=" and naming is Naming.AUTHORIZATION:
            value = re.compile(r"(?:[A-Za-z]+ +)?[^\s\"'&,;]+").match(text, begin, stop)
            stop = value.end() if value else begin
    spans = (
        cookies(text, begin, stop)
        if naming is Naming.COOKIE
        else authorization(text, begin, stop, rule_of(name))
    )
    for span in spans:
        yield span._replace(open=span.end == len(text))


def _closing(text: str, start: int, quote: str) -> int:
    """Where a quoted value ends; escapes deeper than its own quotes belong to it."""
    depth = len(quote) - 1
    position = start
    limit = min(len(text), start + _LONGEST)
    while (found := text.find(quote[-1], position, limit)) >= 0:
        slashes = 0
        while found - slashes > start and text[found - slashes - 1] == "\\":
            slashes += 1
        if slashes <= depth or (depth == 0 and slashes % 2 == 0):
            return found - min(slashes, depth)
        position = found + 1
    return limit
