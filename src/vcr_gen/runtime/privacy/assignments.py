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

from vcr_gen.runtime.privacy.credential_names import Naming, rule_of, words
from vcr_gen.runtime.privacy.header_values import header_value, named_value
from vcr_gen.runtime.privacy.heuristics import credential, is_credential, is_credential_word
from vcr_gen.runtime.privacy.spans import Span

NAME_WORDS: Final = re.compile(
    r"passw|passphrase|passcode|pwd|secret|token|key|auth|cookie|credential|cvv|cvc|sess|sig|code"
    r"|hmac|otp|jwt|ticket|assertion|pass|sid|pw"
)
_BEFORE: Final = re.compile(r"[\w.$-]{0,60}\Z")
_BEHIND: Final = re.compile(r"[\w.$-]{0,60}")
_LONGEST: Final = 8192
"""The maximum length of a value whose end is searched."""

_QUOTE: Final = r"(?:[bBfFrRuU]{1,2}(?=[\\\"']))?(\\{0,16}[\"'])"
_QUOTE_BEFORE: Final = re.compile(r"\\{0,16}[\"']\Z")
_ESCAPED: Final = re.compile(r"\\+([\\\"'/])")
_SEPARATOR: Final = re.compile(
    rf"(?:\\{{0,16}}[\"'])?\]?[ \t]{{0,8}}(?:is(?=:))?(=>|:=|::?|=|is(?=[ \t])|%3[dDaA])(?!=)"
    rf"(?:\s{{0,40}}{_QUOTE}|[ \t]{{0,8}})"
)
"""The separator between a name and its value, with the opening quote."""
_TITLE: Final = re.compile(r"(?:name|key|header)\\{0,16}[\"']?\s{0,8}[:=]\s{0,8}\\{0,16}[\"']?\Z")
_CONTENT: Final = re.compile(
    rf"\\{{0,16}}[\"']?\s{{0,8}},?\s{{0,40}}\\{{0,16}}[\"']?(?:values?|content)\\{{0,16}}[\"']?"
    rf"\s{{0,8}}[:=]\s{{0,8}}(?:{_QUOTE}|(?=[^\s\"'\\{{\[]))"
)
"""The text between the two parts of `name: Authorization, value: …`."""
_FORM_PART: Final = re.compile(
    r"\"[^\n]{0,200}\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n(?=([^\r\n]{1,4096})\r?\n--)"
)
"""The text between a name and its value in a multipart form."""
_COMMA: Final = re.compile(rf"\\{{0,16}}[\"'],\s{{0,8}}{_QUOTE}")
_BRACKET: Final = re.compile(r"[(\[]\s?[bBuU]?\\{0,16}[\"']\Z")
_OPTION: Final = re.compile(r"(?:=|\s{1,4})[\"']?")
_END_OF_LINE: Final = re.compile(r"\n|\\[nr]")
_IN_QUERY: Final = re.compile(r"[^\s&;#\"'<>\\]{1,4096}")
_FORM: Final = re.compile(
    r"[\w.%+\[\]-]{1,80}=[^\s&]{0,4096}(?:&[\w.%+\[\]-]{1,80}=[^\s&]{0,4096}){0,1000}"
)
_XML_START: Final = re.compile(r"(?:\s[^<>]{0,300})?(?<!/)>")
_XML_VALUE: Final = re.compile(
    r"\s{0,80}(?:<!\[CDATA\[([^\]]{1,4096})\]\]>|([^<>\s](?:[^<>]{0,4095}[^<>\s])?)\s{0,80}(?=</|<?\Z))"
)

