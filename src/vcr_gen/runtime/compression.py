"""Content encodings: gzip and deflate, and brotli and zstd if their libraries are installed."""

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, final

_ZLIB_METHOD: Final = 8
"""The low half of the first byte in the format of zlib; no raw data begins with it."""


class Compressor(Protocol):
    """Compresses data piece by piece, as in the module `zlib`."""

    def compress(self, data: bytes, /) -> bytes:
        """Take data; part of its output may come later."""

    def flush(self, mode: int = ..., /) -> bytes:
        """The rest: the end, or with `Z_SYNC_FLUSH` all data taken so far."""


Decompress: TypeAlias = Callable[[bytes], tuple[bytes, tuple[int, ...]]]
"""Takes the next piece of compressed data: what is in it, and where members begin in that.

Data of gzip and zstd may have several members, one after the other; the first counts as begun.
"""


class _Member(Protocol):
    def decompress(self, data: bytes, /) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...


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


@final
class _Members:
    """Decompresses one member after the other."""

    def __init__(self, begun: Callable[[], _Member], harmless: tuple[type[Exception], ...]) -> None:
        """`harmless` is how data after the last member fails, if readers ignore such data."""
        self._begun = begun
        self._harmless = harmless
        self._member = begun()
        self._is_over = False

    def __call__(self, data: bytes) -> tuple[bytes, tuple[int, ...]]:
        found, rest = b"", data
        if not self._member.eof:
            found, rest = self._member.decompress(data), self._rest()
        begins: list[int] = []
        while rest and not self._is_over:
            member = self._begun()
            try:
                more = member.decompress(rest)
            except self._harmless:
                self._is_over = True
                break
            begins.append(len(found))
            self._member = member
            found, rest = found + more, self._rest()
        return found, tuple(begins)

    def _rest(self) -> bytes:
        return self._member.unused_data if self._member.eof else b""


def _single(decompress: Callable[[bytes], bytes]) -> Decompress:
    return lambda data: (decompress(data), ())


def _gunzip() -> Decompress:
    return _Members(lambda: zlib.decompressobj(zlib.MAX_WBITS | 16), (zlib.error,))


def _inflate() -> Decompress:
    """Servers send either of two formats by this name; the first byte shows which."""
    chosen: list[Callable[[bytes], bytes]] = []

    def decompress(data: bytes) -> bytes:
        if not data:
            return b""
        if not chosen:
            bits = zlib.MAX_WBITS if data[0] & 0x0F == _ZLIB_METHOD else -zlib.MAX_WBITS
            chosen.append(zlib.decompressobj(bits).decompress)
        return chosen[0](data)

    return _single(decompress)


def _unbrotli() -> Decompress | None:
    library = brotli_library()
    return None if library is None else _single(library.Decompressor().process)


def _unzstd() -> Decompress | None:
    library = zstd_library()
    if library is None:
        return None
    return _Members(lambda: library.ZstdDecompressor().decompressobj(), ())


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
