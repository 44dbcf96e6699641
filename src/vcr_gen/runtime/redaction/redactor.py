"""Takes the secrets out of values in their stored form."""

import base64
import json
import re
from typing import Final, final
from urllib.parse import unquote

from vcr_gen.runtime.codec.scalars import (
    BASE64,
    BIG_INT,
    ESCAPED,
    bytes_from_plain,
    bytes_to_plain,
    str_from_plain,
    str_to_plain,
)
from vcr_gen.runtime.placeholders import ANY_SPELLING, joined
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.redaction import finding
from vcr_gen.runtime.redaction.finding import Finder
from vcr_gen.runtime.redaction.logins import is_curl, login_span
from vcr_gen.runtime.redaction.names import Naming
from vcr_gen.runtime.redaction.spans import Span
from vcr_gen.runtime.redaction.vault import Vault

__all__ = ["Redactor", "same_secret"]

_HARMLESS: Final = Naming.HARMLESS
_CLEAN: Final = 4096
_SHORT: Final = 512
_TITLES: Final = ("name", "key", "header")
_CONTENTS: Final = frozenset({"value", "values", "data", "raw", "text"})
_BASIC: Final = re.compile(r"(?i)\bbasic(?:\s|%20|\+)+\Z")
_PLURAL: Final = re.compile(r"(?i)(?:passwords|secrets|keys|credentials)\Z")


