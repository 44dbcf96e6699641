"""Reads and writes the lines of pipes, in threads that nothing else waits for."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from typing import Final, Self, final

from vcr_gen.boundaries.mcp.frames import Frame, frames_in

_PIECE: Final = 65536


def pump(source: int, heard: Callable[[bytes], None], ended: Callable[[], None]) -> Thread:
    """Pass on what can be read from a file descriptor, as it comes, in a thread."""

    def read() -> None:
        with suppress(OSError):  # one of the sides has left
            while piece := os.read(source, _PIECE):
                heard(piece)
        ended()

    thread = Thread(target=read, daemon=True)
    thread.start()
    return thread


def write_all(target: int, data: bytes) -> None:
    """Write data to a file descriptor, however large it is."""
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]


def line_of(frame: Frame) -> bytes:
    """A JSON-RPC message as a line."""
    text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="backslashreplace") + b"\n"  # half a surrogate pair is \udxxx in JSON


@final
class LineBuffer:
    """Finds JSON-RPC messages in the pieces of a stream."""

    def __init__(self) -> None:
        self._rest = b""

    def frames(self, piece: bytes) -> Iterator[Frame]:
        """The messages that a piece completes; other lines, such as a stray print, are no part."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            yield from frames_in(line)


def first_frame(source: int) -> tuple[Frame | None, bytes]:
    """The first message that comes, if any, and all that was read for it."""
    buffer, read = LineBuffer(), b""
    while piece := os.read(source, _PIECE):
        read += piece
        for frame in buffer.frames(piece):
            return frame, read
    return None, read


@final
class FrameReader:
    """The JSON-RPC messages that can be read from a file descriptor; used in a running loop."""

    def __init__(self, source: int, already: bytes = b"") -> None:
        """Read from `source`, of which something may have been read `already`."""
        self._frames: asyncio.Queue[Frame | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._buffer = LineBuffer()
        self._heard(already)
        pump(source, self._heard, lambda: self._put(None))

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Frame:
        frame = await self._frames.get()
        if frame is None:
            raise StopAsyncIteration
        return frame

    def _heard(self, piece: bytes) -> None:
        for frame in self._buffer.frames(piece):
            self._put(frame)

    def _put(self, frame: Frame | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: there is no listener
            self._loop.call_soon_threadsafe(self._frames.put_nowait, frame)
