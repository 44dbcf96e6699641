"""Removes secrets from values in their stored form."""

import base64
import json
import re
from collections.abc import Iterable
from operator import is_
from typing import Final, final

from vcr_gen.runtime.codec.placeholders import ANY_SPELLING, joined
from vcr_gen.runtime.codec.scalars import (
    BIG_INT,
    ESCAPED,
    bytes_from_plain,
    bytes_to_plain,
    str_from_plain,
    str_to_plain,
)
from vcr_gen.runtime.codec.tags import BASE64, STRUCTURAL
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy.compressed import contents, opened
from vcr_gen.runtime.privacy.credential_names import Naming, rule_of
from vcr_gen.runtime.privacy.finder import LONG_KEY, SMALL_NUMBER, Finder
from vcr_gen.runtime.privacy.key_formats import decoded
from vcr_gen.runtime.privacy.redaction import BASE64 as BASE64_RULE
from vcr_gen.runtime.privacy.redaction import COMPRESSED
from vcr_gen.runtime.privacy.spans import Span, secret_in
from vcr_gen.runtime.privacy.structure import (
    CONTENTS,
    NOTHING,
    TITLES,
    Context,
    in_dict,
    in_list,
)
from vcr_gen.runtime.privacy.unseen_texts import UnseenTexts
from vcr_gen.runtime.privacy.vault import Vault

_HARMLESS: Final = Naming.HARMLESS
_CONTAINERS: Final = (dict, list)
_TITLES: Final = frozenset(TITLES)
_MOST_KEYS: Final = 4096
_MOST_TEXTS: Final = 4096
_LONGEST_TEXT: Final = 512
"""How many texts, and how long ones, are remembered as searched."""
_WORTH_REMEMBERING: Final = 128
"""How much text takes longer to search than to remember."""
_BASIC: Final = re.compile(r"(?i)\bbasic(?:\s|%20|\+)+\Z")