_BARE: Final = re.compile(r"[^\s\"'`,;&<>(){}\[\]\\]{1,4096}")
_VARIABLE: Final = re.compile(r"[^\s\"'`;&<>(){}\[\]\\|]{1,4096}")
_CODE: Final = re.compile(r"[A-Za-z_][A-Za-z_.]*")
_SETTING: Final = re.compile(r"[ \t]*(?:[#;!].*|\[[^\]]*\]|(?:export |set |- )?[\w.$-]+\s*[:=].*)?")
_CONNECTION: Final = re.compile(
    r"(?i)(?<![\w.])(?:host|server|data source|dbname|database|initial catalog|user id|uid)="
)
_NO_VALUES: Final = words(
    "any bool boolean bytes change changed empty expired forbidden ignored incorrect int integer "
    "invalid missing number object optional password required reset secret str string text token "
    "wrong yes"
)
"""Words that follow the name of a password in documentation, messages and source code."""


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
        for span in reader.value_of(start, end):
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
    def _is_settings(self) -> bool:
        """Whether every line is an assignment, as in a settings file."""
        return len(self.text) <= _LONGEST and all(map(_SETTING.fullmatch, self.text.splitlines()))

    @cached_property
    def _is_connection(self) -> bool:
        return _CONNECTION.search(self.text) is not None

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
            separator, quote = found.groups()
            if quote is not None:
                stop = self._end_of_quoted(found.end(), quote)
                yield from self._exact(found.end(), stop, name, naming)
            elif naming in (Naming.AUTHORIZATION, Naming.COOKIE):
                yield from self._header(start, found.end(), name, naming)
            elif in_query or separator[0] == "%":
                yield from self._in_query(found.end(), name, naming, escaped=separator[0] == "%")
            else:
                certain = self._is_certain(start, name, separator)
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
        start = found.end()
        stop = found.end(1)
        if found.re is not _FORM_PART:
            stop = self._end_of_quoted(start, found[1] or "")
        is_header = naming in (Naming.AUTHORIZATION, Naming.COOKIE) or "-" in name
        is_value = found.re is not _COMMA or is_header or is_credential_word(self.text[start:stop])
        if self.eager or is_value:
            yield from self._exact(start, stop, name, naming)

    def _end_of_quoted(self, start: int, quote: str) -> int:
        """The end of a quoted value; without a closing quote, the end of the word."""
        stop = self._closing(start, quote) if quote else -1
        if stop >= 0:
            return stop
        word = _BARE.match(self.text, start)
        return word.end() if word else start

    def _closing(self, start: int, quote: str) -> int:
        """The end of a quoted value, which may contain deeper escapes; -1 if it is not found."""
        text, depth, position = self.text, len(quote) - 1, start
        while (found := text.find(quote[-1], position, start + _LONGEST)) >= 0:
            before = text[max(start, found - 40) : found]
            slashes = len(before) - len(before.rstrip("\\"))
            if slashes <= depth or (depth == 0 and slashes % 2 == 0):
                return found - min(slashes, depth)
            position = found + 1
        return -1

    def _exact(self, start: int, stop: int, name: str, naming: Naming) -> Iterator[Span]:
        """The secrets of a value with a certain end."""
        value = self.text[start:stop]
        secret = _ESCAPED.sub(r"\1", value) if "\\" in value else None
        yield from named_value(
            self.text, start, stop, name, naming, eager=self.eager, secret=secret
        )

    def _element(self, start: int, name: str, naming: Naming) -> Iterator[Span]:
        found = _XML_VALUE.match(self.text, start)
        if found is not None:
            begin, stop = found.span(1 if found[2] is None else 2)
            secret = unescape(self.text[begin:stop])
            yield from named_value(
                self.text, begin, stop, name, naming, eager=self.eager, secret=secret
            )

    def _header(self, name_start: int, start: int, name: str, naming: Naming) -> Iterator[Span]:
        """The value of a header: to the end of its line, or of the quotes around it."""
        text = self.text
        line = _END_OF_LINE.search(text, start, start + _LONGEST)
        stop = line.start() if line else min(len(text), start + _LONGEST)
        quote = _QUOTE_BEFORE.search(text, max(0, name_start - 17), name_start)
        end = self._closing(start, quote[0]) if quote else -1
        exact = 0 <= end <= stop
        end = end if exact else stop
        yield from header_value(text, start, end, name, naming, exact=exact, eager=self.eager)

    def _in_query(self, start: int, name: str, naming: Naming, *, escaped: bool) -> Iterator[Span]:
        value = _IN_QUERY.match(self.text, start)
        found = value[0] if value else ""
        if escaped:
            found = found.partition("%26")[0]
        secret = unquote(found)
        if secret and (self.eager or is_credential(secret, name, naming)):
            yield credential(
                self.text, start, start + len(found), rule_of(name), naming, secret=secret
            )

    def _bare(self, start: int, name: str, naming: Naming, *, certain: bool) -> Iterator[Span]:
        """An unquoted value; in prose and source code, most such words are not values."""
        found = (_VARIABLE if certain and name.isupper() else _BARE).match(self.text, start)
        value = found[0] if found else ""
        if not certain:
            value = value.rstrip(".:!?")
        said = Naming.LIKELY if certain and naming is Naming.WEAK else naming
        is_label = value.lower() == name.lstrip("-") != value  # `--password PASSWORD`
        is_value = not is_label and (
            certain or naming is Naming.WEAK or self._is_value(start, value, name)
        )
        if value and (self.eager or (is_value and is_credential(value, name, said))):
            yield credential(self.text, start, start + len(value), rule_of(name), naming)

    def _is_certain(self, start: int, name: str, separator: str) -> bool:
        """Whether the context proves that a value follows: an option, a variable, a header, …"""
        before = self.text[start - 1 : start]
        if separator == "=":
            is_connection = before == ";" or self._is_connection
            return is_connection or name.isupper() or name.startswith("--")
        is_header = before in ("", "\n", '"', "'") and "-" in name.strip("-")
        return separator == ":" and is_header

    def _is_value(self, start: int, value: str, name: str) -> bool:
        """Whether a word after the name of a password is a value, not prose or code."""
        text, end = self.text, start + len(value)
        if text[end : end + 1] in ("(", "["):
            return False
        if _CODE.fullmatch(value) is None and is_credential_word(value):
            return True
        is_word = value.islower() and value.replace("-", "").isalnum()
        rest = text[end : end + 200].partition("\n")[0].strip(" \t.!?")
        if rest or not is_word or len(value) < 3 or value in _NO_VALUES:
            return False
        if text[start - 1] not in "= \t" or text[start - 3 : start] == "is ":
            return False  # `secrets:read`, `the password is wrong`
        is_password = "pass" in name.lower() or "pwd" in name.lower()
        return self._is_settings or (
            is_password and len(value) > 4 and end >= len(text.rstrip(" \t\r\n.!?"))
        )
