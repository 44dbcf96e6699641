"""Judges values by their look and name: credential, ordinary value, filler, source code."""

import re
from typing import Final
from urllib.parse import unquote

from vcr_gen.runtime.privacy.credential_names import Naming, rule_of, words
from vcr_gen.runtime.privacy.spans import Span

_TOKEN: Final = re.compile(r"[A-Za-z0-9_.~+/=:%-]{16,4096}")
_FILLER: Final = re.compile(
    r"\s*(?:\$\{?\w+\}?|\$?\{\{?[^{}]*\}?\}|\$\([^()]*\)|%\(?\w*\)?s|%\w+%|\.{2,}|…|-+|\*+|•+|[xX]{3,}"
    r"|<[^<>]*>|\[[^\[\]]*\]|!(?:env|include|ref|secret|sub|vault)"
    r"|your[-_ ](?:\w{1,20}[-_ ]){0,3}(?:key|token|password|secret)(?:[-_ ]here)?"
    r"|null|nil|none|true|false|undefined|not set|unset|redacted|masked|hidden|deleted)?\s*",
    re.IGNORECASE,
)
_ORDINARY: Final = re.compile(
    r"""
    .{0,3}
    | [A-Za-z][a-z]{0,15} | [A-Z]{1,5}                              # dark, Berlin, EUR
    | [-+]?[a-z]{1,16}(?:[-_.:,+\ /][a-z]{1,16}){1,2}               # -created_at, price:asc
    | [a-z]{2,3}(?:[-_][A-Z][a-z]{3})?[-_][A-Za-z]{2}(?:\.[Uu][Tt][Ff]-?8)?   # de_DE.UTF-8
    | [A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_+-]{1,30}\d{0,2}){1,2}         # America/New_York
    | (?:UTC|GMT)[+-]\d{1,2}(?::?\d\d)?
    | [-+]?\d{1,9}(?:\.\d{1,6})?%? | 1[4-9]\d{8}(?:\d{3})?          # a number, a time stamp
    | \d{2,5}x\d{2,5} | [vV]?\d{1,3}(?:\.\d{1,4}){1,3}              # 1920x1080, v1.2.3
    | \d{4}-\d\d-\d\d(?:[T\ ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?
    | ~?(?:/(?:[A-Za-z_.-]{1,24}|[\w.-]{1,12}))+/? | [A-Za-z]:\\[\w.\\\ -]{0,200}   # a path
    """,
    re.VERBOSE,
)
_IDENTIFIER: Final = re.compile(
    r"(?:[a-z]{1,12}[-_.:])?(?:"
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-f-]{16,128}|[0-9A-F]{16,128}"
    r"|[0-9A-HJKMNP-TV-Z]{26}|[\d.:-]{4,})"
)
_WORDS: Final = re.compile(r"[A-Za-z][A-Za-z'-]*")
_SENTENCE_WORDS: Final = words(
    "a an and are at be been cannot does field for has have incorrect invalid is it least must not "
    "of or please required should than the this to too was with your"
)
_SHORTEST: Final = 6
_LONG_NUMBER: Final = 12


def looks_secret(value: str) -> bool:
    """Whether a value is long and mixed enough to be a key rather than a word or a number."""
    if not _TOKEN.fullmatch(value):
        return False
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    return letters and (digits or (len(value) >= 20 and value != value.lower() != value.upper()))


def is_credential_word(word: str) -> bool:
    """Whether a word in a text is unlikely to be a natural word."""
    if len(word) < _SHORTEST or _is_ordinary(word):
        return False
    body = word[1:]
    return (
        any(char.isdigit() for char in word)
        or (body != body.lower() and body != body.upper())
        or not all(char.isalpha() or char in "-_./" for char in word)
        or (len(word) >= 20 and word.isalpha())
    )


def _is_ordinary(value: str) -> bool:
    """Whether a value is clearly harmless: a word, a locale, a time zone, a date, a path."""
    if len(value) > 200:
        return False
    return _ORDINARY.fullmatch(unquote(value) if "%" in value else value) is not None


def is_filler(value: str) -> bool:
    """Whether a value only represents a secret: `${TOKEN}`, `***`, `null`, nothing."""
    return len(value) <= 200 and _FILLER.fullmatch(value) is not None


def is_distinctive(text: str) -> bool:
    """Whether a text is unlikely to occur by chance: not a common word or a short number.

    Card and account numbers have at least `_LONG_NUMBER` digits.
    """
    if len(text) < _SHORTEST:
        return False
    kinds = (
        any(char.islower() for char in text),
        any(char.isupper() for char in text),
        any(char.isdigit() for char in text),
        not text.isalnum(),
    )
    return sum(kinds) > 1 or len(text) >= (_LONG_NUMBER if text.isdigit() else 24)


_SESSION: Final = re.compile(r"session-?id\Z")
_COOKIE_NAMES: Final = re.compile(
    r"sess|token|auth(?!or)|jwt|[cx]srf|secret|remember|credential|passw|api_?key"
    r"|(?<![a-z])(?:sid|ssid|login)(?![a-z])|sid\Z",
    re.IGNORECASE,
)


def is_credential(value: str, name: str, naming: Naming) -> bool:
    """Whether a value is a credential, given what its name says."""
    if naming is Naming.HARMLESS or is_filler(value):
        return False
    if naming is Naming.WEAK:
        if not looks_secret(value):
            return False
        # A `session_id` is a credential in browsers, but elsewhere an identifier.
        is_mixed = value != value.lower() and value != value.upper()
        return _SESSION.search(rule_of(name)) is None or (
            is_mixed and _IDENTIFIER.fullmatch(value) is None
        )
    if naming is Naming.LIKELY and _is_ordinary(value):
        return False
    word = rule_of(name).rpartition("-")[2]
    if word == "pwd" and _is_ordinary(value) and "/" in value:  # the working directory of a shell
        return False
    is_label = value in (word, word.capitalize())  # `"password": "Password"`
    return not is_label and not _is_sentence(value)


def _is_sentence(value: str) -> bool:
    """Whether a value is a sentence: `must be at least 8 characters`."""
    found = _WORDS.findall(value) if " " in value else ()
    return len(found) > 2 and not _SENTENCE_WORDS.isdisjoint(word.lower() for word in found)


def naming_of_cookie(name: str) -> Naming:
    """Judge a cookie by its name: most cookies are credentials, some are settings."""
    return Naming.STRONG if _COOKIE_NAMES.search(name) is not None else Naming.LIKELY


def credential(
    text: str, start: int, end: int, rule: str, naming: Naming, *, secret: str | None = None
) -> Span:
    """The span of a credential that its name revealed."""
    value = text[start:end] if secret is None else secret
    return Span(start, end, rule, spreads=_spreads(value, naming), secret=secret)


def _spreads(value: str, naming: Naming) -> bool:
    """Whether a credential is distinctive enough to be searched for everywhere."""
    if _is_ordinary(value):
        return False
    if naming in (Naming.STRONG, Naming.AUTHORIZATION):
        return is_distinctive(value)
    return looks_secret(value) and _IDENTIFIER.fullmatch(value) is None
