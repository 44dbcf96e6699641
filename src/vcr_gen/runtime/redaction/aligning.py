"""Compares recorded values with live ones whose secrets are others."""

import re
from typing import Final, final

from vcr_gen.runtime.codec.scalars import BASE64, bytes_from_plain
from vcr_gen.runtime.placeholders import PLACEHOLDER, REDACTED, is_placeholder
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.redaction.finding import ENCODED, Finder, decoded
from vcr_gen.runtime.redaction.redactor import same_secret
from vcr_gen.runtime.redaction.vault import Vault, is_distinctive

__all__ = ["Aligner"]

_MARK: Final = "<redacted"
_NOT_SHOWN: Final = "<not shown>"


@final
class Aligner:
    """Finds out whether a live value is the recorded one but for its secrets."""

    def __init__(self, finder: Finder, vault: Vault) -> None:
        self._finder = finder
        self._vault = vault

    def align(self, recorded: Plain, actual: Plain) -> Plain:
        """The live value, as recorded wherever only the secrets are others; both redacted.

        What is taken for the same is so for good once the vault settles, and is forgotten if it
        retracts.
        """
        if isinstance(recorded, str) and isinstance(actual, str):
            return actual if recorded == actual else self._text(recorded, actual)
        if isinstance(recorded, list) and isinstance(actual, list):
            shared = [self.align(old, new) for old, new in zip(recorded, actual, strict=False)]
            return [*shared, *actual[len(recorded) :]]
        if isinstance(recorded, dict) and isinstance(actual, dict):
            if set(recorded) == set(actual) == {BASE64}:
                old, new = _bytes_text(recorded), _bytes_text(actual)
                return recorded if self._text(old, new) == old else actual
            return self._dicts(recorded, actual)
        return actual

    def _dicts(self, recorded: dict[str, Plain], actual: dict[str, Plain]) -> Plain:
        aligned: dict[str, Plain] = {}
        spare = [key for key in recorded if key not in actual and _MARK in key]
        for key, item in actual.items():
            name = key
            if key not in recorded:
                name = next((old for old in spare if self._text(old, key) == old), key)
                if name != key:
                    spare.remove(name)
            aligned[name] = self.align(recorded[name], item) if name in recorded else item
        return aligned

    def _text(self, recorded: str, actual: str) -> str:
        """The recorded text, if the live one is the same but for its secrets."""
        if _MARK not in recorded and _MARK not in actual and not _may_be_encoded(recorded, actual):
            return actual
        old, new = _opened(recorded), _opened(actual)
        raw, hidden = self._revealed(new)
        if raw == old or self._fits(old, raw, hidden):
            return recorded
        if is_placeholder(recorded) and _MARK not in actual:
            return _NOT_SHOWN  # it stands where a secret belongs
        return _masked(recorded, actual)

    def _revealed(self, text: str) -> tuple[str, dict[int, int]]:
        """The live text with its secrets, and where they stand."""
        pieces: list[str] = []
        spans: dict[int, int] = {}
        position = length = 0
        for found in PLACEHOLDER.finditer(text):
            secret = self._vault.reveal(found[0])
            before = text[position : found.start()]
            length += len(before)
            if secret is not None:
                spans[length] = length + len(secret)
            pieces += (before, found[0] if secret is None else secret)
            length += len(pieces[-1])
            position = found.end()
        return "".join((*pieces, text[position:])), spans

    def _fits(self, recorded: str, raw: str, hidden: dict[int, int]) -> bool:
        if is_placeholder(recorded) and "#" not in recorded:
            if hidden:
                return hidden == {0: len(raw)} and self._same(recorded, raw)
            return _is_one_word(raw) and self._same(recorded, raw)
        spans = {span.start: span.end for span in self._finder.find(raw, eager=True)} | hidden
        position = cursor = 0
        for found in PLACEHOLDER.finditer(recorded):
            literal = recorded[cursor : found.start()]
            if not raw.startswith(literal, position):
                return False
            position += len(literal)
            cursor = found.end()
            if "#" in found[0]:  # a part of one that was cut: anything, up to what follows
                end = _end_of_part(recorded, cursor, raw, position)
            else:
                end = self._end_of(found[0], raw, position, spans)
                if end < 0:
                    end = self._end_of_word(found[0], raw, position, recorded[cursor:])
            if end < 0:
                return False
            position = end
        return raw[position:] == recorded[cursor:]

    def _end_of(
        self,
        placeholder: str,
        raw: str,
        position: int,
        spans: dict[int, int],
    ) -> int:
        """Where in the live text the secret ends that a placeholder stands for; -1 if nowhere."""
        if raw.startswith(placeholder, position):
            return position + len(placeholder)
        bound = self._vault.reveal(placeholder)
        if bound is not None and raw.startswith(bound, position):
            return position + len(bound)
        end = spans.get(position, -1)
        return end if end > 0 and self._same(placeholder, raw[position:end]) else -1

    def _end_of_word(self, placeholder: str, raw: str, position: int, after: str) -> int:
        """The same where only later events tell that the word there is a secret; -1 if none."""
        following = PLACEHOLDER.split(after, maxsplit=1)[0]
        end = raw.find(following, position) if following else len(raw)
        word = raw[position:end]
        if end < 0 or not _is_one_word(word) or not is_distinctive(word):
            return -1
        return end if self._same(placeholder, word) else -1

    def _same(self, placeholder: str, secret: str) -> bool:
        if placeholder in (REDACTED, secret):
            return True
        return not is_placeholder(secret) and self._vault.agree(placeholder, same_secret(secret))


def _is_one_word(text: str) -> bool:
    return len(text.split()) == 1


def _end_of_part(recorded: str, cursor: int, raw: str, position: int) -> int:
    following = PLACEHOLDER.search(recorded, cursor)
    literal = recorded[cursor : following.start() if following else len(recorded)]
    return raw.find(literal, position) if literal else len(raw)


def _may_be_encoded(recorded: str, actual: str) -> bool:
    return ENCODED.search(recorded) is not None and ENCODED.search(actual) is not None


def _masked(recorded: str, actual: str) -> str:
    """The live text for a message: where a part of a secret was recorded, one may stand here."""
    return (
        _NOT_SHOWN
        if "#" in recorded and any(f[3] for f in PLACEHOLDER.finditer(recorded))
        else actual
    )


def _opened(text: str) -> str:
    """The text with the base64 opened that holds placeholders."""

    def opened(found: "re.Match[str]") -> str:
        inner = decoded(found[0])
        return f"\x02{inner}\x03" if inner is not None and _MARK in inner else found[0]

    return ENCODED.sub(opened, text) if len(text) >= 24 else text


def _bytes_text(plain: Plain) -> str:
    return bytes_from_plain(plain, expected="bytes").decode("latin-1")
