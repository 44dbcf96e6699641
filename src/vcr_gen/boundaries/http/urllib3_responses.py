"""urllib3 responses that read recorded exchanges.

The head and the pieces of the body are written as HTTP/1.1 again, below a real urllib3 response. So
every way to read one behaves as on a connection.
"""

from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPResponse as Parsed
from http.client import IncompleteRead
from io import BufferedReader, RawIOBase
from typing import Any, final

from urllib3 import HTTPHeaderDict, exceptions
from urllib3 import HTTPResponse as RawResponse

from vcr_gen.boundaries.http.content_encoding import Encoder
from vcr_gen.boundaries.http.exchanges import HttpError, HttpResponse
from vcr_gen.boundaries.http.framing import Aside, SizeLine
from vcr_gen.boundaries.http.library_failures import error_of
from vcr_gen.boundaries.http.urllib3_bodies import MOST
from vcr_gen.errors import UsageError


def raw_response(method: str | None, head: HttpResponse, items: Any) -> RawResponse:
    """A response with this head, whose body comes from the items of an exchange."""
    wire = _Wire(head, items)
    parsed = _Parsed(wire, method)
    parsed.begin()
    raw = _Raw(
        body=parsed,
        headers=HTTPHeaderDict(parsed.headers.items()),
        status=parsed.status,
        version=20 if head.version == "HTTP/2" else parsed.version,
        reason=head.reason,
        preload_content=False,
        decode_content=False,
        original_response=parsed,
        enforce_content_length=False,  # `_Parsed` does: a redacted body is longer or shorter
        request_method=method,
    )
    raw.parsed = parsed
    if hasattr(raw, "version_string"):  # since urllib3 2.3; it says so of HTTP/1.0 too
        raw.version_string = "HTTP/2" if head.version == "HTTP/2" else "HTTP/1.1"
    wire.begin_body(raw.length_remaining, chunked=raw.chunked)
    return raw


class _Raw(RawResponse):
    """A response that tells the parser below it whether it decodes."""

    parsed: "_Parsed"

    def read(
        self,
        amt: int | None = None,
        decode_content: bool | None = None,
        cache_content: bool = False,
    ) -> bytes:
        decodes = self.decode_content if decode_content is None else decode_content
        self.parsed.feeds_decoder = decodes and "content-encoding" in self.headers
        return super().read(amt, decode_content, cache_content)

    def read1(self, amt: int | None = None, decode_content: bool | None = None) -> bytes:
        declared, before = self.length_remaining, self.tell()
        self.length_remaining = None  # it would end a redacted body too early
        data = super().read1(amt, decode_content)
        if declared is not None:
            self.length_remaining = declared - (self.tell() - before)
        return data

    def __del__(self) -> None:
        with suppress(BaseException):  # the cassette keeps a failure, and here it helps no one
            self.close()


