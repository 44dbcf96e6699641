"""Searches the bytes of a file without parsing them."""

from io import SEEK_END
from typing import BinaryIO, Final

__all__ = ["count_in", "read_tail"]

_CHUNK: Final = 1 << 16
_TAIL: Final = 1 << 10


def read_tail(stream: BinaryIO) -> bytes:
    """The last bytes of a file, enough for an end mark."""
    size = stream.seek(0, SEEK_END)
    stream.seek(max(0, size - _TAIL))
    return stream.read()


def count_in(stream: BinaryIO, needle: bytes, *, after: bytes = b"") -> int:
    """How often `needle` occurs in a file, behind the first `after`; neither overlaps itself."""
    stream.seek(0)
    count = 0
    kept = b""
    while chunk := stream.read(_CHUNK):
        window = kept + chunk
        if after:
            found = window.find(after)
            if found < 0:
                kept = window[-len(after) :]
                continue
            window = window[found + len(after) :]
            after = b""
        count += window.count(needle)
        kept = window[len(window) - len(needle) + 1 :] if len(needle) > 1 else b""
    return count
