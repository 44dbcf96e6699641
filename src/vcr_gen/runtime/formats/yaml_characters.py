"""Decides which characters are allowed raw in a YAML cassette, and reads only these."""

import codecs
import re
from dataclasses import dataclass
from typing import BinaryIO, Final

_CHUNK: Final = 1 << 16

# YAML's printable characters, less those on which its versions disagree: NEL, U+2028 and U+2029
# end a line for YAML 1.1 only, and a byte order mark is text or nothing.
_ESCAPED_ONLY: Final = (
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LONE_CR: Final = re.compile(r"\r(?!\n)")
_RAW_ASCII: Final = bytes([9, 10, 13, *range(32, 127)])


def find_escaped_only(text: str) -> int:
    """The position of the first character that must be escaped (a CR is a separate case), or -1."""
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
        self._lines = 0
        self._in_line = False  # whether the text so far ends inside a line

    @property
    def last_line(self) -> int:
        """The number of the last line so far; a parser counts one more at the end of a file."""
        return max(1, self._lines + self._in_line)

    def read(self, _size: int = -1) -> str:
        """The next lines, of any number; empty at the end."""
        if self.fault is not None:
            return ""
        try:
            chunk = b"".join(self._stream.readlines(_CHUNK))
        except OSError as error:
            self.fault = Fault(self._lines + 1, f"cannot be read: {error.strerror}")
            return ""
        if not self._lines:
            chunk = chunk.removeprefix(codecs.BOM_UTF8)
        text = self._checked(self._decode(chunk))
        self._lines += text.count("\n")
        if text:
            self._in_line = not text.endswith("\n")
        return text

    def _decode(self, chunk: bytes) -> str:
        try:
            return chunk.decode()
        except UnicodeDecodeError as error:
            good = chunk[: error.start].decode()
            self.fault = Fault(self._lines + good.count("\n") + 1, "not UTF-8 text")
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
