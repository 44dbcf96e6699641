"""Opens compressed data to look for secrets in it, and compresses it again without them."""

import re
import zlib
from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from vcr_gen.runtime.compression import ENCODINGS, Compressor, brotli_library, zstd_library

_BINARY: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
"""Characters of compressed data, read as latin-1, that texts do not have."""
_LOOKED_AT: Final = 128
"""How much of a text is searched for them: of compressed data every fourth byte is one."""
_STEP: Final = 1 << 12
"""How much is decompressed at once."""
_MOST: Final = 1 << 26
"""How much decompressed data is searched."""
_CAREFUL: Final = 1 << 16
"""How much broken data is decompressed byte by byte, up to the fault."""
_BROKEN: Final = b"\xff" * 4
"""No compressed data goes on like this."""
_LEAST: Final = 16
"""How much must come out of data that is not surely compressed."""
_GZIP: Final = b"\x1f\x8b\x08"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"
_ZLIB: Final = (b"x\x01", b"x^", b"x\x9c", b"x\xda")
_MARKS: Final = tuple(mark.decode("latin-1") for mark in (_GZIP, _ZSTD, *_ZLIB))

_State: TypeAlias = Literal["whole", "cut", "broken"]


class Compressed(NamedTuple):
    """Compressed data, opened."""

    text: str
    """Its contents as latin-1."""
    end: int
    """Where it ends; other data may follow."""
    state: _State
    """Whether its end is present, missing, or after a fault."""
    compressor: Callable[[], Compressor | None]

    def closed(self, text: str) -> str:
        """Other contents, compressed in the same way and in the same state."""
        compressor = self.compressor()
        assert compressor is not None
        mode = zlib.Z_FINISH if self.state == "whole" else zlib.Z_SYNC_FLUSH
        made = compressor.compress(text.encode("latin-1")) + compressor.flush(mode)
        return (made + _BROKEN if self.state == "broken" else made).decode("latin-1")


def opened(text: str) -> Compressed | None:
    """The contents of data in gzip, deflate, brotli or zstd; None for anything else.

    `text` is the data as latin-1. Without a mark at its beginning, it must be whole.
    """
    if len(text) < 8 or _BINARY.search(text, 0, _LOOKED_AT) is None:
        return None
    try:
        data = text.encode("latin-1")
    except UnicodeEncodeError:
        return None
    if data[:3] == _GZIP:
        return _read(data, lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), "gzip")
    if data[:4] == _ZSTD:
        library = zstd_library()
        return library and _read(data, lambda: library.ZstdDecompressor().decompressobj(), "zstd")
    if data[:2] in _ZLIB:
        return _read(data, zlib.decompressobj, "deflate")
    return _raw_deflate(data) or _brotli(data)


def is_begun(text: str) -> bool:
    """Whether a text begins like compressed data, of which more may come."""
    return text.startswith(_MARKS) and _BINARY.search(text, 0, _LOOKED_AT) is not None


def contents(text: str) -> str:
    """The contents of compressed data, which may have several parts; any other text as it is."""
    parts = []
    while (found := opened(text)) is not None:
        parts.append(found.text)
        text = text[found.end :]
    return "".join((*parts, text))


def rewritten(text: str, change: Callable[[str], str]) -> str:
    """A text after a change, which is made inside of compressed data too."""
    parts = []
    while (found := opened(text)) is not None:
        made = change(found.text)
        parts.append(text[: found.end] if made == found.text else found.closed(made))
        text = text[found.end :]
    return "".join((*parts, change(text)))


def _read(data: bytes, decompressor: Callable[[], Any], name: str) -> Compressed | None:
    """Data that begins like compressed data."""
    text, state, rest = _decompressed(decompressor(), data, _STEP)
    if state == "broken":
        text = _decompressed(decompressor(), data[:_CAREFUL], 1)[0]
    if len(text) < (_LEAST if state == "broken" else 1):
        return None
    return Compressed(text, len(data) - rest, state, ENCODINGS[name].compressor)


def _decompressed(decompressor: Any, data: bytes, step: int) -> tuple[str, _State, int]:
    """The output of a decompressor, how it ends, and how much data is left."""
    pieces: list[bytes] = []
    size = 0
    for start in range(0, len(data), step):
        try:
            pieces.append(decompressor.decompress(data[start : start + step]))
        except Exception:  # each library has its own exception for broken data
            return b"".join(pieces).decode("latin-1"), "broken", 0
        size += len(pieces[-1])
        if decompressor.eof or size > _MOST:
            rest = len(data) - start - step if len(data) > start + step else 0
            rest += len(decompressor.unused_data)
            return b"".join(pieces).decode("latin-1"), "whole", rest
    return b"".join(pieces).decode("latin-1"), "cut", 0


def _raw_deflate(data: bytes) -> Compressed | None:
    text, state, rest = _decompressed(zlib.decompressobj(-zlib.MAX_WBITS), data, _STEP)
    if state != "whole" or rest or not text:
        return None
    return Compressed(text, len(data), state, lambda: zlib.compressobj(wbits=-zlib.MAX_WBITS))


def _brotli(data: bytes) -> Compressed | None:
    library = brotli_library()
    if library is None:
        return None
    decompressor = library.Decompressor()
    made = bytearray()
    try:
        for start in range(0, len(data), _STEP):
            made += decompressor.process(data[start : start + _STEP])
    except library.error:
        return None
    if len(made) < _LEAST or not decompressor.is_finished():
        return None
    return Compressed(made.decode("latin-1"), len(data), "whole", ENCODINGS["br"].compressor)
