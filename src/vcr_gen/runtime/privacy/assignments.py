"""Named credentials inside a text: settings, queries, forms, options, pairs, elements of XML.

The search finds words that names of credentials contain, then the whole name, the separator
and the value. Every step looks a bounded way ahead, so that a text takes linear
time whatever is in it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Final, Protocol, final
from urllib.parse import unquote

from vcr_gen.runtime.privacy.assigned_values import (
    BARE,
    LONGEST,
    Unquoted,
    closing,
    quote_before,
    unescaped,
)
from vcr_gen.runtime.privacy.field_names import Naming, rule_of
from vcr_gen.runtime.privacy.header_values import authorization, cookies
from vcr_gen.runtime.privacy.heuristics import is_credential, is_credential_word, spreads
from vcr_gen.runtime.privacy.spans import Span

__all__ = ["NAME_WORDS", "NamingOf", "assigned"]

NAME_WORDS: Final = re.compile(
    r"passw|passphrase|passcode|pwd|secret|token|key|auth|cookie|credential|cvv|cvc|sess|sig|code"
    r"|hmac|otp|jwt|ticket|assertion|pass|sid|pw"
)
_BEFORE: Final = re.compile(r"[\w.$-]{0,60}\Z")
_BEHIND: Final = re.compile(r"[\w.$-]{0,60}")
_QUOTE: Final = r"(?:[bBfFrRuU]{1,2}(?=[\\\"']))?(\\{0,16}[\"'])"
_SEPARATOR: Final = re.compile(
    rf"(\\{{0,16}}[\"'])?\]?[ \t]{{0,8}}(?:is(?=:))?(=>|:=|::?|=|is(?=[ \t])|%3[dDaA])(?!=)"
    rf"(?:\s{{0,40}}{_QUOTE}|[ \t]{{0,8}})"
)
"""The separator between a name and its value, with the opening quote."""
_TITLE: Final = re.compile(r"(?:name|key|header)\\{0,16}[\"']?\s{0,8}[:=]\s{0,8}\\{0,16}[\"']?\Z")
_CONTENT: Final = re.compile(
    rf"\\{{0,16}}[\"']?\s{{0,8}},?\s{{0,40}}\\{{0,16}}[\"']?(?:values?|content)\\{{0,16}}[\"']?"
    rf"\s{{0,8}}[:=]\s{{0,8}}(?:{_QUOTE}|(?=[^\s\"'\\{{\[]))"
)
"""The text between the two parts of `name: Authorization, value: …`."""
_FORM_PART: Final = re.compile(r"\"[^\n]{0,200}\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n()")
"""The text between a name and its value in a multipart form."""
_COMMA: Final = re.compile(rf"\\{{0,16}}[\"'],\s{{0,8}}{_QUOTE}")
_BRACKET: Final = re.compile(r"[(\[]\s?[bBuU]?\\{0,16}[\"']\Z")
_OPTION: Final = re.compile(r"(?:=|\s{1,4})([\"'])?")
_LINE: Final = re.compile(r"[^\r\n]{1,4096}(?=\r?\n--)")
_IN_QUERY: Final = re.compile(r"[^\s&;#\"'<>\\]{1,4096}")
_FORM: Final = re.compile(
    r"[\w.%+\[\]-]{1,80}=[^\s&]{0,4096}(?:&[\w.%+\[\]-]{1,80}=[^\s&]{0,4096}){0,1000}"
)
_XML_START: Final = re.compile(r"(?:\s[^<>]{0,300})?(?<!/)>")
_XML_VALUE: Final = re.compile(
    r"\s{0,80}(?:<!\[CDATA\[([^\]]{1,4096})\]\]>|([^<>\s][^<>]{0,4096}))"
)


class NamingOf(Protocol):
    """Judges a value by its name."""

    def __call__(self, name: str, *, in_query: bool = False) -> Naming:
        """What the name says about its value."""


def assigned(
    text: str, naming_of: NamingOf, *, words: "re.Pattern[str]", eager: bool = False
) -> Iterator[Span]:
    """The secrets that names in the text reveal; every name contains one of `words`."""
    lower = text.lower()
    if len(lower) != len(text):  # a few characters have a longer lower case
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    reader = _Reader(text, naming_of, eager)
    position = 0
    while (word := words.search(lower, position)) is not None:
        before = _BEFORE.search(text, max(0, word.start() - 60), word.start())
        behind = _BEHIND.match(text, word.end())
        start = before.start() if before else word.start()
        end = behind.end() if behind else word.end()
        position = max(end, word.end())
        for span in reader.value_of(max(start, 0), end):
            position = max(position, span.end)
            yield span


@final
@dataclass(frozen=True)
class _Reader:
    """Reads the values after names in one text."""

    text: str
    naming_of: NamingOf
    eager: bool

    @cached_property
    def _is_form(self) -> bool:
        return "=" in self.text and _FORM.fullmatch(self.text) is not None

    @cached_property
    def _unquoted(self) -> Unquoted:
        return Unquoted(self.text)

    def value_of(self, start: int, end: int) -> Iterator[Span]:
        """The secrets of the name at a position."""
        text = self.text
        escape = text[start - 1 : start + 2] if start and text[start - 1] == "%" else ""
        start += 2 if escape else 0  # the end of a URL escape is not part of the name
        name = text[start:end].strip(".$")
        previous = text[start - 1] if start else ""
        in_query = previous in ("?", "&") or self._is_form or escape.upper() in ("%26", "%3F")
        naming = self.naming_of(name.lstrip("-"), in_query=in_query)
        if naming is Naming.HARMLESS:
            return
        if previous in ("<", ":") and (opened := _XML_START.match(text, end)) is not None:
            yield from self._element(opened.end(), name, naming)
        elif found := _SEPARATOR.match(text, end):
            if found[3] is not None:
                stop = self._end_of_quoted(found.end(), found[3])
                yield from self._exact(found.end(), stop, name, naming)
            elif naming in (Naming.AUTHORIZATION, Naming.COOKIE):
                yield from self._header(start, found, name, naming)
            elif in_query or found[2][0] == "%":
                yield from self._in_query(found, name, naming)
            else:
                certain = self._unquoted.is_certain(start, name, found[2])
                yield from self._bare(found.end(), name, naming, certain=certain)
        elif quoted := self._pair(start, end):
            yield from self._second(quoted, name, naming)
        elif text[start : start + 1] == "-" and (given := _OPTION.match(text, end)) is not None:
            certain = text[start : start + 2] == "--" or naming is Naming.STRONG
            yield from self._bare(given.end(), name, naming, certain=certain)

    def _pair(self, start: int, end: int) -> "re.Match[str] | None":
        """The separator between the name and the value of a pair."""
        text = self.text
        if _TITLE.search(text, max(0, start - 60), start) is not None:
            return _CONTENT.match(text, end) or _FORM_PART.match(text, end)
        if _BRACKET.search(text, max(0, start - 24), start) is None:
            return None
        return _COMMA.match(text, end)

    def _second(self, found: "re.Match[str]", name: str, naming: Naming) -> Iterator[Span]:
        """The second part of a pair; after a comma it may also be another name."""
        text, start = self.text, found.end()
        if found.re is _FORM_PART:
            line = _LINE.match(text, start)
            stop = line.end() if line else start
        else:
            stop = self._end_of_quoted(start, found[1] or "")
        is_header = naming in (Naming.AUTHORIZATION, Naming.COOKIE) or "-" in name
        after_comma = found.re is _COMMA
        if self.eager or not after_comma or is_header or is_credential_word(text[start:stop]):
            yield from self._exact(start, stop, name, naming)

    def _end_of_quoted(self, start: int, quote: str) -> int:
        """The end of a quoted value; without a closing quote, the end of the word."""
        stop = closing(self.text, start, quote) if quote else -1
        if stop >= 0:
            return stop
        word = BARE.match(self.text, start)
        return word.end() if word else start

    def _exact(self, start: int, stop: int, name: str, naming: Naming) -> Iterator[Span]:
        """The secrets of a value with a certain end."""
        if naming is Naming.AUTHORIZATION:
            yield from authorization(
                self.text, start, stop, rule_of(name), exact=True, eager=self.eager
            )
        elif naming is Naming.COOKIE:
            yield from cookies(self.text, start, stop, exact=True, eager=self.eager)
        elif stop > start:
            value = self.text[start:stop]
            if self.eager or is_credential(value, name, naming):
                yield self._span(start, stop, name, naming, unescaped(value))

    def _span(
        self, start: int, stop: int, name: str, naming: Naming, secret: str | None = None
    ) -> Span:
        value = self.text[start:stop] if secret is None else secret
        return Span(
            start,
            stop,
            rule_of(name),
            spreads=spreads(value, naming),
            open=stop == len(self.text),
            secret=secret,
        )

    def _element(self, start: int, name: str, naming: Naming) -> Iterator[Span]:
        found = _XML_VALUE.match(self.text, start)
        if found is None:
            return
        group = 2 if found[1] is None else 1
        value = found[group].rstrip()
        stop = found.start(group) + len(value)
        is_closed = group == 1 or self.text[found.end() : found.end() + 2] in ("</", "<", "")
        if naming in (Naming.AUTHORIZATION, Naming.COOKIE):
            yield from self._exact(found.start(group), stop, name, naming)
        elif is_closed and (self.eager or is_credential(value, name, naming)):
            yield self._span(found.start(group), stop, name, naming, unescape(value))

    def _header(
        self, start: int, found: "re.Match[str]", name: str, naming: Naming
    ) -> Iterator[Span]:
        """The value of a header: to the end of its line, or of the quotes around it."""
        text, begin = self.text, found.end()
        quote = quote_before(text, start)
        stop = min(len(text), begin + LONGEST)
        for mark in ("\n", "\\n", "\\r"):
            line = text.find(mark, begin, stop)
            stop = line if line >= 0 else stop
        end = closing(text, begin, quote) if quote else -1
        exact = 0 <= end <= stop
        end = end if exact else stop
        if naming is Naming.COOKIE:
            yield from cookies(text, begin, end, exact=exact, eager=self.eager)
        else:
            rule = rule_of(name)
            yield from authorization(text, begin, end, rule, exact=exact, eager=self.eager)

    def _in_query(self, found: "re.Match[str]", name: str, naming: Naming) -> Iterator[Span]:
        text = self.text
        value = _IN_QUERY.match(text, found.end())
        stop = value.end() if value else found.end()
        if found[2][0] == "%" and (cut := text.find("%26", found.end(), stop)) >= 0:
            stop = cut
        secret = unquote(text[found.end() : stop])
        if secret and (self.eager or is_credential(secret, name, naming)):
            yield self._span(found.end(), stop, name, naming, secret)

    def _bare(self, start: int, name: str, naming: Naming, *, certain: bool) -> Iterator[Span]:
        """An unquoted value; in prose and source code, most such words are not values."""
        value = self._unquoted.value(start, name, certain=certain)
        said = Naming.LIKELY if certain and naming is Naming.WEAK else naming
        is_label = value.lower() == name.lstrip("-") != value  # `--password PASSWORD`
        is_value = not is_label and (
            certain or naming is Naming.WEAK or self._unquoted.is_value(start, value, name)
        )
        if value and (self.eager or (is_value and is_credential(value, name, said))):
            yield self._span(start, start + len(value), name, naming)
