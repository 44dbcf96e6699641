"""Undoes the content encoding of bodies before they are stored, and does it again in a replay.

A compressed body would hide its credentials from redaction and its text from readers. The program
still gets what travelled: the original bytes while recording, and bytes that decode to the same
pieces in a replay.
"""

import zlib
from collections.abc import Iterable, Iterator
from typing import Self, final

from vcr_gen.boundaries.http.framing import Aside
from vcr_gen.runtime.compression import ENCODINGS, Compressor, Encoding


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


class Members(Aside):
    """Where gzip members or zstd frames after the first begin in the next piece.

    Some clients read all members of a body, and some only the first.
    """

    begins: tuple[int, ...] = ()

    @classmethod
    def at(cls, begins: Iterable[int]) -> Self:
        """Members that begin at these places."""
        found = cls()
        found.begins = tuple(begins)
        return found

    def to_plain(self) -> dict[str, object]:
        """The stored form."""
        return {"members": list(self.begins)}


@final
class Decoder:
    """Decodes the body of one response, piece by piece."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._names = _encodings_of(headers)
        found = [known.decompressor() for known in _known(self._names)]
        self._decompress = [each for each in found if each is not None]
        self._is_able = len(self._decompress) == len(self._names)

    def decode(self, wire: bytes) -> tuple[bytes, ...]:
        """A stored piece, preceded by the asides on it; a broken piece stays as it was sent."""
        if not self._names:
            return (wire,)
        if not self._is_able:
            return (Undecoded(wire) if len(_known(self._names)) == len(self._names) else wire,)
        try:
            decoded = wire
            begins: tuple[int, ...] = ()
            for decompress in reversed(self._decompress):
                decoded, begins = decompress(decoded)
        except Exception:  # each library has its own exception for broken data
            self._is_able = False
            return (Undecoded(wire),)
        piece = Piece.of(wire, decoded)
        says_members = begins and len(self._decompress) == 1
        return (Members.at(begins), piece) if says_members else (piece,)


@final
class Encoder:
    """Encodes the body of one replayed response."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        names = _encodings_of(headers)
        known = _known(names)
        self._encodings = known if len(known) == len(names) else []
        self._compressors = self._new_compressors() if names else []
        self._is_begun = False
        self._begins: tuple[int, ...] = ()

    def encoded(self, items: Iterable[object]) -> Iterator[bytes]:
        """How the rest of a body travels, given the items of its exchange."""
        for item in items:
            assert isinstance(item, bytes)
            if isinstance(item, Aside):
                self.heed(item)
            else:
                yield self.encode(item)
        if rest := self.finish():
            yield rest

    def heed(self, aside: Aside) -> None:
        """Remember an aside on the next piece, if it says how to encode that piece."""
        if isinstance(aside, Members):
            self._begins = aside.begins

    def encode(self, piece: bytes) -> bytes:
        """How a piece travels: ready to be decoded without the next one."""
        begins, self._begins = self._begins, ()
        if isinstance(piece, Piece):
            return piece.wire
        if not self._compressors or isinstance(piece, Undecoded):
            return bytes(piece)
        wire, start = b"", 0
        for place in begins:
            wire += self._compressed(piece[start:place]) + self.finish()
            self._compressors, start = self._new_compressors(), place
        return wire + self._compressed(piece[start:])

    def _new_compressors(self) -> list[Compressor]:
        found = [known.compressor() for known in self._encodings]
        return [] if None in found else [each for each in found if each is not None]

    def _compressed(self, data: bytes) -> bytes:
        self._is_begun = True
        made = bytes(data)
        for compressor in self._compressors:
            made = compressor.compress(made) + compressor.flush(zlib.Z_SYNC_FLUSH)
        return made

    def finish(self) -> bytes:
        """The bytes after the last piece."""
        made = b""
        for compressor in self._compressors if self._is_begun else ():
            made = (compressor.compress(made) if made else b"") + compressor.flush(zlib.Z_FINISH)
        return made


def decoded_body(content: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A whole body without its content encoding; unchanged if decoding fails."""
    *_, piece = Decoder(headers).decode(content)
    return bytes(content if isinstance(piece, Undecoded) else piece)


def _encodings_of(headers: Iterable[tuple[bytes, bytes]]) -> list[str]:
    """The content encodings, in the order in which they were applied."""
    found = [value for name, value in headers if name.lower() == b"content-encoding"]
    if not found:
        return []
    words = b",".join(found).decode("latin-1").lower().split(",")
    return [word.strip() for word in words if word.strip() not in ("", "identity")]


def _known(names: Iterable[str]) -> list[Encoding]:
    return [ENCODINGS[name] for name in names if name in ENCODINGS]
