"""The values of headers: credentials after their scheme, and cookies."""

import re
from collections.abc import Iterator
from typing import Final

from vcr_gen.runtime.privacy.credential_names import Naming, rule_of, words
from vcr_gen.runtime.privacy.heuristics import (
    credential,
    is_credential,
    is_credential_word,
    is_filler,
    looks_secret,
    naming_of_cookie,
)
from vcr_gen.runtime.privacy.key_formats import decoded
from vcr_gen.runtime.privacy.spans import Span

_SCHEME: Final = re.compile(r"\s*([A-Za-z][\w-]{1,24})(?:\\?[ \t]+|%20|\+)(?=\S)")
_SCHEMES: Final = words(
    "apikey api-key basic bearer bot dpop jwt key negotiate ntlm oauth sharedkey sharedkeylite "
    "splunk ssws token"
)
"""Schemes with a one-word credential."""
_WORD: Final = re.compile(r"\s*([^\s\"'`,;<>\\(){}\[\]|]{1,8192}(?<![.:!?]))")
_EXACT_WORD: Final = re.compile(r"\s*(\S+)")
_PARAMETER: Final = re.compile(
    r"[\s,]*([A-Za-z][\w-]{0,60})\s?=\s?(?:\"([^\"\n]{0,4096})\"|(?!=+(?:[\s,]|\Z))([^\s,\"]{1,4096}))"
)
"""A parameter of a scheme such as Digest: `response="…"`; not the end of base64."""
_KEPT_PARAMETERS: Final = words(
    "algorithm headers oauth_signature_method oauth_version qop realm uri signedheaders userhash "
    "username version"
)
_STATES: Final = words(
    "approved basic bearer captured declined denied digest expired failed granted missing none "
    "oauth optional pending required revoked voided"
)
"""Values of `authorization` outside headers."""
_ATTRIBUTES: Final = words(
    "comment domain expires httponly max-age partitioned path priority samesite secure version"
)
_COOKIE: Final = re.compile(r"\s*([^\s=;,\"'<>{}]{1,256})(?:=(\"[^\"\n]{0,4096}\"|[^\s;\"']*))?")
_EXACT_COOKIE: Final = re.compile(r"\s*([^=;]{1,256}?)\s*(?:=\s*([^;]*?)\s*)?(?=;|\Z)")
_LONE: Final = re.compile(
    r"(?i)(?<![\w-])(bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/:%-]{4,8192}={0,2})(?![\w=\"'])"
)
_AFTER_BEARER: Final = words("auth authentication authorization token tokens")


def named_value(
    text: str,
    start: int,
    end: int,
    name: str,
    naming: Naming,
    *,
    eager: bool,
    secret: str | None = None,
) -> Iterator[Span]:
    """The credentials in the value of a name; `secret` is the value without its escapes."""
    if naming in (Naming.AUTHORIZATION, Naming.COOKIE):
        yield from header_value(text, start, end, name, naming, exact=True, eager=eager)
    elif start < end and (eager or is_credential(text[start:end], name, naming)):
        yield credential(text, start, end, rule_of(name), naming, secret=secret)


def header_value(
    text: str, start: int, end: int, name: str, naming: Naming, *, exact: bool, eager: bool
) -> Iterator[Span]:
    """The credentials in the value of a header; `exact` if `end` is certainly its end.

    Otherwise other text may follow, and the value must look like a credential.
    """
    if naming is Naming.COOKIE:
        yield from cookies(text, start, end, exact=exact, eager=eager)
    else:
        yield from _authorization(text, start, end, rule_of(name), exact=exact, eager=eager)


def _authorization(
    text: str, start: int, end: int, rule: str, *, exact: bool, eager: bool
) -> Iterator[Span]:
    scheme = _SCHEME.match(text, start, end)
    if scheme is not None and (parameters := list(_parameters(text, scheme.end(), end))):
        for found in parameters:
            group = 3 if found[2] is None else 2
            if found[1].lower() not in _KEPT_PARAMETERS and not is_filler(found[group]):
                yield credential(text, *found.span(group), rule, Naming.LIKELY)
        return
    is_known = scheme is not None and scheme[1].lower() in _SCHEMES
    word = _EXACT_WORD if exact else _WORD
    first = word.match(text, scheme.end() if is_known and scheme else start, end)
    if first is None:
        return
    begin, stop = first.span(1)
    rest = word.match(text, stop, end)
    if not is_known and rest and not is_credential_word(first[1]):  # an unknown scheme
        begin, stop = rest.span(1)
        stop = len(text[:end].rstrip()) if exact else stop
    is_alone = not text[stop:end].strip()
    value = text[begin:stop]
    is_state = is_alone and not is_known and value.lower() in _STATES
    if eager or ((is_alone or is_credential_word(value)) and not is_state and not is_filler(value)):
        yield credential(text, begin, stop, rule, Naming.AUTHORIZATION)


def _parameters(text: str, start: int, end: int) -> "Iterator[re.Match[str]]":
    while (found := _PARAMETER.match(text, start, end)) is not None:
        yield found
        start = found.end()


def cookies(
    text: str, start: int, end: int, *, exact: bool = False, eager: bool = False
) -> Iterator[Span]:
    """The values of cookies; their attributes and ordinary settings are kept."""
    pattern = _EXACT_COOKIE if exact else _COOKIE
    while (found := pattern.match(text, start, end)) is not None:
        name, value = found.groups()
        is_attribute = name.lower() in _ATTRIBUTES
        if value is None:
            if not is_attribute and looks_secret(name):
                yield credential(text, *found.span(1), "cookie", Naming.LIKELY)
        elif not is_attribute and (
            eager or is_credential(value.strip('"'), name, naming_of_cookie(name))
        ):
            quote = len(value) > 1 and value[0] == '"' == value[-1]
            if len(value) > 2 * quote:
                begin, stop = found.start(2) + quote, found.end(2) - quote
                yield credential(text, begin, stop, "cookie", Naming.LIKELY)
        following = text.find(";", found.end(), end)
        if following < 0 or (text[found.end() : following].strip() and not is_attribute):
            return
        start = following + 1


def lone_credentials(text: str, *, eager: bool = False) -> Iterator[Span]:
    """The credentials after `Bearer` or `Basic` without a header name."""
    lower = text.lower()
    if "bearer" not in lower and "basic" not in lower:
        return
    for found in _LONE.finditer(text):
        value = found[2].rstrip(".:")
        if found[1].lower() == "basic":
            login = decoded(value) or ""
            is_secret = ":" in login and login.isprintable()
        elif found.span() == (0, len(text)):
            is_secret = len(value) > 4 and value.lower() not in _AFTER_BEARER
        else:
            is_secret = is_credential_word(value)
        if is_secret or eager:
            start = found.start(2)
            end = start + len(value)
            yield credential(text, start, end, "authorization", Naming.AUTHORIZATION)
