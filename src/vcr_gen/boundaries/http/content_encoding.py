"""Undoes the content encoding of bodies before they are stored, and does it again in a replay.

A compressed body would hide its credentials from redaction and its text from readers. The program
still gets what travelled: the original bytes while recording, and bytes that decode to the same
pieces in a replay.
"""

import zlib
from collections.abc import Iterable
from typing import Self, final

from vcr_gen.runtime.privacy.compression import ENCODINGS, Encoding

__all__ = ["Decoder", "Encoder", "Piece", "Undecoded", "decoded_body"]


class Piece(bytes):
    """A piece of a body without its content encoding."""

    wire: bytes
    """How it travelled."""

    @classmethod
    def of(cls, wire: bytes, decoded: bytes) -> Self:
        """A piece that was decoded."""
        piece = cls(decoded)
        piece.wire = wire
        return piece


class Undecoded(bytes):
    """A piece of a body whose content encoding is broken: stored as it travelled."""


@final
class Decoder:
    """Decodes the body of one response, piece by piece."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._names = _encodings_of(headers)
        found = [known.decompressor() for known in _known(self._names)]
        self._decompress = [each for each in found if each is not None]
        self._is_able = len(self._decompress) == len(self._names)

    def decode(self, wire: bytes) -> bytes:
        """A piece as it is stored; one that cannot be decoded as it travelled."""
        if not self._names:
            return wire
        if not self._is_able:
            return Undecoded(wire) if len(_known(self._names)) == len(self._names) else wire
        try:
            decoded = wire
            for decompress in reversed(self._decompress):
                decoded = decompress(decoded)
            return Piece.of(wire, decoded)
        except Exception:  # each library has its own exception for broken data
            self._is_able = False
            return Undecoded(wire)


@final
class Encoder:
    """Encodes the body of one replayed response."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        names = _encodings_of(headers)
        found = [known.compressor() for known in _known(names)]
        compressors = [each for each in found if each is not None]
        self._compressors = compressors if len(compressors) == len(names) else []
        self._is_begun = False

    def encode(self, piece: bytes) -> bytes:
        """How a piece travels: ready to be decoded without the next one."""
        if isinstance(piece, Piece):
            return piece.wire
        if not self._compressors or isinstance(piece, Undecoded):
            return bytes(piece)
        self._is_begun = True
        made = bytes(piece)
        for compressor in self._compressors:
            made = compressor.compress(made) + compressor.flush(zlib.Z_SYNC_FLUSH)
        return made

    def finish(self) -> bytes:
        """What comes after the last piece."""
        made = b""
        for compressor in self._compressors if self._is_begun else ():
            made = (compressor.compress(made) if made else b"") + compressor.flush(zlib.Z_FINISH)
        return made


def decoded_body(content: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A whole body without its content encoding; as it is if that cannot be undone."""
    piece = Decoder(headers).decode(content)
    return bytes(content if isinstance(piece, Undecoded) else piece)


def _encodings_of(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """The content encodings, in the order in which they were applied."""
    found = [value for name, value in headers if name.lower() == b"content-encoding"]
    words = b",".join(found).decode("latin-1").lower().split(",")
    return [word.strip() for word in words if word.strip() not in ("", "identity")]


def _known(names: Iterable[str]) -> list[Encoding]:
    return [ENCODINGS[name] for name in names if name in ENCODINGS]
