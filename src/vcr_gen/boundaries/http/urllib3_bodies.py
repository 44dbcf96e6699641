"""Reads the body of a urllib3 response as it travels: HTTP chunks, or what one read returns.

urllib3's own methods drop the part of a chunk that arrived before a connection broke, and raise the
same exception for different causes. The file below them does neither.
"""

from collections.abc import Iterable, Iterator
from http.client import HTTPResponse, IncompleteRead
from typing import Any, Final, Protocol

from urllib3 import exceptions

from vcr_gen.boundaries.http.framing import SizeLine

MOST: Final = 1 << 16
"""The most bytes of one read."""
_LONGEST_LINE: Final = 1 << 16


class _File(Protocol):
    def read1(self, size: int, /) -> bytes: ...

    def readline(self, size: int, /) -> bytes: ...


def pieces_of(raw: Any) -> Iterator[bytes]:
    """The body in pieces, still in its content encoding; with the last the connection is free.

    A body that ends early raises `IncompleteRead`; everything else is the exception of the socket,
    apart from a timeout: its text names the pool of the connection.
    """
    response = getattr(raw, "_fp", None)
    if not isinstance(response, HTTPResponse):  # not HTTP/1.1, or not from the network
        yield from _read(raw)
        return
    left = raw.length_remaining
    if response.fp is not None and left != 0:
        file: Any = response.fp
        try:
            for piece in _chunks(file, raw) if raw.chunked else _stretches(file, left):
                if left is not None:
                    left -= len(piece)
                    _release(response, raw, left)
                yield piece
        except TimeoutError as error:
            raise exceptions.ReadTimeoutError(raw._pool, None, "Read timed out.") from error
    _release(response, raw, 0)


def _release(response: HTTPResponse, raw: Any, left: int) -> None:
    """Let the next request use the connection, once nothing is left to read."""
    if not left:
        response.close()
        raw.release_conn()


def joined(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same body in one piece, for a program that reads it whole."""
    ready: list[bytes] = []
    try:
        for piece in pieces:
            if isinstance(piece, SizeLine):
                yield from _whole(ready)
                yield piece
            else:
                ready.append(piece)
    except Exception:
        yield from _whole(ready)
        raise
    yield from _whole(ready)


def _whole(ready: list[bytes]) -> Iterator[bytes]:
    if ready:
        yield b"".join(ready)
        ready.clear()


def _read(raw: Any) -> Iterator[bytes]:
    if hasattr(raw, "stream"):
        yield from raw.stream(MOST, decode_content=False)
        return
    while piece := raw.read(MOST):
        yield piece


def _stretches(file: _File, length: int | None) -> Iterator[bytes]:
    """A body of known length, or one that lasts until the connection is closed."""
    done = 0
    while done != length:
        piece = file.read1(MOST if length is None else min(MOST, length - done))
        if not piece:
            if length is None:
                return
            raise exceptions.IncompleteRead(done, length - done)
        done += len(piece)
        yield piece


def _chunks(file: _File, raw: Any) -> Iterator[bytes]:
    while size := _size(line := file.readline(_LONGEST_LINE + 1)):
        yield from _chunk(file, line, size)
    if size is None:
        if not line:
            raise IncompleteRead(b"")
        yield SizeLine(line)
        raise exceptions.InvalidChunkLength(raw, line)
    while file.readline(_LONGEST_LINE) not in (b"\r\n", b"\n", b""):
        pass  # trailers, which urllib3 ignores


def _size(line: bytes) -> int | None:
    """The size of the chunk after a line; None if the line has none."""
    try:
        size = int(line.partition(b";")[0], 16)
    except ValueError:
        return None
    return None if size < 0 or len(line) > _LONGEST_LINE else size


def _chunk(file: _File, line: bytes, size: int) -> Iterator[bytes]:
    """A chunk without the end of its line; or the beginning of one, after its size."""
    data = bytearray()
    try:
        while missing := size + 2 - len(data):
            piece = file.read1(missing)
            if not piece:
                raise exceptions.IncompleteRead(len(data), max(0, size - len(data)))
            data += piece
    except (OSError, IncompleteRead):
        yield SizeLine(line)
        if data:
            yield bytes(data[:size])
        raise
    yield bytes(data[:size])
