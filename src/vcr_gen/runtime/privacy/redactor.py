"""Removes secrets from values in their stored form."""

import base64
import json
import re
from typing import Final, final

from vcr_gen.runtime.codec.placeholders import ANY_SPELLING, joined
from vcr_gen.runtime.codec.plain_kinds import TYPE
from vcr_gen.runtime.codec.scalars import (
    BASE64,
    BIG_INT,
    ESCAPED,
    bytes_from_plain,
    bytes_to_plain,
    str_from_plain,
    str_to_plain,
)
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy.field_names import Naming, rule_of
from vcr_gen.runtime.privacy.finder import LONG_KEY, SMALL_NUMBER, Finder
from vcr_gen.runtime.privacy.key_formats import decoded
from vcr_gen.runtime.privacy.settings import BASE64 as BASE64_RULE
from vcr_gen.runtime.privacy.spans import Span, secret_in
from vcr_gen.runtime.privacy.structure import (
    CONTENTS,
    NOTHING,
    TITLES,
    Context,
    in_dict,
    in_list,
)
from vcr_gen.runtime.privacy.vault import Vault

__all__ = ["Redactor"]

_HARMLESS: Final = Naming.HARMLESS
_CONTAINERS: Final = (dict, list)
_TITLES: Final = frozenset(TITLES)
_CLEAN: Final = 4096
_SHORT: Final = 512
_BASIC: Final = re.compile(r"(?i)\bbasic(?:\s|%20|\+)+\Z")


