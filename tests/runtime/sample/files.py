"""Files that cross a boundary."""

import asyncio
import io
import socket
import threading
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, TextIO

from vcr_gen.boundary import inbound, outbound


@dataclass(frozen=True)
class Attachment:
    name: str
    content: BinaryIO


@outbound
class Folder(Protocol):
    """Gives files, and takes them."""

    def open(self, name: str) -> BinaryIO: ...
    def open_text(self, name: str) -> TextIO: ...
    def open_any(self, name: str, mode: str) -> IO[Any]: ...
    def buffer(self, name: str) -> io.BytesIO: ...
    def attachment(self, name: str) -> Attachment: ...
    def upload(self, source: BinaryIO | bytes) -> int: ...
    def upload_lines(self, source: IO[str]) -> list[str]: ...
    def download(self, name: str, target: io.BytesIO) -> None: ...
    def send(self, content: object) -> object: ...
    def feed(self, source: Iterable[bytes] | BinaryIO | TextIO) -> str: ...


@outbound
class Network(Protocol):
    """Gives connections, and takes the handler of one."""

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]: ...
    async def serve(
        self, handler: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
    ) -> bytes: ...


@inbound
class Importer(Protocol):
    """The environment hands a file in."""

    def load(self, source: TextIO) -> int: ...


class RealFolder:
    def __init__(self, root: Path) -> None:
        self._root = root

    def open(self, name: str) -> Any:
        return (self._root / name).open("r+b")

    def open_text(self, name: str) -> Any:
        return (self._root / name).open("r+", encoding="utf-8")

    def open_any(self, name: str, mode: str) -> Any:
        return (self._root / name).open(mode)

    def buffer(self, name: str) -> Any:
        return io.BytesIO((self._root / name).read_bytes())

    def attachment(self, name: str) -> Any:
        return Attachment(name, self.open(name))

    def upload(self, source: Any) -> int:
        data = source if isinstance(source, bytes) else source.read(4) + source.read()
        return (self._root / "uploaded").write_bytes(data)

    def upload_lines(self, source: Any) -> list[str]:
        with source:
            return [next(source), *(line.upper() for line in source)]

    def download(self, name: str, target: Any) -> None:
        with (self._root / name).open("rb") as file:
            for line in file:
                target.write(line)

    def send(self, content: object) -> object:
        return len(str(content))

    def feed(self, source: Any) -> str:
        return type(source.read()).__name__ if hasattr(source, "read") else "items"


class RealNetwork:
    """The other ends of connections, in threads: one answers each line in capitals."""

    async def connect(self) -> Any:
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=_shout, args=(listener,), daemon=True).start()
        return await asyncio.open_connection(*listener.getsockname())

    async def serve(self, handler: Any) -> bytes:
        done = asyncio.Event()

        async def serve(reader: Any, writer: Any) -> None:
            await handler(reader, writer)
            await writer.wait_closed()
            done.set()

        async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
            answer = await asyncio.to_thread(_ask, server.sockets[0].getsockname())
            await done.wait()
        return answer


def _shout(listener: socket.socket) -> None:
    with listener, listener.accept()[0] as connection, connection.makefile("rwb") as file:
        for line in file:
            file.write(line.upper())
            file.flush()


def _ask(address: tuple[str, int]) -> bytes:
    with socket.create_connection(address) as connection, connection.makefile("rwb") as file:
        file.write(b"green tea\n")
        file.flush()
        return file.read()
