"""What a value that may be a credential looks like."""

import re
from typing import Final

__all__ = ["is_filler", "looks_secret", "may_be_code"]

_TOKEN: Final = re.compile(r"[A-Za-z0-9_.~+/=:%-]{16,4096}")
_FILLER: Final = re.compile(
    r"\s*(?:\$\{?\w+\}?|\$?\{\{?[^{}]*\}?\}|%\(?\w*\)?s|\.{2,}|…|-+|<[^<>]*>|\[[^\[\]]*\]"
    r"|null|nil|none|true|false|undefined|not set|unset|redacted|masked|hidden)?\s*",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"[A-Za-z_][A-Za-z_.]*")


def looks_secret(value: str) -> bool:
    """Whether a value is long and mixed enough to be a key, and not a word or a number."""
    if not _TOKEN.fullmatch(value):
        return False
    letters = any(char.isalpha() for char in value)
    digits = any(char.isdigit() for char in value)
    return letters and (digits or (len(value) >= 20 and value != value.lower() != value.upper()))


def is_filler(value: str) -> bool:
    """Whether something only stands for a secret: `${TOKEN}`, `null`, nothing."""
    return len(value) <= 200 and _FILLER.fullmatch(value) is not None


def may_be_code(value: str) -> bool:
    """Whether an unquoted value may be the name of something: `api_key=settings.key`."""
    return _CODE.fullmatch(value) is not None