@final
class Redactor:
    """Replaces the secrets of a session by their placeholders."""

    def __init__(self, finder: Finder, vault: Vault) -> None:
        self.finder = finder
        self.vault = vault
        self._clean: set[str] = set()
        self._harmless_keys: set[tuple[str, ...]] = set()
        self._namings: dict[str, Naming] = {}
        self._known: tuple[str, ...] = ()
        self._version = 0

    def redact(self, value: Plain, name: str = "") -> Plain:
        """The value without its secrets; the same object if it has none.

        `name` is its parameter, field or method.
        """
        self._notice_secrets()
        return self._walk(value, Context(name, self._naming(name)) if name else NOTHING)

    def texts_if_harmless(self, value: Plain, name: str = "") -> str | None:
        """All texts of a value, joined; None if it may contain a secret. A quick, reliable check.

        A single search of the joined text replaces one search per text.
        """
        self._notice_secrets()
        texts: list[str] = []
        if name and self._naming(name) is not _HARMLESS:
            return None
        if not self._collect(value, texts):
            return None
        text = "\n".join(texts)
        if self.finder.may_hold(text) or "edacted" in text:
            return None
        if self._known and any(secret in text for secret in self._known):
            return None
        return text

    def _collect(self, value: Plain, texts: list[str]) -> bool:
        """Collect the texts of a value; whether all of its names are harmless."""
        if type(value) is str:
            texts.append(value)
        elif type(value) is dict:
            keys = tuple(value)
            if keys not in self._harmless_keys and not self._are_harmless(keys):
                return False
            for item in value.values():
                if type(item) is str:
                    texts.append(item)
                elif type(item) in _CONTAINERS and not self._collect(item, texts):
                    return False
        elif type(value) is list:
            for item in value:
                if type(item) is str:
                    if item[:1] == "-":  # an option of a command
                        return False
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
        if len(self._harmless_keys) >= _CLEAN:
            self._harmless_keys.clear()
        self._harmless_keys.add(keys)
        return True

    def _notice_secrets(self) -> None:
        if self._version != self.vault.version:
            self._version = self.vault.version
            self._known = self.vault.known
            self._clean.clear()
            self._harmless_keys.clear()

    def text(self, text: str) -> str:
        """A text for messages, without its secrets."""
        return self._text(text)

    def hide(self, rule: str, value: Plain) -> str:
        """The placeholder for a value that is a secret as a whole."""
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        if found := ANY_SPELLING.fullmatch(text):
            return _spelled(found)
        return self.vault.hide(rule, text, everywhere=isinstance(value, str))

    def _walk(self, value: Plain, context: Context) -> Plain:
        kind = type(value)
        if kind is str:
            assert isinstance(value, str)
            if context.naming is _HARMLESS and (
                len(value) < 5 or (not context.spans and self._is_clean(value))
            ):
                return value
            return self._text(value, context)
        if kind is dict:
            assert isinstance(value, dict)
            return self._dict(value, context)
        if kind is list:
            assert isinstance(value, list)
            return self._list(value, context)
        if kind is int and context.naming is Naming.STRONG:
            assert isinstance(value, int)
            return value if abs(value) < SMALL_NUMBER else self._number(str(value), context)
        return value

    def _number(self, number: str, context: Context) -> int:
        """The replacement of a numeric secret: a number."""
        self.vault.hide(rule_of(context.name), number)
        return 0

    def _is_clean(self, text: str) -> bool:
        """Whether a text certainly contains no secret; answers are cached."""
        if text in self._clean:
            return True
        if self.finder.may_hold(text) or "edacted" in text:
            return False
        if self._known and any(secret in text for secret in self._known):
            return False
        if len(text) <= _SHORT:
            self._remember_clean(text)
        return True

    def _remember_clean(self, text: str) -> None:
        if len(self._clean) >= _CLEAN:
            self._clean.clear()
        self._clean.add(text)

    def _naming(self, name: str) -> Naming:
        naming = self._namings.get(name)
        if naming is None:
            if len(self._namings) >= _CLEAN:
                self._namings.clear()
            naming = self._namings[name] = self.finder.naming(name)
        return naming

    def _dict(self, value: dict[str, Plain], context: Context) -> Plain:
        if len(value) == 1 and next(iter(value))[:1] == "$":
            special = self._special(value, context)
            if special is not None:
                return special
        changed: dict[str, Plain] | None = None
        namings = self._namings
        is_alone = len(value) == 1
        is_plain = context.naming is _HARMLESS
        for key, item in value.items():
            if (
                is_plain
                and changed is None
                and namings.get(key) is _HARMLESS
                and len(key) < LONG_KEY
                and (is_alone or key not in CONTENTS)
            ):
                kind = type(item)  # most are harmless at first sight
                if isinstance(item, str) and (len(item) < 5 or self._is_clean(item)):
                    continue
                if kind is int or item is None or kind is bool or kind is float:
                    continue
            new_key, made = key, item
            if key != TYPE:
                made = self._walk(item, in_dict(value, key, context, self._naming))
            if len(key) >= LONG_KEY and not self._is_clean(key):
                new_key = self._text(key)
            if (made is not item or new_key != key) and changed is None:
                changed = dict(value)
            if changed is not None:
                if new_key != key:
                    changed = _renamed(changed, key, new_key)
                changed[new_key] = made
        return value if changed is None else changed

    def _special(self, value: dict[str, Plain], context: Context) -> Plain | None:
        """The same for tagged values; None for an ordinary dict."""
        if BASE64 in value:
            data = bytes_from_plain(value, expected="bytes").decode("latin-1")
            made = self._text(data, context)
            return value if made == data else bytes_to_plain(made.encode("latin-1"))
        if BIG_INT in value:
            is_secret = context.naming is Naming.STRONG
            return self._number(str(value[BIG_INT]), context) if is_secret else value
        if ESCAPED in value:
            text = str_from_plain(value, expected="str")
            made = self._text(text, context)
            return value if made == text else str_to_plain(made)
        return None

    def _list(self, value: list[Plain], context: Context) -> Plain:
        if context.naming is _HARMLESS and self._is_plain(value):
            return value
        changed: list[Plain] | None = None
        contexts = in_list(value, context, self._naming, by_names=self.finder.by_names)
        for index, (item, inner) in enumerate(zip(value, contexts, strict=True)):
            made = self._walk(item, inner)
            if made is not item:
                changed = list(value) if changed is None else changed
                changed[index] = made
        return value if changed is None else changed

    def _is_plain(self, value: list[Plain]) -> bool:
        """Whether a list is obviously harmless: no pair, no option, nothing unknown."""
        clean = self._clean
        for item in value:
            if isinstance(item, str):
                if item[:1] == "-" or (len(item) >= 5 and item not in clean):
                    return False
            elif isinstance(item, list | dict):
                return False
        first = value[0] if len(value) == 2 else None
        return not isinstance(first, str) or self._namings.get(first) is _HARMLESS

    def _text(self, text: str, context: Context = NOTHING) -> str:
        spans = self.finder.find(text, context, known=self.vault.known)
        is_named = context.naming is not _HARMLESS
        if not spans and is_named and self.vault.is_known(text):
            spans = [Span(0, len(text), "secret")]  # a known secret, here also found by name
        if spans:
            text = self.replaced(text, spans)
        elif not is_named and not context.spans and len(text) <= _SHORT:
            self._remember_clean(text)
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
        """The placeholder of a secret; encoded if the secret is base64."""
        secret = secret_in(text, span)
        if span.rule == BASE64_RULE:
            inner = decoded(secret)
            if inner is not None:
                made = self._text(inner).encode("latin-1")
                spelled = base64.b64encode(made).decode("ascii")
                return spelled.rstrip("=") if "=" not in secret else spelled
        if _BASIC.search(text, max(0, span.start - 8), span.start) is not None:
            self.vault.look_for((decoded(secret) or "").partition(":")[2])
        placeholder = self.vault.hide(span.rule, secret, everywhere=span.spreads)
        return span.stand_in or placeholder


def _spelled(found: "re.Match[str]") -> str:
    """A placeholder as it is spelled on the tape."""
    rule, number, part, parts = found.groups()
    if rule is None:
        return "<redacted>"
    piece = f"#{part}/{parts}" if part else ""
    return f"<redacted:{rule}:{number.replace('%7e', '~').replace('%7E', '~')}{piece}>"


def _renamed(value: dict[str, Plain], old: str, new: str) -> dict[str, Plain]:
    return {new if key == old else key: item for key, item in value.items()}