@final
class Redactor:
    """Replaces the secrets of a session by their placeholders."""

    def __init__(self, finder: Finder, vault: Vault) -> None:
        self.finder = finder
        self.vault = vault
        self._clean: set[str] = set()
        self._namings: dict[str, Naming] = {}
        self._known: tuple[str, ...] = ()
        self._version = 0

    def redact(self, value: Plain, name: str = "") -> Plain:
        """The value without its secrets; the very same object where it has none.

        `name` is what it stands under: the parameter, the field, the method that returned it.
        """
        if self._version != self.vault.version:
            self._version = self.vault.version
            self._known = self.vault.known
            self._clean.clear()
        return self._walk(value, name, self._naming(name) if name else Naming.HARMLESS)

    def text(self, text: str) -> str:
        """A text for people without its secrets."""
        return self._text(text, "", Naming.HARMLESS)

    def hide(self, rule: str, value: Plain) -> str:
        """The placeholder for a value that is a secret as a whole."""
        text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        if found := ANY_SPELLING.fullmatch(text):
            return _spelled(found)
        return self.vault.hide(rule, text, everywhere=isinstance(value, str))

    def _walk(self, value: Plain, name: str, naming: Naming) -> Plain:
        kind = type(value)
        if kind is str:
            assert isinstance(value, str)
            if naming is _HARMLESS and (len(value) < 5 or self._is_clean(value)):
                return value
            return self._text(value, name, naming)
        if kind is dict:
            assert isinstance(value, dict)
            return self._dict(value, name, naming)
        if kind is list:
            assert isinstance(value, list)
            return self._list(value, name, naming)
        if kind is int and naming is Naming.STRONG:
            assert isinstance(value, int)
            return value if abs(value) < 1000 else 0  # the field still holds a number
        return value

    def _is_clean(self, text: str) -> bool:
        """Whether there is certainly nothing in a text; what it is asked of again, it knows."""
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

    def _dict(self, value: dict[str, Plain], name: str, naming: Naming) -> Plain:
        if len(value) == 1:
            if BASE64 in value:
                return self._bytes(value, name, naming)
            if BIG_INT in value:
                return 0 if naming is Naming.STRONG else value
            if ESCAPED in value:
                text = str_from_plain(value, expected="str")
                changed_text = self._text(text, name, naming)
                return value if changed_text == text else str_to_plain(changed_text)
        below = naming is Naming.STRONG and _PLURAL.search(name) is not None
        changed: dict[str, Plain] | None = None
        namings, clean = self._namings, self._clean
        for key, item in value.items():
            new_key = key
            if changed is None and namings.get(key) is _HARMLESS and len(key) < 16 and not below:
                kind = type(item)  # most are harmless at first sight
                if isinstance(item, str) and (len(item) < 5 or item in clean):
                    continue
                if kind is int or item is None or kind is bool or kind is float:
                    continue
            if key[:1] == "$":
                made = item if key == "$type" else self._walk(item, name, naming)
            else:
                said, under = self._naming(key), key
                if said is _HARMLESS and (below or key in _CONTENTS):
                    said, under = self._inherited(value, name, naming, below=below)
                made = self._walk(item, under, said)
                if len(key) >= 16 and not self._is_clean(key):
                    new_key = self._text(key)
            if (made is not item or new_key != key) and changed is None:
                changed = dict(value)
            if changed is not None:
                if new_key != key:
                    changed = _renamed(changed, key, new_key)
                changed[new_key] = made
        return value if changed is None else changed

    def _inherited(
        self, value: dict[str, Plain], name: str, naming: Naming, *, below: bool
    ) -> tuple[Naming, str]:
        """What is said of the content of a pair (`{name: Authorization, value: …}`) or secret."""
        for word in _TITLES:
            title = value.get(word)
            if type(title) is str and (said := self._naming(title)) is not _HARMLESS:
                return said, title
        return (naming, name) if below or naming is Naming.STRONG else (_HARMLESS, name)

    def _list(self, value: list[Plain], name: str, naming: Naming) -> Plain:
        changed: list[Plain] | None = None
        before: Plain = None
        curl = False
        login = len(value) == 2 and name.lower() in ("auth", "basic_auth", "credentials")
        for index, item in enumerate(value):
            if type(item) is list and len(item) == 2 and type(item[0]) is str:
                made = self._pair(item, name, naming)
            elif (
                curl
                and isinstance(item, str)
                and (span := login_span(item, after=str(before))) is not None
            ):
                made = self._text(self.replaced(item, [span]), name, naming)
            elif type(before) is str and before[:1] == "-" and type(item) is str:
                option = before.lstrip("-")
                said = self._naming(option)
                made = self._walk(item, option, Naming.STRONG if said is Naming.WEAK else said)
            elif login and index == 1:
                made = self._walk(item, "password", self._naming("password"))
            else:
                made = self._walk(item, name, naming)
            if made is not item:
                changed = list(value) if changed is None else changed
                changed[index] = made
            before = item
            curl = curl or (isinstance(item, str) and self.finder.by_names and is_curl(item))
        return value if changed is None else changed

    def _pair(self, pair: list[Plain], name: str, naming: Naming) -> Plain:
        title = pair[0]
        said = self._naming(title) if isinstance(title, str) else Naming.HARMLESS
        if said is Naming.HARMLESS:
            return self._list(pair, name, naming)
        made = self._walk(pair[1], str(title), said)
        return pair if made is pair[1] else [title, made]

    def _bytes(self, value: dict[str, Plain], name: str, naming: Naming) -> Plain:
        data = bytes_from_plain(value, expected="bytes").decode("latin-1")
        made = self._text(data, name, naming)
        return value if made == data else bytes_to_plain(made.encode("latin-1"))

    def _text(self, text: str, name: str = "", naming: Naming = Naming.HARMLESS) -> str:
        known = self.vault.known
        spans = self.finder.find(text, name=name, naming=naming, known=known)
        if not spans and naming is not Naming.HARMLESS and self.vault.is_known(text):
            spans = [Span(0, len(text), "secret")]  # known from elsewhere, and here by its name
        if spans:
            text = self.replaced(text, spans)
        elif naming is Naming.HARMLESS and len(text) <= _SHORT:
            self._remember_clean(text)
        return joined(ANY_SPELLING.sub(_spelled, text)) if "edacted" in text else text

    def replaced(self, text: str, spans: list[Span]) -> str:
        """The text with these places replaced by placeholders."""
        pieces: list[str] = []
        position = 0
        for span in spans:
            pieces += (text[position : span.start], self.placeholder(text, span))
            position = span.end
        return "".join((*pieces, text[position:]))

    def placeholder(self, text: str, span: Span) -> str:
        """What stands for one secret; in base64, the base64 of what stands for it."""
        secret = text[span.start : span.end]
        if span.rule == finding.BASE64:
            inner = finding.decoded(secret)
            if inner is not None:
                made = self._text(inner).encode("latin-1")
                spelled = base64.b64encode(made).decode("ascii")
                return spelled.rstrip("=") if "=" not in secret else spelled
        if _BASIC.search(text, max(0, span.start - 8), span.start) is not None:
            self.vault.look_for((finding.decoded(secret) or "").partition(":")[2])
        return self.vault.hide(span.rule, same_secret(secret), everywhere=span.named)


def same_secret(secret: str) -> str:
    """The secret without the escapes of what it stood in."""
    if "\\" in secret:
        try:
            made = json.loads(f'"{secret}"')
            secret = made if isinstance(made, str) else secret
        except ValueError:
            pass
    if "%" in secret:
        secret = unquote(secret)
    return secret


def _spelled(found: "re.Match[str]") -> str:
    """A placeholder as it is spelled on the tape."""
    rule, number, part, parts = found.groups()
    if rule is None:
        return "<redacted>"
    piece = f"#{part}/{parts}" if part else ""
    return f"<redacted:{rule}:{number.replace('%7e', '~').replace('%7E', '~')}{piece}>"


def _renamed(value: dict[str, Plain], old: str, new: str) -> dict[str, Plain]:
    return {new if key == old else key: item for key, item in value.items()}
