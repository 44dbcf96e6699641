"""Recognises names of credentials: fields, keys, headers, parameters, options, variables."""

import re
from enum import Enum
from functools import lru_cache
from typing import Final


def words(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


class Naming(Enum):
    """What a name says about its value."""

    HARMLESS = "harmless"
    WEAK = "weak"
    """A credential if it looks like one: `token` may also be a word of a language model."""
    LIKELY = "likely"
    """A credential unless it is clearly ordinary: `pass` may also be a number of tests."""
    STRONG = "strong"
    """A credential, even if its value does not look like one."""
    AUTHORIZATION = "authorization"
    """A credential after the word for its scheme: `Bearer …`."""
    COOKIE = "cookie"
    """Several, each after a name: `session=…; theme=…`."""


_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_PASSWORDS: Final = words("password passwd passphrase passcode passwort pwd secret cvv cvc")
_PASSWORD_ENDINGS: Final = ("password", "passwd", "passphrase", "pwd")
"""Endings of one-word names of passwords: `PGPASSWORD`, `userpwd`."""
_NO_PASSWORDS: Final = words("bypass compass encompass overpass oldpwd surpass trespass underpass")
_NO_PASS: Final = words(
    "all band boarding by day did event first high last low must one per second season ski test "
    "tests two will"
)
"""Words before `pass` that do not mean a password: `boarding_pass`, `first_pass`."""
_KEYS: Final = words(
    "access account admin api app application auth client consumer encryption functions hmac "
    "license master private secret service shared signing ssh storage subscription webhook"
)
"""Words before `key` in names of credentials: `api_key`, but not `primary_key`."""
_NO_KEYS: Final = words(
    "answer cache column composite config count data default dedup foreign group hash idempotency "
    "index item lock message object partition primary public range record redis registry row "
    "sort"
)
"""Words before `KEY` in variables that are not credentials."""
_TOKENS: Final = words(
    "access api app auth authentication authorization bearer bot client csrf csrfmiddleware deploy "
    "github gitlab hf id identity jwt login npm oauth personal private pypi refresh registration "
    "reset secret security service session slack subscription user vault verification webhook "
    "xsrf"
)
"""Words before `token` in names of credentials: `access_token`, but not `page_token`."""
_HARMLESS_TOKENS: Final = words(
    "bos cancellation continuation cursor end eos first last mask next pad page pagination per "
    "previous resume sep special start stop sync unk"
)
_WEAK: Final = words("token auth credential credentials otp jwt apikeys sessionid")
_ONE_WORD: Final = words(
    "apikey authtoken accesskey accesstoken secretkey privatekey jsessionid phpsessid sessid "
    "sharedaccesssignature secretkeybase"
)
"""Names that are written in one word."""
_PLURALS: Final = {"passwords": "password", "secrets": "secret", "keys": "key", "tokens": "token"}
_QUESTIONS: Final = words("allow has hide is needs require requires show")
"""First words of boolean names: `has_password`."""
_GETTERS: Final = words("fetch get issue load obtain read")
_WEAK_IN_QUERIES: Final = words("key code session sid ticket assertion")


@lru_cache(maxsize=4096)
def naming_of(name: str, *, in_query: bool = False) -> Naming:
    """Judge a value by its name; in a URL query or form, a few more names mean credentials."""
    parts = [part.lower() for part in _PARTS.findall(name)] if len(name) <= 100 else []
    if not parts or parts[0] in _QUESTIONS:
        return Naming.HARMLESS
    last = _PLURALS.get(parts[-1], parts[-1])
    before = parts[-2] if len(parts) > 1 else ""
    whole = "".join(parts)
    if last == "authorization":
        return Naming.AUTHORIZATION
    if last in ("cookie", "cookies") and before in ("", "set", "http", "raw"):
        return Naming.COOKIE
    if last in _NO_PASSWORDS:
        return Naming.HARMLESS
    if last in _PASSWORDS or last.endswith(_PASSWORD_ENDINGS) or {last, whole} & _ONE_WORD:
        return Naming.STRONG
    if last == "pw" or last.endswith("pass"):
        if before in _NO_PASS:
            return Naming.HARMLESS
        is_bare = whole in ("pass", "pw")  # it may count the tests that passed
        return Naming.LIKELY if is_bare and not in_query else Naming.STRONG
    if last == "key":
        return _key(name, parts[-1], before, in_query=in_query)
    if last.endswith("token"):
        is_header = parts[0] == "x" and "-" in name
        kind = before if last == "token" else last.removesuffix("token")
        if parts[-1] == "tokens" or kind in _HARMLESS_TOKENS:  # `max_tokens`, `next_page_token`
            return Naming.HARMLESS
        if kind in _TOKENS or (is_header and not in_query):
            return Naming.STRONG
        return Naming.LIKELY if in_query else Naming.WEAK
    if last in ("signature", "credential") and before in ("amz", "goog"):
        return Naming.STRONG
    if in_query and last in ("sig", "signature", "hmac"):
        return Naming.STRONG
    if in_query and last in ("auth", "jwt"):
        return Naming.LIKELY
    if last in _WEAK or whole in _WEAK or (in_query and last in _WEAK_IN_QUERIES):
        return Naming.WEAK
    return Naming.HARMLESS


def _key(name: str, word: str, before: str, *, in_query: bool) -> Naming:
    if word == "key" and before in _KEYS:
        return Naming.STRONG
    if before and name.isupper() and before not in _NO_KEYS:  # `STRIPE_KEY` of an environment
        return Naming.WEAK
    return Naming.WEAK if in_query and not before else Naming.HARMLESS


@lru_cache(maxsize=1024)
def name_of_result(of: str) -> str:
    """The name of a method's result: `api_key` for `Vault.get_api_key`, usually empty.

    Most such methods do something (`check_password`) rather than return a credential.
    """
    parts = _PARTS.findall(of.rpartition(".")[2])
    first = parts[0].lower() if parts else ""
    name = "_".join(parts[1:] if first in _GETTERS else parts)
    if name.count("_") > 1 or (len(parts) > 1 and first not in _GETTERS | _KEYS | _TOKENS):
        return ""
    return name


@lru_cache(maxsize=1024)
def rule_of(name: str) -> str:
    """The rule of a named credential: `x-api-key`, `client-secret`."""
    return "-".join(part.lower() for part in _PARTS.findall(name))[:40] or "secret"
