"""Content encodings: gzip and deflate, and brotli and zstd if their libraries are installed."""

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, final

__all__ = ["ENCODINGS", "Compressor", "Encoding", "brotli_library", "zstd_library"]


class Compressor(Protocol):
    """Compresses data piece by piece, as in the module `zlib`."""

    def compress(self, data: bytes, /) -> bytes:
        """Take data; some of it may come out later."""

    def flush(self, mode: int = ..., /) -> bytes:
        """What is left: the end, or with `Z_SYNC_FLUSH` all that was taken so far."""


Decompress: TypeAlias = Callable[[bytes], bytes]


class Encoding(NamedTuple):
    """One way to compress data; its functions return None if the library is not installed."""

    decompressor: Callable[[], Decompress | None]
    compressor: Callable[[], Compressor | None]


def brotli_library() -> Any:
    """The library that httpx and aiohttp use too; None if it is not installed."""
    return _imported("brotli")


def zstd_library() -> Any:
    """The library that httpx and urllib3 use too; None if it is not installed."""
    return _imported("zstandard")


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def _gunzip() -> Decompress:
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress


def _inflate() -> Decompress:
    """Servers send either of two formats by this name; the first piece shows which."""
    chosen: list[Decompress] = []

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


def _unbrotli() -> Decompress | None:
    library = brotli_library()
    return None if library is None else library.Decompressor().process


def _unzstd() -> Decompress | None:
    library = zstd_library()
    return None if library is None else library.ZstdDecompressor().decompressobj().decompress


def _gzip() -> Compressor:
    return zlib.compressobj(wbits=zlib.MAX_WBITS | 16)


def _deflate() -> Compressor:
    return zlib.compressobj()


def _brotli() -> Compressor | None:
    library = brotli_library()
    return None if library is None else _Brotli(library.Compressor())


def _zstd() -> Compressor | None:
    library = zstd_library()
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


ENCODINGS: Final[dict[str, Encoding]] = {
    "gzip": Encoding(_gunzip, _gzip),
    "x-gzip": Encoding(_gunzip, _gzip),
    "deflate": Encoding(_inflate, _deflate),
    "br": Encoding(_unbrotli, _brotli),
    "zstd": Encoding(_unzstd, _zstd),
}
"""By their names in HTTP."""
