"""Secrets that are known by their form alone: keys of well-known issuers, private keys, URLs."""

import base64
import binascii
import re
from collections.abc import Collection, Iterator
from typing import Final
from urllib.parse import unquote

from vcr_gen.runtime.privacy.field_names import Naming
from vcr_gen.runtime.privacy.heuristics import is_filler, looks_secret
from vcr_gen.runtime.privacy.judging import spreads
from vcr_gen.runtime.privacy.key_formats import KEY_FORMATS, KeyFormat, compiled
from vcr_gen.runtime.privacy.spans import Span

__all__ = [
    "ENCODED",
    "PRIVATE_KEY",
    "URL_PASSWORD",
    "decoded",
    "key_formats",
    "may_have_form",
    "private_keys",
    "url_passwords",
]

URL_PASSWORD: Final = "url-password"
PRIVATE_KEY: Final = "private-key"
ENCODED: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")

_RUN: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{16}")
_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BODY: Final = re.compile(r"[A-Za-z0-9+/=\s\\:,.()-]*")
_USER: Final = re.compile(
    r"://([^\s/?#@:\"'<>\\]{0,256})(?::([^\s/?#\"'<>\\]{1,256}))?@(?=[\w.\[%$-])"
)
_SAFE_RUN: Final = re.compile(r"[A-Za-z0-9_-]+")
_DATA: Final = 500
"""How many letters of base64 without a break beside a key say that it is none."""
_DATA_RUN: Final = re.compile(r"[A-Za-z0-9+/_-]+")


def may_have_form(text: str) -> bool:
    """Whether a closer look is worth it; cheap, and never wrong when it says no."""
    return len(text) >= 16 and (
        _RUN.search(text) is not None
        or "://" in text
        or "-----BEGIN " in text
        or "ABSK" in text
        or "whsec_" in text
        or "AccessKey=" in text
        or "AccountKey=" in text
    )


def key_formats(text: str, off: Collection[str]) -> Iterator[Span]:
    """The keys of well-known issuers."""
    for known in KEY_FORMATS:
        if known.name in off or not any(hint in text for hint in known.hints):
            continue
        for found in _matches(compiled(known.pattern), known, text):
            start, end = found.span(known.group)
            if start and not known.group and len(known.hints[0]) < 5 and _goes_on(text, start):
                continue
            if not _in_data(text, start, end):
                yield Span(start, end, known.name, open=end == len(text))


def private_keys(text: str) -> Iterator[Span]:
    """The private keys between their first and last lines."""
    if "-----BEGIN " not in text:
        return
    position = 0
    has_end = True
    while (begin := _BEGIN.search(text, position)) is not None:
        end = _END.search(text, begin.end()) if has_end else None
        has_end = end is not None
        body = _BODY.match(text, begin.end())
        stop = end.end() if end else body.end() if body else begin.end()
        yield Span(begin.start(), stop, PRIVATE_KEY, open=end is None and stop == len(text))
        position = stop


def url_passwords(text: str) -> Iterator[Span]:
    """The passwords in URLs, and keys that stand there in the place of a user."""
    if "://" not in text or "@" not in text:
        return
    for found in _USER.finditer(text):
        group = 1 if found[2] is None else 2
        secret = unquote(found[group])
        if not is_filler(secret) if group == 2 else looks_secret(secret):
            spread = spreads(secret, Naming.STRONG)
            yield Span(*found.span(group), URL_PASSWORD, spreads=spread, secret=secret)


def _matches(pattern: "re.Pattern[str]", known: KeyFormat, text: str) -> Iterator["re.Match[str]"]:
    """Every match; where one fails, the same run of letters is not tried again from within."""
    if known.name != "jwt":
        yield from pattern.finditer(text)
        return
    position = text.find(known.hints[0])
    while position >= 0:
        found = pattern.match(text, position)
        if found is not None:
            yield found
        run = _SAFE_RUN.match(text, position)
        behind = found.end() if found else run.end() if run else position + 1
        position = text.find(known.hints[0], behind)


def decoded(run: str) -> str | None:
    """What a run of base64 says, byte for byte; None where it is none."""
    bare = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(bare) % 4 == 1:
        bare = bare[:-1]
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4)).decode("latin-1")
    except (binascii.Error, ValueError):
        return None


def _in_data(text: str, start: int, end: int) -> bool:
    """Whether something is a piece of long data in base64, where any short word stands by chance.

    One in four million letters would look like a key: an image would not come back as it was.
    """
    return any(
        last - first == _DATA and _DATA_RUN.fullmatch(text, first, last) is not None
        for first, last in ((max(0, start - _DATA), start), (end, min(len(text), end + _DATA)))
    )


def _goes_on(text: str, start: int) -> bool:
    """Whether a key would start inside a word, and so is none; an escape before it is no word."""
    before = text[start - 1]
    if not (before.isascii() and before.isalnum()):
        return False
    escaped = text[max(0, start - 6) : start]
    return not (
        escaped[-2:] in ("\\n", "\\r", "\\t", "\\b", "\\f")
        or escaped[-3:-2] == "%"
        or escaped[:2] == "\\u"
    )
