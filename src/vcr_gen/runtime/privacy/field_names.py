"""Recognises names of credentials: fields, keys, headers, parameters, options, variables."""

import re
from enum import Enum
from functools import lru_cache
from typing import Final

__all__ = ["Naming", "name_of_result", "naming_of", "rule_of"]


class Naming(Enum):
    """What a name says about its value."""

    HARMLESS = "harmless"
    WEAK = "weak"
    """A credential if it looks like one: `token` may also be a word of a language model."""
    LIKELY = "likely"
    """A credential unless it is clearly ordinary: `pass` may also be a number of tests."""
    STRONG = "strong"
    """A credential, whatever it looks like."""
    AUTHORIZATION = "authorization"
    """A credential after the word for its scheme: `Bearer …`."""
    COOKIE = "cookie"
    """Several, each after a name: `session=…; theme=…`."""


_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_PASSWORDS: Final = frozenset(
    {"password", "passwd", "passphrase", "passcode", "passwort", "pwd", "secret", "cvv", "cvc"}
)
_PASSWORD_ENDINGS: Final = ("password", "passwd", "passphrase", "pwd")
"""Endings of one-word names of passwords: `PGPASSWORD`, `userpwd`."""
_LIKELY: Final = frozenset({"pass", "pw"})
_NO_PASSWORDS: Final = frozenset(
    {"bypass", "compass", "encompass", "overpass", "oldpwd", "surpass", "trespass", "underpass"}
)
_NO_PASS: Final = frozenset(
    {"all", "band", "boarding", "by", "day", "did", "event", "first", "high", "last", "low"}
    | {"must", "one", "per", "second", "season", "ski", "test", "tests", "two", "will"}
)
"""Words before `pass` that do not mean a password: `boarding_pass`, `first_pass`."""
_NO_KEYS: Final = frozenset(
    {"answer", "cache", "column", "composite", "config", "count", "data", "default", "dedup"}
    | {"foreign", "group", "hash", "idempotency", "index", "item", "lock", "message", "object"}
    | {"partition", "primary", "public", "range", "record", "redis", "registry", "row", "sort"}
)
"""Words before `KEY` in variables that are not credentials."""
_PLURALS: Final = {"passwords": "password", "secrets": "secret", "keys": "key", "tokens": "token"}
_KEYS: Final = frozenset(
    {
        "access",
        "account",
        "admin",
        "api",
        "app",
        "application",
        "auth",
        "client",
        "consumer",
        "encryption",
        "functions",
        "hmac",
        "license",
        "master",
        "private",
        "secret",
        "service",
        "shared",
        "signing",
        "ssh",
        "storage",
        "subscription",
        "webhook",
    }
)
"""Words before `key` in names of credentials: `api_key`, but not `primary_key`."""
_TOKENS: Final = frozenset(
    {
        "access",
        "api",
        "app",
        "auth",
        "authentication",
        "authorization",
        "bearer",
        "bot",
        "client",
        "csrf",
        "csrfmiddleware",
        "deploy",
        "github",
        "gitlab",
        "hf",
        "id",
        "identity",
        "jwt",
        "login",
        "npm",
        "oauth",
        "personal",
        "private",
        "pypi",
        "refresh",
        "registration",
        "reset",
        "secret",
        "security",
        "service",
        "session",
        "slack",
        "subscription",
        "user",
        "vault",
        "verification",
        "webhook",
        "xsrf",
    }
)
"""Words before `token` in names of credentials: `access_token`, but not `page_token`."""
_HARMLESS_TOKENS: Final = frozenset(
    {
        "bos",
        "cancellation",
        "continuation",
        "cursor",
        "end",
        "eos",
        "first",
        "last",
        "mask",
        "next",
        "pad",
        "page",
        "pagination",
        "per",
        "previous",
        "resume",
        "sep",
        "special",
        "start",
        "stop",
        "sync",
        "unk",
    }
)
_WEAK: Final = frozenset(
    {"token", "auth", "credential", "credentials", "otp", "jwt", "apikeys", "sessionid"}
)
_WHOLE: Final = frozenset(
    {
        "apikey",
        "authtoken",
        "accesskey",
        "accesstoken",
        "secretkey",
        "privatekey",
        "jsessionid",
        "phpsessid",
        "sessid",
        "sharedaccesssignature",
        "secretkeybase",
    }
)
"""Names that are written in one word."""
_QUESTIONS: Final = frozenset(
    {"allow", "has", "hide", "is", "needs", "require", "requires", "show"}
)
"""First words of boolean names: `has_password`."""
_GETTERS: Final = frozenset({"fetch", "get", "issue", "load", "obtain", "read"})
_IN_QUERIES: Final = frozenset({"sig", "signature", "hmac"})
_WEAK_IN_QUERIES: Final = frozenset({"key", "code", "session", "sid", "ticket", "assertion"})


