"""Remembers texts that a file contains, but not as they are: cut into pieces, or compressed."""

from collections.abc import Iterable
from typing import Final, final

_MOST: Final = 1 << 23
"""How many characters are remembered."""


@final
class UnseenTexts:
    """The texts of one recording that a search of its file does not find."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._size = 0

    def note(self, text: str, stored: str) -> None:
        """Remember a text, unless it is stored as it is."""
        if text == stored or self._size > _MOST:
            return
        self._texts.append(text)
        self._size += len(text)

    def may_hold(self, secrets: Iterable[str]) -> bool:
        """Whether a text contains one of these secrets, or may, if there are too many texts."""
        known = tuple(secrets)
        if self._size > _MOST:
            return bool(known)
        return any(secret in text for text in self._texts for secret in known)
