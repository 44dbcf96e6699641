"""Whether a value under the name of a credential is one, and whether it is one everywhere."""

import re
from typing import Final

from vcr_gen.runtime.privacy.field_names import Naming, rule_of
from vcr_gen.runtime.privacy.heuristics import (
    is_distinctive,
    is_filler,
    is_identifier,
    is_ordinary,
    is_sentence,
    looks_secret,
)

__all__ = ["is_credential", "naming_of_cookie", "spreads"]

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
        # A `session_id` is a credential of browsers, and elsewhere names a conversation.
        is_mixed = value != value.lower() and value != value.upper()
        return _SESSION.search(rule_of(name)) is None or (is_mixed and not is_identifier(value))
    if naming is Naming.LIKELY and is_ordinary(value):
        return False
    word = rule_of(name).rpartition("-")[2]
    if word == "pwd" and is_ordinary(value) and "/" in value:  # the working directory of a shell
        return False
    is_label = value in (word, word.capitalize())  # `"password": "Password"`
    return not is_label and not is_sentence(value)


def naming_of_cookie(name: str) -> Naming:
    """What the name of a cookie says: most cookies are credentials, some are settings."""
    return Naming.STRONG if _COOKIE_NAMES.search(name) is not None else Naming.LIKELY


def spreads(value: str, naming: Naming) -> bool:
    """Whether a credential is one wherever else it stands, so that it is looked for everywhere."""
    if is_ordinary(value):
        return False
    if naming in (Naming.STRONG, Naming.AUTHORIZATION):
        return is_distinctive(value)
    return looks_secret(value) and not is_identifier(value)
