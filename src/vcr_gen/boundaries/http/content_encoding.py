"""Undoes the content encoding of bodies before they are stored, and does it again in a replay.

A compressed body would hide its credentials from redaction and its text from readers. The program
still gets what travelled: the original bytes while recording, and bytes that decode to the same
pieces in a replay.
"""

import zlib
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any, Final, Protocol, Self, final

__all__ = ["Decoder", "Encoder", "Piece", "Undecoded"]


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


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self, mode: int = ..., /) -> bytes: ...


@final
class Decoder:
    """Decodes the body of one response, piece by piece."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        self._encoding = _encoding_of(headers)
        maker = _DECODERS.get(self._encoding)
        self._decode: Callable[[bytes], bytes] | None = None if maker is None else maker()

    def decode(self, wire: bytes) -> bytes:
        """A piece as it is stored; one that cannot be decoded as it travelled."""
        if self._decode is None:
            return Undecoded(wire) if self._encoding in _DECODERS else wire
        try:
            return Piece.of(wire, self._decode(wire))
        except Exception:  # each library has its own exception for broken data
            self._decode = None
            return Undecoded(wire)


@final
class Encoder:
    """Encodes the body of one replayed response."""

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        maker = _ENCODERS.get(_encoding_of(headers))
        self._compressor: _Compressor | None = None if maker is None else maker()
        self._is_begun = False

    def encode(self, piece: bytes) -> bytes:
        """How a piece travels: ready to be decoded without the next one."""
        if isinstance(piece, Piece):
            return piece.wire
        if self._compressor is None or isinstance(piece, Undecoded):
            return bytes(piece)
        self._is_begun = True
        return self._compressor.compress(piece) + self._compressor.flush(zlib.Z_SYNC_FLUSH)

    def finish(self) -> bytes:
        """What comes after the last piece."""
        if self._compressor is None or not self._is_begun:
            return b""
        return self._compressor.flush(zlib.Z_FINISH)


def _encoding_of(headers: Iterable[tuple[bytes, bytes]]) -> str:
    found = [value for name, value in headers if name.lower() == b"content-encoding"]
    return b",".join(found).decode("latin-1").strip().lower()


def _gzip_decoder() -> Callable[[bytes], bytes]:
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress


def _deflate_decoder() -> Callable[[bytes], bytes]:
    """Servers send either of two formats by this name; the first piece shows which."""
    chosen: list[Callable[[bytes], bytes]] = []

    def decode(wire: bytes) -> bytes:
        if chosen:
            return chosen[0](wire)
        for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS):
            decompressor = zlib.decompressobj(bits)
            try:
                decoded = decompressor.decompress(wire)
            except zlib.error:
                continue
            chosen.append(decompressor.decompress)
            return decoded
        raise zlib.error("not deflated")

    return decode


def _brotli_decoder() -> Callable[[bytes], bytes] | None:
    library = _brotli()
    return None if library is None else library.Decompressor().process


def _zstd_decoder() -> Callable[[bytes], bytes] | None:
    library = _zstandard()
    return None if library is None else library.ZstdDecompressor().decompressobj().decompress


def _gzip_encoder() -> _Compressor:
    return zlib.compressobj(wbits=zlib.MAX_WBITS | 16)


def _deflate_encoder() -> _Compressor:
    return zlib.compressobj()


def _brotli_encoder() -> _Compressor | None:
    library = _brotli()
    return None if library is None else _Brotli(library.Compressor())


def _zstd_encoder() -> _Compressor | None:
    library = _zstandard()
    return None if library is None else _Zstandard(library)


@final
class _Brotli:
    def __init__(self, compressor: Any) -> None:
        self._compressor = compressor

    def compress(self, data: bytes, /) -> bytes:
        compressed: bytes = self._compressor.process(data)
        return compressed

    def flush(self, mode: int = zlib.Z_FINISH, /) -> bytes:
        is_last = mode == zlib.Z_FINISH
        flushed: bytes = self._compressor.finish() if is_last else self._compressor.flush()
        return flushed


@final
class _Zstandard:
    def __init__(self, library: Any) -> None:
        self._library = library
        self._compressor = library.ZstdCompressor().compressobj()

    def compress(self, data: bytes, /) -> bytes:
        compressed: bytes = self._compressor.compress(data)
        return compressed

    def flush(self, mode: int = zlib.Z_FINISH, /) -> bytes:
        is_last = mode == zlib.Z_FINISH
        how = "COMPRESSOBJ_FLUSH_FINISH" if is_last else "COMPRESSOBJ_FLUSH_BLOCK"
        flushed: bytes = self._compressor.flush(getattr(self._library, how))
        return flushed


def _brotli() -> Any:
    """The library that httpx and aiohttp use too; None if it is not installed."""
    return _imported("brotli")


def _zstandard() -> Any:
    return _imported("zstandard")


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


_DECODERS: Final[dict[str, Callable[[], Callable[[bytes], bytes] | None]]] = {
    "gzip": _gzip_decoder,
    "x-gzip": _gzip_decoder,
    "deflate": _deflate_decoder,
    "br": _brotli_decoder,
    "zstd": _zstd_decoder,
}
_ENCODERS: Final[dict[str, Callable[[], _Compressor | None]]] = {
    "gzip": _gzip_encoder,
    "x-gzip": _gzip_encoder,
    "deflate": _deflate_encoder,
    "br": _brotli_encoder,
    "zstd": _zstd_encoder,
}
