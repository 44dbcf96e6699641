"""Decides which characters are allowed raw in a YAML cassette, and reads only these."""

import codecs
import re
from dataclasses import dataclass
from typing import BinaryIO, Final

__all__ = ["Fault", "TextSource", "find_escaped_only"]

_CHUNK: Final = 1 << 16

# YAML's printable characters, less those on which its versions disagree: NEL, U+2028 and U+2029
# end a line for YAML 1.1 only, and a byte order mark is text or nothing.
_ESCAPED_ONLY: Final = (
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LONE_CR: Final = re.compile(r"\r(?!\n)")
_RAW_ASCII: Final = bytes([9, 10, 13, *range(32, 127)])


def find_escaped_only(text: str) -> int:
    """The position of the first character that must be escaped (a CR is judged apart), or -1."""
    if text.isascii() and not text.encode().translate(None, _RAW_ASCII):
        return -1
    found = re.search(_ESCAPED_ONLY, text)  # compiled when first needed: most text is ASCII
    return found.start() if found else -1


@dataclass(frozen=True, slots=True)
class Fault:
    """The first invalid place of a text file, and the reason."""

    line: int
    message: str


class TextSource:
    """Reads a binary stream as text for a parser; ends at the first fault.

    libyaml reads ahead: an immediate error would drop the valid events before it.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.fault: Fault | None = None
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._lines = 0
        self._in_line = False  # whether the text so far ends inside a line
        self._held = ""  # a CR at the end of a chunk, until it is known what follows

    @property
    def last_line(self) -> int:
        """The number of the last line so far; a parser counts one more at the end of a file."""
        return max(1, self._lines + self._in_line)

    def read(self, _size: int = -1) -> str:
        """The next piece of text, of any size; empty at the end."""
        while self.fault is None:
            try:
                chunk = self._stream.read(_CHUNK)
            except OSError as error:
                self.fault = Fault(self._lines + 1, f"cannot be read: {error.strerror}")
                break
            text = self._held + self._decode(chunk)
            self._held = "\r" if chunk and text.endswith("\r") else ""
            if self._held:
                text = text[:-1]
            text = self._checked(text)
            self._lines += text.count("\n")
            if text:
                self._in_line = not text.endswith("\n")
            if text or not chunk:
                return text
        return ""

    def _decode(self, chunk: bytes) -> str:
        try:
            return self._decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode()
            line = self._lines + self._held.count("\n") + good.count("\n") + 1
            self.fault = Fault(line, "not UTF-8 text")
            return good

    def _checked(self, text: str) -> str:
        position = find_escaped_only(text)
        if "\r" in text and (lone := _LONE_CR.search(text)):
            position = lone.start() if position < 0 else min(position, lone.start())
        if position < 0:
            return text
        line = self._lines + text.count("\n", 0, position) + 1
        name = f"U+{ord(text[position]):04X}"
        self.fault = Fault(line, f"{name} is allowed only as an escape in a double-quoted text")
        return text[:position]
