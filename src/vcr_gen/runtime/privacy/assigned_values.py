"""The values of assignments: quoted ones with escapes, and unquoted ones."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, final

from vcr_gen.runtime.privacy.heuristics import is_credential_word, may_be_code

__all__ = ["BARE", "LONGEST", "Unquoted", "closing", "quote_before", "unescaped"]


LONGEST: Final = 8192
"""The maximum length of a value whose end is searched."""
_QUOTE_BEFORE: Final = re.compile(r"\\{0,16}[\"']\Z")
_ESCAPED: Final = re.compile(r"\\+([\\\"'/])")


def quote_before(text: str, start: int) -> str:
    """The quote, with its escapes, directly before a position; empty if there is none."""
    found = _QUOTE_BEFORE.search(text, max(0, start - 17), start)
    return found[0] if found else ""


def unescaped(value: str) -> str | None:
    """A quoted value without its escapes; None if it has none."""
    if "\\" not in value:
        return None
    return _ESCAPED.sub(r"\1", value)


def closing(text: str, start: int, quote: str) -> int:
    """The end of a quoted value, which may contain deeper escapes; -1 if it is not found."""
    depth = len(quote) - 1
    position = start
    limit = min(len(text), start + LONGEST)
    while (found := text.find(quote[-1], position, limit)) >= 0:
        slashes = 0
        while found - slashes > start and text[found - slashes - 1] == "\\":
            slashes += 1
        if slashes <= depth or (depth == 0 and slashes % 2 == 0):
            return found - min(slashes, depth)
        position = found + 1
    return -1


BARE: Final = re.compile(r"[^\s\"'`,;&<>(){}\[\]\\]{1,4096}")
_VARIABLE: Final = re.compile(r"[^\s\"'`;&<>(){}\[\]\\|]{1,4096}")
_SETTING: Final = re.compile(r"[ \t]*(?:[#;!].*|\[[^\]]*\]|(?:export |set |- )?[\w.$-]+\s*[:=].*)?")
_CONNECTION: Final = re.compile(
    r"(?i)(?<![\w.])(?:host|server|data source|dbname|database|initial catalog|user id|uid)="
)
_NO_VALUES: Final = frozenset(
    {"any", "bool", "boolean", "bytes", "change", "changed", "empty", "expired", "forbidden"}
    | {
        "ignored",
        "incorrect",
        "int",
        "integer",
        "invalid",
        "missing",
        "number",
        "object",
        "optional",
    }
    | {"password", "required", "reset", "secret", "str", "string", "text", "token", "wrong"}
    | {"yes"}
)
"""Words that follow the name of a password in documentation, messages and source code."""


@final
@dataclass(frozen=True)
class Unquoted:
    """Distinguishes unquoted values from words of prose and source code."""

    text: str

    @cached_property
    def _is_settings(self) -> bool:
        """Whether every line is an assignment, as in a settings file."""
        return len(self.text) <= LONGEST and all(map(_SETTING.fullmatch, self.text.splitlines()))

    @cached_property
    def _is_connection(self) -> bool:
        return _CONNECTION.search(self.text) is not None

    def is_certain(self, start: int, name: str, separator: str) -> bool:
        """Whether the context proves that a value follows: an option, a variable, a header, …"""
        before = self.text[start - 1 : start]
        if separator == "=":
            is_connection = before == ";" or self._is_connection
            return is_connection or name.isupper() or name.startswith("--")
        is_header = before in ("", "\n", '"', "'") and "-" in name.strip("-")
        return separator == ":" and is_header

    def value(self, start: int, name: str, *, certain: bool) -> str:
        """The value at a position; empty if there is none."""
        found = (_VARIABLE if certain and name.isupper() else BARE).match(self.text, start)
        if found is None:
            return ""
        return found[0] if certain else found[0].rstrip(".:!?")

    def is_value(self, start: int, value: str, name: str) -> bool:
        """Whether a word after the name of a password is a value, not prose or code."""
        text, end = self.text, start + len(value)
        if text[end : end + 1] in ("(", "["):
            return False
        if not may_be_code(value) and is_credential_word(value):
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