@lru_cache(maxsize=4096)
def naming_of(name: str, *, in_query: bool = False) -> Naming:
    """Judge a value by its name; in a URL query or form, a few more names mean credentials."""
    if len(name) > 100:
        return Naming.HARMLESS
    words = [word.lower() for word in _PARTS.findall(name)]
    if not words or words[0] in _QUESTIONS:
        return Naming.HARMLESS
    last = _PLURALS.get(words[-1], words[-1])
    before = words[-2] if len(words) > 1 else ""
    if last == "authorization":
        return Naming.AUTHORIZATION
    if last in ("cookie", "cookies") and before in ("", "set", "http", "raw"):
        return Naming.COOKIE
    if (said := _password(words, last, in_query=in_query)) is not None:
        return said
    if last == "key":
        return _key(name, words, in_query=in_query)
    if last.endswith("token"):
        said = _token(before if last == "token" else last[:-5], plural=words[-1] == "tokens")
        if said is Naming.WEAK and in_query:
            return Naming.LIKELY
        is_header = words[0] == "x" and "-" in name
        return Naming.STRONG if said is Naming.WEAK and is_header else said
    if in_query and last in ("auth", "jwt"):
        return Naming.LIKELY
    if last == "signature" and before in ("amz", "goog"):
        return Naming.STRONG
    if last == "credential" and before in ("amz", "goog"):
        return Naming.STRONG
    if in_query and last in _IN_QUERIES:
        return Naming.STRONG
    if last in _WEAK or "".join(words) in _WEAK or (in_query and last in _WEAK_IN_QUERIES):
        return Naming.WEAK
    return Naming.HARMLESS


def _password(words: list[str], last: str, *, in_query: bool) -> Naming | None:
    """Judge a name of a password or secret; None for other names."""
    before = words[-2] if len(words) > 1 else ""
    if last in _NO_PASSWORDS:
        return None
    if last in _PASSWORDS or last in _WHOLE or "".join(words) in _WHOLE:
        return Naming.STRONG
    if last.endswith(_PASSWORD_ENDINGS):
        return Naming.STRONG
    if (last in _LIKELY or last.endswith("pass")) and before not in _NO_PASS:
        is_bare = last in _LIKELY and not before  # `pass` may count the tests that passed
        return Naming.LIKELY if is_bare and not in_query else Naming.STRONG
    return None


def _key(name: str, words: list[str], *, in_query: bool) -> Naming:
    before = words[-2] if len(words) > 1 else ""
    if words[-1] == "key" and before in _KEYS:
        return Naming.STRONG
    if before and name.isupper() and before not in _NO_KEYS:  # `STRIPE_KEY` of an environment
        return Naming.WEAK
    return Naming.WEAK if in_query and not before else Naming.HARMLESS


def _token(before: str, *, plural: bool) -> Naming:
    if plural or before in _HARMLESS_TOKENS:  # `max_tokens`, `next_page_token`
        return Naming.HARMLESS
    return Naming.STRONG if before in _TOKENS else Naming.WEAK


@lru_cache(maxsize=1024)
def name_of_result(of: str) -> str:
    """The name of a method's result: `api_key` for `Vault.get_api_key`, usually empty.

    Most such methods do something (`check_password`) rather than return a credential.
    """
    words = _PARTS.findall(of.rpartition(".")[2])
    name = "_".join(words[1:] if words and words[0].lower() in _GETTERS else words)
    first = words[0].lower() if words else ""
    if name.count("_") > 1 or (len(words) > 1 and first not in _GETTERS | _KEYS | _TOKENS):
        return ""
    return name


@lru_cache(maxsize=1024)
def rule_of(name: str) -> str:
    """The rule of a named credential: `x-api-key`, `client-secret`."""
    return "-".join(word.lower() for word in _PARTS.findall(name))[:40] or "secret"