@final
class _Wire(RawIOBase):
    """The bytes of a response. They are made when they are read."""

    def __init__(self, head: HttpResponse, items: Iterator[Any]) -> None:
        self._items: Any = items
        self._encoder = Encoder(head.headers)
        self._ready = memoryview(_written(head))
        self._size_line: SizeLine | None = None
        self._is_chunked = False
        self._length: int | None = None
        self._error: BaseException | None = None
        self._is_over = False
        self.written = 0
        """Bytes of the body so far."""
        self.ended_early = False

    def begin_body(self, length: int | None, *, chunked: bool) -> None:
        """The head has been read."""
        self._length, self._is_chunked = length, chunked
        self.is_used_up(0)

    def is_used_up(self, given: int) -> bool:
        """Whether the program has got the whole body, of which it has got `given` bytes.

        The end of the exchange is read with the last byte: the program may not ask for more. In a
        replay the body may be longer; the end is read where it was read in the recording.
        """
        if self._length is None:
            return False
        while self._length <= given and not self._is_over:
            self._pull()
        return given == self.written and self._is_over and not self.ended_early

    @property
    def missing(self) -> int:
        """How many bytes a body that ended early lacks."""
        if not self.ended_early or self._length is None:
            return 0
        return max(self._length - self.written, 1)

    def readable(self) -> bool:
        return True

    def readinto(self, target: Any, /) -> int:
        while not self._ready and not self._is_over:
            self._pull()
        if not self._ready and self._error is not None:
            raise self._error
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def close(self) -> None:
        if not self.closed:
            super().close()
            with suppress(UsageError):  # a response may be closed after the cassette
                self._items.close()

    def _pull(self) -> None:
        try:
            piece = next(self._items)
        except StopIteration:
            self._is_over = True
            self._write(self._encoder.finish())
            if self._is_chunked:
                self._add(b"0\r\n\r\n")
        except HttpError as failed:
            self._fail(error_of(failed))
        else:
            if isinstance(piece, SizeLine):
                self._size_line = piece
            elif isinstance(piece, Aside):
                self._encoder.heed(piece)
            else:
                self._write(self._encoder.encode(piece))

    def _write(self, data: bytes) -> None:
        self.written += len(data)
        if not self._is_chunked or not data:
            self._add(data)
        elif self._size_line is None:
            self._add(b"%x\r\n%b\r\n" % (len(data), data))
        else:
            declared = int(self._size_line.partition(b";")[0], 16)
            is_true = declared >= len(data)  # not if it was redacted or compressed again
            self._add((self._size_line if is_true else b"%x\r\n" % (len(data) + 1)) + data)
            self._size_line = None

    def _add(self, data: bytes) -> None:
        self._ready = memoryview(bytes(self._ready) + data if self._ready else data)

    def _fail(self, error: BaseException) -> None:
        self._is_over = True
        self._add(self._size_line or b"")
        if isinstance(error, IncompleteRead):
            self.ended_early = True
        else:
            self._error = error


class _Parsed(Parsed):
    """A response whose body lasts until the wire ends, whatever length its head declares."""

    def __init__(self, wire: _Wire, method: str | None) -> None:
        socket: Any = _Socket(wire)
        super().__init__(socket, method=method)
        self._wire = wire
        self._given = 0
        self.feeds_decoder = False
        """Whether the bytes are decoded. In a replay they are not those of the recording, but each
        piece decodes to the same: so the next piece is not read before this one is decoded."""

    def begin(self) -> None:
        super().begin()
        if self.length:
            self.length = None

    def read(self, amt: int | None = None) -> bytes:
        if self.feeds_decoder and amt is not None and not self.chunked:
            return self.read1(amt)
        data = super().read(amt)
        if amt is None and (missing := self._wire.missing):
            raise IncompleteRead(data, missing)
        return self._checked(data, amt)

    def read1(self, n: int = -1) -> bytes:
        return self._checked(super().read1(MOST if n < 0 and not self.chunked else n), n)

    def _checked(self, data: bytes, size: int | None) -> bytes:
        if not data and size and size > 0 and (missing := self._wire.missing):
            raise exceptions.IncompleteRead(self._wire.written, missing)
        self._given += len(data)
        if not self.feeds_decoder and self._wire.is_used_up(self._given):
            self.close()
        return data


@final
class _Socket:
    """Where the parser gets its file."""

    def __init__(self, wire: _Wire) -> None:
        self._wire = wire

    def makefile(self, _: str) -> BufferedReader:
        return BufferedReader(self._wire)


def _written(head: HttpResponse) -> bytes:
    """The head of a response as HTTP/1.1."""
    version = head.version if head.version.startswith("HTTP/1.") else "HTTP/1.1"
    first = f"{version} {head.status} {head.reason or ''}\r\n".encode("latin-1", "replace")
    lines = [b"%b: %b\r\n" % header for header in head.headers]
    return b"".join((first, *lines, b"\r\n"))