@final
class Redactor:
    """Replaces the secrets of a session by their placeholders."""

    def __init__(self, finder: Finder, vault: Vault) -> None:
        self.finder = finder
        self.vault = vault
        self.unseen = UnseenTexts()
        self._naming = finder.naming
        self._harmless_keys: set[tuple[str, ...]] = set()
        """The keys of dicts that were checked, as they come again with each call."""
        self._clean: set[str] = set()
        """Texts that were searched and for which `stays` is true: headers come again."""
        self._redacted: dict[tuple[str, Context], str] = {}
        """The redacted forms of texts that need a search, by their context."""
        self._version = 0
        """The version of the vault that they were checked with."""
        self._looked_out_for: tuple[str, ...] = ()

    def look_out_for(self, needles: tuple[str, ...]) -> None:
        """Let `stays` be true of no value that contains one of these; each has a `$` or `/`."""
        self._looked_out_for = needles
        self._clean.clear()

    def redact(self, value: Plain, name: str = "") -> Plain:
        """The value without its secrets; the same object if it has none.

        `name` is its parameter, field or method.
        """
        if self.is_harmless(value, name):
            return value
        return self._walk(value, Context(name, self._naming(name)) if name else NOTHING)

    def is_harmless(self, value: Plain, name: str = "") -> bool:
        """Whether a value contains no secret. A quick check; a positive answer is reliable.

        A single search of the joined texts replaces one search per text.
        """
        return self._has_none(value, name, ())

    def stays(self, value: Plain, name: str = "") -> bool:
        """Whether a value contains neither a secret nor a text to look out for, as above."""
        return self._has_none(value, name, self._looked_out_for)

    def _has_none(self, value: Plain, name: str, needles: tuple[str, ...]) -> bool:
        self._forget_if_outdated()
        texts: list[str] = []
        if name and self._naming(name) is not _HARMLESS:
            return False
        if not self._collect(value, texts):
            return False
        text = "\n".join(texts)
        if text and not self._seems_clean(text):
            return False
        for needle in needles:
            if needle in text:
                return False
        if len(text) >= _WORTH_REMEMBERING:
            self._remember_clean(texts)
        return True

    def _forget_if_outdated(self) -> None:
        """Forget what was checked before a harmless text may have become a secret."""
        if self._version != self.vault.version:
            self._version = self.vault.version
            self._harmless_keys.clear()
            self._clean.clear()
            self._redacted.clear()

    def _remember_clean(self, texts: Iterable[str]) -> None:
        if len(self._clean) >= _MOST_TEXTS:
            self._clean.clear()
        self._clean.update(
            text
            for text in texts
            if len(text) <= _LONGEST_TEXT
            and not any(needle in text for needle in self._looked_out_for)
        )

    def _collect(self, value: Plain, texts: list[str]) -> bool:
        """Collect the texts of a value that were not searched; whether its names are harmless."""
        clean = self._clean
        if type(value) is str:
            if value not in clean:
                texts.append(value)
        elif type(value) is dict:
            keys = tuple(value)
            if keys not in self._harmless_keys and not self._are_harmless(keys):
                return False
            for item in value.values():
                if type(item) is str:
                    if item not in clean:
                        texts.append(item)
                elif type(item) in _CONTAINERS and not self._collect(item, texts):
                    return False
        elif type(value) is list:
            for item in value:
                if type(item) is str:
                    if item[:1] == "-":  # an option of a command
                        return False
                    if item not in clean:
                        texts.append(item)
                elif type(item) in _CONTAINERS and not self._collect(item, texts):
                    return False
            first = value[0] if len(value) == 2 else None  # possibly a name and its value
            return type(first) is not str or self._naming(first) is _HARMLESS
        return True

    def _are_harmless(self, keys: tuple[str, ...]) -> bool:
        """Whether the keys of a dict are harmless: neither names of secrets nor secrets."""
        if not (CONTENTS.isdisjoint(keys) or _TITLES.isdisjoint(keys)):
            return False
        for key in keys:
            if "$" in key or "/" in key or self._naming(key) is not _HARMLESS:
                return False
            if len(key) >= LONG_KEY and not self._is_clean(key):
                return False
        if len(self._harmless_keys) >= _MOST_KEYS:
            self._harmless_keys.clear()
        self._harmless_keys.add(keys)
        return True

    def hide(self, rule: str, value: Plain) -> str:
        """The placeholder for a value that is a secret as a whole."""
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        if found := ANY_SPELLING.fullmatch(text):
            return _spelled(found)
        return self.vault.hide(rule, text, everywhere=isinstance(value, str))

    def _walk(self, value: Plain, context: Context) -> Plain:
        if isinstance(value, str):
            is_plain = context.naming is _HARMLESS and not context.spans
            return value if is_plain and self._is_clean(value) else self._text(value, context)
        if isinstance(value, dict):
            return self._dict(value, context)
        if isinstance(value, list):
            contexts = in_list(value, context, self._naming, by_names=self.finder.by_names)
            made = list(map(self._walk, value, contexts))
            return value if all(map(is_, value, made)) else made
        if type(value) is int and context.naming is Naming.STRONG and abs(value) >= SMALL_NUMBER:
            return self._number(value, context)
        return value

    def _number(self, number: int, context: Context) -> int:
        """The replacement of a numeric secret: a number."""
        self.vault.hide(rule_of(context.name), str(number))
        return 0

    def _is_clean(self, text: str) -> bool:
        """Whether a text, which may recur, contains no secret."""
        self._forget_if_outdated()
        if text in self._clean:
            return True
        is_clean = self._seems_clean(text)
        if is_clean:
            self._remember_clean((text,))
        return is_clean

    def _seems_clean(self, text: str) -> bool:
        """Whether a text certainly contains no secret. A quick, reliable check."""
        if self.finder.may_hold(text) or "edacted" in text:
            return False
        known = self.vault.known
        return not known or not any(secret in text for secret in known)

    def _dict(self, value: dict[str, Plain], context: Context) -> Plain:
        if len(value) == 1:
            ((tag, item),) = value.items()
            if tag == BASE64:
                data = bytes_from_plain(value, expected="bytes").decode("latin-1")
                shown = self.text(data, context)
                self.unseen.note(contents(shown), shown)
                return value if shown == data else bytes_to_plain(shown.encode("latin-1"))
            if tag == ESCAPED:
                data = str_from_plain(value, expected="str")
                shown = self.text(data, context)
                return value if shown == data else str_to_plain(shown)
            if tag == BIG_INT:
                is_secret = context.naming is Naming.STRONG
                return self._number(int(str(item)), context) if is_secret else value
        made: dict[str, Plain] = {}
        for key, item in value.items():
            shown = key if len(key) < LONG_KEY or self._is_clean(key) else self.text(key)
            if key in STRUCTURAL:
                made[shown] = item
            else:
                made[shown] = self._walk(item, in_dict(value, key, context, self._naming))
        is_same = made.keys() == value.keys() and all(map(is_, made.values(), value.values()))
        return value if is_same else made

    def _text(self, text: str, context: Context) -> str:
        """The same, remembered: the header with the key comes with each request."""
        self._forget_if_outdated()
        version = self._version
        made = self._redacted.get((text, context))
        if made is None:
            made = self.text(text, context)
            if self.vault.version == version and len(text) <= _LONGEST_TEXT:
                if len(self._redacted) >= _MOST_TEXTS:
                    self._redacted.clear()
                self._redacted[text, context] = made
        return made

    def text(self, text: str, context: Context = NOTHING) -> str:
        """A text without its secrets."""
        spans = self.finder.find(text, context, known=self.vault.known)
        is_named = context.naming is not _HARMLESS
        if not spans and is_named and self.vault.is_known(text):
            spans = [Span(0, len(text), "secret")]  # a known secret, here also found by name
        if spans:
            text = self.replaced(text, spans)
        return joined(ANY_SPELLING.sub(_spelled, text)) if "edacted" in text else text

    def replaced(self, text: str, spans: list[Span]) -> str:
        """The text with the spans replaced by placeholders."""
        pieces: list[str] = []
        position = 0
        for span in spans:
            pieces += (text[position : span.start], self.placeholder(text, span))
            position = span.end
        return "".join((*pieces, text[position:]))

    def placeholder(self, text: str, span: Span) -> str:
        """The placeholder of a secret; encoded if the secret is base64 or compressed."""
        secret = secret_in(text, span)
        if span.rule == COMPRESSED and (inside := opened(secret)) is not None:
            return inside.closed(self.text(inside.text))
        if span.rule == BASE64_RULE:
            inner = decoded(secret)
            if inner is not None:
                made = self.text(inner).encode("latin-1")
                spelled = base64.b64encode(made).decode("ascii")
                return spelled.rstrip("=") if len(secret) % 4 else spelled
        if _BASIC.search(text, max(0, span.start - 8), span.start) is not None:
            self.vault.look_for((decoded(secret) or "").partition(":")[2])
        placeholder = self.vault.hide(span.rule, secret, everywhere=span.spreads)
        return span.stand_in or placeholder


def _spelled(found: "re.Match[str]") -> str:
    """A placeholder in the spelling of the tape."""
    rule, number, part, parts = found.groups()
    if rule is None:
        return "<redacted>"
    piece = f"#{part}/{parts}" if part else ""
    return f"<redacted:{rule}:{number.replace('%7e', '~').replace('%7E', '~')}{piece}>"
