"""The secrets of one session and their placeholders on the tape.

While recording, each secret gets the next number of the rule that found it first. A replay usually
runs with other credentials, so there the secrets are *bound* to the recorded placeholders as
events match: the same secret to the same placeholder, another one to another.
"""

import json
import threading
import uuid
import zlib
from collections.abc import Callable, Iterable
from typing import Any, Final, final

from vcr_gen.errors import DecodeError
from vcr_gen.runtime.codec.placeholders import PLACEHOLDER, map_texts
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy.heuristics import is_distinctive

_REMEMBERED: Final = 64
"""How many known secrets are searched for."""


@final
class Vault:
    """Assigns placeholders to secrets."""

    def __init__(self, *, replaying: bool = False) -> None:
        self._replaying = replaying
        self._numbers: dict[str, int] = {}
        self._names: dict[str, str] = {}
        """The placeholder of each secret."""
        self._texts: dict[str, str] = {}
        """The secret of each placeholder of this session alone."""
        self._bound: dict[str, str] = {}
        """The secret of each recorded placeholder."""
        self._fed: set[str] = set()
        """The recorded placeholders that the program received, and can only send back."""
        self._tentative: dict[str, str] = {}
        self.known: tuple[str, ...] = ()
        """Secrets to search for everywhere: they were found by name and are distinctive."""
        self._lock = threading.RLock()
        self.version = 0
        """Changes whenever a harmless text may become a secret."""

    def hide(self, rule: str, secret: str, *, everywhere: bool = False) -> str:
        """The placeholder of a secret; `everywhere` also searches for it from now on."""
        with self._lock:
            if everywhere:
                self.look_for(secret)
            name = self._names.get(secret)
            if name is None:
                name = self._names[secret] = self._next(rule)
                self._texts[name] = secret
            return name

    def look_for(self, secret: str) -> None:
        """Search for a secret everywhere from now on, if it is distinctive."""
        with self._lock:
            if is_distinctive(secret) and secret not in self.known:
                self.known = (*self.known, secret)[-_REMEMBERED:]
                self.version += 1

    def hidden(self) -> list[tuple[str, str]]:
        """The rule and text of every secret so far, in order of discovery."""
        named = ((PLACEHOLDER.fullmatch(name), text) for text, name in self._names.items())
        return [(found[1], text) for found, text in named if found is not None]

    def is_known(self, secret: str) -> bool:
        """Whether the text has a placeholder."""
        return secret in self._names

    def reveal(self, placeholder: str) -> str | None:
        """The secret of a placeholder of this session, if any."""
        return self._bound.get(placeholder) or self._texts.get(placeholder)

    @property
    def is_bound(self) -> bool:
        """Whether the program has shown a secret that has a placeholder on the tape."""
        return bool(self._bound)

    def reveal_bound(self, text: str) -> str:
        """A recorded text with the secrets that the program has shown, for their placeholders."""
        if "<redacted:" not in text:
            return text
        return PLACEHOLDER.sub(lambda found: self._bound.get(found[0], found[0]), text)

    def feed(self, placeholders: Iterable[str]) -> None:
        """Note that the program receives these placeholders instead of secrets."""
        with self._lock:
            self._fed.update(placeholders)

    def agree(self, recorded: str, secret: str) -> bool:
        """Whether a secret can be the recorded one; if so, remember it until retracted."""
        with self._lock:
            bound = self._tentative.get(recorded) or self._bound.get(recorded)
            if bound is not None:
                return bound == secret
            if recorded in self._fed:  # a fed placeholder must come back unchanged
                return False
            name = self._names.get(secret, "")
            if name in self._bound or secret in self._tentative.values():
                return False
            self._tentative[recorded] = secret
            return True

    def settle(self) -> None:
        """Confirm the secrets of an event that matched."""
        if not self._tentative:
            return
        with self._lock:
            for recorded, secret in self._tentative.items():
                self._bound[recorded] = secret
                own = self._names.get(secret)
                if own is not None and own != recorded:
                    self._texts[own] = secret  # an unfinished event may still use it
                self._names[secret] = recorded
                self.version += 1
            self._tentative.clear()

    def retract(self) -> None:
        """Forget the secrets of an event that did not match."""
        if self._tentative:
            with self._lock:
                self._tentative.clear()

    def record_on(self, recorded: Iterable[str]) -> None:
        """Start recording after the existing placeholders."""
        with self._lock:
            self._replaying = False
            for name in recorded:
                found = PLACEHOLDER.fullmatch(name)
                if found and found[1] and found[2].isdigit():
                    self._numbers[found[1]] = max(self._numbers.get(found[1], 0), int(found[2]))
            self._names = {text: name for text, name in self._names.items() if "~" not in name}
            self.version += 1

    def _next(self, rule: str) -> str:
        number = self._numbers[rule] = self._numbers.get(rule, 0) + 1
        return f"<redacted:{rule}:{'~' if self._replaying else ''}{number}>"


def decode_with_typed_placeholders(
    decode: Callable[[Plain], Any], value: Plain, refused: DecodeError
) -> Any:
    """Decode a refused value by replacing placeholders with values that fit the type.

    Each placeholder always gets the same value, so that it is recognised when it comes back.
    Raises the original error if nothing fits.
    """
    found = PLACEHOLDER.finditer(json.dumps(value))  # in the order of the fields
    for placeholder in dict.fromkeys(each[0] for each in found):
        number = zlib.crc32(placeholder.encode())
        for text in (str(uuid.UUID(int=number)), str(number), "1970-01-01"):
            made = _with(value, placeholder, text)
            try:
                return decode(made)
            except DecodeError as error:
                if error.path != refused.path:  # this one fits; the next placeholder does not yet
                    value, refused = made, error
                    break
    raise refused


def _with(value: Plain, placeholder: str, text: str) -> Plain:
    """The value with a text instead of a placeholder."""
    return map_texts(value, lambda each: text if each == placeholder else each)
