"""The values of headers: credentials after their scheme, and cookies."""

import re
from collections.abc import Iterator
from typing import Final

from vcr_gen.runtime.privacy.field_names import Naming
from vcr_gen.runtime.privacy.heuristics import (
    is_credential,
    is_credential_word,
    is_filler,
    looks_secret,
    naming_of_cookie,
    spreads,
)
from vcr_gen.runtime.privacy.key_formats import decoded
from vcr_gen.runtime.privacy.spans import Span

__all__ = ["are_parameters", "authorization", "cookies", "lone_credentials"]

_SCHEME: Final = re.compile(r"\s*([A-Za-z][\w-]{1,24})(?:\\?[ \t]+|%20|\+)(?=\S)")
_SCHEMES: Final = frozenset(
    {"apikey", "api-key", "basic", "bearer", "bot", "dpop", "jwt", "key", "negotiate", "ntlm"}
    | {"oauth", "sharedkey", "sharedkeylite", "splunk", "ssws", "token"}
)
"""Schemes with a one-word credential."""
_WORD: Final = re.compile(r"[^\s\"'`,;<>\\(){}\[\]|]{1,8192}")
_EXACT_WORD: Final = re.compile(r"\S+")
_PARAMETER: Final = re.compile(
    r"[\s,]*([A-Za-z][\w-]{0,60})\s?=\s?(?:\"([^\"\n]{0,4096})\"|([^\s,\"]{1,4096}))"
)
_KEPT_PARAMETERS: Final = frozenset(
    {"algorithm", "headers", "oauth_signature_method", "oauth_version", "qop", "realm", "uri"}
    | {"signedheaders", "userhash", "username", "version"}
)
_STATES: Final = frozenset(
    {"approved", "basic", "bearer", "captured", "declined", "denied", "digest", "expired"}
    | {"failed", "granted", "missing", "none", "oauth", "optional", "pending", "required"}
    | {"revoked", "voided"}
)
"""Values of `authorization` outside headers."""
_ATTRIBUTES: Final = frozenset(
    {"comment", "domain", "expires", "httponly", "max-age", "partitioned", "path", "priority"}
    | {"samesite", "secure", "version"}
)
_COOKIE: Final = re.compile(r"\s*([^\s=;,\"'<>{}]{1,256})(?:=(\"[^\"\n]{0,4096}\"|[^\s;\"']*))?")
_EXACT_COOKIE: Final = re.compile(r"\s*([^=;]{1,256}?)\s*(?:=\s*([^;]*?)\s*)?(?=;|\Z)")
_LONE: Final = re.compile(
    r"(?i)(?<![\w-])(bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/:%-]{4,8192}={0,2})(?![\w=\"'])"
)
_AFTER_BEARER: Final = frozenset({"auth", "authentication", "authorization", "token", "tokens"})


def authorization(
    text: str, start: int, end: int, rule: str, *, exact: bool = False, eager: bool = False
) -> Iterator[Span]:
    """The credential in the value of a header; `exact` if `end` is certainly its end.

    Otherwise other text may follow, and the value must look like a credential.
    """
    scheme = _SCHEME.match(text, start, end)
    if scheme is not None and (parameters := list(_parameters(text, scheme.end(), end))):
        yield from _in_parameters(text, parameters, rule)
        return
    is_known = scheme is not None and scheme[1].lower() in _SCHEMES
    first = _word(text, scheme.end() if is_known and scheme else start, end, exact=exact)
    if first is None:
        return
    rest = _word(text, first[1], end, exact=exact)
    is_alone = not text[first[1] : end].strip()
    if not is_alone and not is_known and rest and not is_credential_word(text[first[0] : first[1]]):
        first = (rest[0], first[0] + len(text[first[0] : end].rstrip())) if exact else rest
        is_alone = not text[first[1] : end].strip()
    value = text[first[0] : first[1]]
    is_state = is_alone and not is_known and value.lower() in _STATES
    if eager or ((is_alone or is_credential_word(value)) and not is_state and not is_filler(value)):
        spread = spreads(value, Naming.AUTHORIZATION)
        yield Span(*first, rule, spreads=spread, open=first[1] == len(text))


def _word(text: str, start: int, end: int, *, exact: bool) -> tuple[int, int] | None:
    while start < end and text[start].isspace():
        start += 1
    found = (_EXACT_WORD if exact else _WORD).match(text, start, end)
    if found is None:
        return None
    return start, found.end() if exact else start + len(found[0].rstrip(".:!?"))


def _parameters(text: str, start: int, end: int) -> "Iterator[re.Match[str]]":
    """The parameters of a scheme such as Digest: `username="me", response="…"`."""
    while (found := _PARAMETER.match(text, start, end)) is not None:
        if found[2] is None and found[3].strip("=") == "":  # base64 that ends in `==`
            return
        yield found
        start = found.end()


def are_parameters(text: str, start: int) -> bool:
    """Whether the rest of a text consists of the parameters of a scheme."""
    parameters = list(_parameters(text, start, len(text)))
    return bool(parameters) and parameters[-1].end() == len(text.rstrip())


def _in_parameters(text: str, parameters: "list[re.Match[str]]", rule: str) -> Iterator[Span]:
    for found in parameters:
        group = 3 if found[2] is None else 2
        if found[1].lower() not in _KEPT_PARAMETERS and not is_filler(found[group]):
            spread = spreads(found[group], Naming.LIKELY)
            yield Span(*found.span(group), rule, spreads=spread, open=found.end(group) == len(text))


def cookies(
    text: str, start: int, end: int, *, exact: bool = False, eager: bool = False
) -> Iterator[Span]:
    """The values of cookies; their attributes and ordinary settings are kept."""
    pattern = _EXACT_COOKIE if exact else _COOKIE
    while (found := pattern.match(text, start, end)) is not None:
        following = text.find(";", found.end(), end)
        is_attribute = found[1].lower() in _ATTRIBUTES
        value = found[2]
        if value is None:
            if not is_attribute and looks_secret(found[1]):
                yield _cookie(text, *found.span(1))
        elif not is_attribute and (
            eager or is_credential(value.strip('"'), found[1], naming_of_cookie(found[1]))
        ):
            quote = value[:1] == '"' == value[-1:] and len(value) > 1
            if found.end(2) - found.start(2) > 2 * quote:
                yield _cookie(text, found.start(2) + quote, found.end(2) - quote)
        if following < 0 or (text[found.end() : following].strip() and not is_attribute):
            return
        start = following + 1


def _cookie(text: str, start: int, end: int) -> Span:
    spread = spreads(text[start:end], Naming.LIKELY)
    return Span(start, end, "cookie", spreads=spread, open=end == len(text))


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
            end = found.start(2) + len(value)
            spread = spreads(value, Naming.AUTHORIZATION)
            yield Span(found.start(2), end, "authorization", spreads=spread, open=end == len(text))
