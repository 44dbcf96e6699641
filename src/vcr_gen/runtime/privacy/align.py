"""Compares recorded values with live ones that have different secrets."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, final

from vcr_gen.runtime.codec.placeholders import PLACEHOLDER, REDACTED, is_placeholder
from vcr_gen.runtime.codec.scalars import bytes_from_plain
from vcr_gen.runtime.codec.tags import BASE64
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy.compressed import contents
from vcr_gen.runtime.privacy.finder import Finder
from vcr_gen.runtime.privacy.heuristics import is_distinctive
from vcr_gen.runtime.privacy.key_formats import ENCODED, decoded
from vcr_gen.runtime.privacy.spans import secret_in
from vcr_gen.runtime.privacy.structure import NOTHING, Context, in_dict, in_list
from vcr_gen.runtime.privacy.vault import Vault

_MARK: Final = "<redacted"
_NOT_SHOWN: Final = "<not shown>"
_UNNAMED: Final = re.compile(r"[\w.~+@!$%^*-]+={0,2}")
"""A possible secret without a name: a run without separators such as `&` or `/`."""


class _Live(NamedTuple):
    """A live text with its secrets."""

    text: str
    secrets: dict[int, tuple[int, str]]
    """By start position: the end, and the secret without escapes."""
    hidden: int
    """How many of them already have a placeholder."""


@final
class Aligner:
    """Decides whether a live value equals the recorded one except for its secrets."""

    def __init__(self, finder: Finder, vault: Vault) -> None:
        self._finder = finder
        self._vault = vault

    def align(self, recorded: Plain, actual: Plain, context: Context = NOTHING) -> Plain:
        """The live value, with recorded parts wherever only secrets differ; both are redacted.

        New pairs of secrets are kept when the vault settles, and dropped when it retracts.
        """
        if isinstance(recorded, str) and isinstance(actual, str):
            return actual if recorded == actual else self._text(recorded, actual, context)
        if isinstance(recorded, list) and isinstance(actual, list):
            self._learn(recorded, context)
            contexts = self._in_list(actual, context)
            shared = [self.align(*items) for items in zip(recorded, actual, contexts, strict=False)]
            return [*shared, *actual[len(recorded) :]]
        if isinstance(recorded, dict) and isinstance(actual, dict):
            if set(recorded) == set(actual) == {BASE64}:
                old, new = _bytes_text(recorded), _bytes_text(actual)
                if _MARK in (inside := contents(old)):
                    old, new = inside, contents(new)
                return recorded if self._text(old, new, context) == old else actual
            return self._dicts(recorded, actual, context)
        return actual

    def _in_list(self, value: list[Plain], context: Context) -> Iterator[Context]:
        return in_list(value, context, self._finder.naming, by_names=self._finder.by_names)

    def _learn(self, recorded: list[Plain], context: Context) -> None:
        """Remember the secrets of a list that was recorded without redaction.

        A message shows its items separately, where nothing identifies them as secrets.
        """
        for item, inner in zip(recorded, self._in_list(recorded, context), strict=True):
            if isinstance(item, str) and (inner.spans or inner.naming is not context.naming):
                for span in self._finder.find(item, inner):
                    self._vault.look_for(secret_in(item, span))

    def _dicts(
        self, recorded: dict[str, Plain], actual: dict[str, Plain], context: Context
    ) -> Plain:
        aligned: dict[str, Plain] = {}
        spare = [key for key in recorded if key not in actual and _MARK in key]
        for key, item in actual.items():
            name = key
            if key not in recorded:
                fitting = (old for old in spare if self._text(old, key, NOTHING) == old)
                name = next(fitting, key)
                if name != key:
                    spare.remove(name)
            if name in recorded:
                inner = in_dict(actual, key, context, self._finder.naming)
                aligned[name] = self.align(recorded[name], item, inner)
            else:
                aligned[name] = item
        return aligned

    def _text(self, recorded: str, actual: str, context: Context) -> str:
        """The recorded text, if the live text differs only in its secrets."""
        is_plain = _MARK not in recorded and _MARK not in actual
        if is_plain and not (ENCODED.search(recorded) and ENCODED.search(actual)):
            return actual
        old = _opened(recorded)
        live = self._revealed(_opened(actual), context)
        if live.text == old or self._fits(old, live):
            return recorded
        is_whole = is_placeholder(recorded) and _MARK not in actual
        is_in_parts = any(found[3] for found in PLACEHOLDER.finditer(recorded))
        return _NOT_SHOWN if is_whole or is_in_parts else actual  # it may be a secret

    def _revealed(self, text: str, context: Context) -> "_Live":
        """The live text with its secrets and their positions, including secrets found by name."""
        spans = [
            *(
                (found.start(), found.end(), secret, True)
                for found in PLACEHOLDER.finditer(text)
                if (secret := self._vault.reveal(found[0])) is not None
            ),
            *(
                (span.start, span.end, secret_in(text, span), False)
                for span in self._finder.find(text, context, eager=True)
            ),
        ]
        pieces: list[str] = []
        secrets: dict[int, tuple[int, str]] = {}
        position = length = hidden = 0
        for start, end, secret, is_hidden in sorted(spans):
            pieces += (text[position:start], secret if is_hidden else text[start:end])
            length += start - position
            secrets[length] = (length + len(pieces[-1]), secret)
            length += len(pieces[-1])
            position = end
            hidden += is_hidden
        return _Live("".join((*pieces, text[position:])), secrets, hidden)

    def _fits(self, recorded: str, live: "_Live") -> bool:
        raw = live.text
        if is_placeholder(recorded) and "#" not in recorded:
            is_whole = live.secrets.get(0, (0, ""))[0] == len(raw)
            if live.hidden and not is_whole:
                return False
            return (is_whole or len(raw.split()) == 1) and self._same(recorded, raw)
        position = cursor = 0
        for found in PLACEHOLDER.finditer(recorded):
            literal = recorded[cursor : found.start()]
            if not raw.startswith(literal, position):
                return False
            position += len(literal)
            cursor = found.end()
            if "#" in found[0]:  # a truncated secret: anything up to the next part
                end = _end_of_part(recorded, cursor, raw, position)
            else:
                end = self._end_of(found[0], live, position)
                if end < 0:
                    end = self._end_of_word(found[0], raw, position, recorded[cursor:])
            if end < 0:
                return False
            position = end
        return raw[position:] == recorded[cursor:]

    def _end_of(self, placeholder: str, live: "_Live", position: int) -> int:
        """The end of a placeholder's secret in the live text; -1 if there is none."""
        if live.text.startswith(placeholder, position):
            return position + len(placeholder)
        end, secret = live.secrets.get(position, (-1, ""))
        if end > position and self._same(placeholder, secret):
            return end
        bound = self._vault.reveal(placeholder)
        if bound is not None and live.text.startswith(bound, position):
            return position + len(bound)
        return -1

    def _end_of_word(self, placeholder: str, raw: str, position: int, after: str) -> int:
        """The end of a word that only later events identify as a secret; -1 if there is none."""
        following = PLACEHOLDER.split(after, maxsplit=1)[0]
        end = raw.find(following, position) if following else len(raw)
        word = raw[position:end]
        if end < 0 or _UNNAMED.fullmatch(word) is None or not is_distinctive(word):
            return -1
        return end if self._same(placeholder, word) else -1

    def _same(self, placeholder: str, secret: str) -> bool:
        if placeholder in (REDACTED, secret):
            return True
        return not is_placeholder(secret) and self._vault.agree(placeholder, secret)


def _end_of_part(recorded: str, cursor: int, raw: str, position: int) -> int:
    following = PLACEHOLDER.search(recorded, cursor)
    literal = recorded[cursor : following.start() if following else len(recorded)]
    return raw.find(literal, position) if literal else len(raw)


def _opened(text: str) -> str:
    """The text with base64 decoded where it contains placeholders."""

    def opened(found: "re.Match[str]") -> str:
        inner = decoded(found[0])
        inner = None if inner is None else contents(inner)
        return f"\x02{inner}\x03" if inner is not None and _MARK in inner else found[0]

    return ENCODED.sub(opened, text) if len(text) >= 24 else text


def _bytes_text(plain: Plain) -> str:
    return bytes_from_plain(plain, expected="bytes").decode("latin-1")
