"""A server on loopback that answers byte by byte as told, and the exchanges of the tests."""

import gzip
import hashlib
import json
import re
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import brotli
import zstandard

PAUSE: Final = 0.03
"""Seconds between two pieces, once the client has read the first, so that it reads them apart."""
_CONNECTIONS: Final = Path("/proc/net/tcp")
"""Where Linux tells how much of each connection its program has not read."""


class Reset:
    """Break the connection, so that the client notices."""


class Hang:
    """Send nothing more, but keep the connection open."""


Step = bytes | type[Reset] | type[Hang]


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Endpoint:
    """One exchange: what the client does, and what the server answers."""

    answer: Callable[[Request], list[Step]]
    method: str = "GET"
    arguments: Callable[[], dict[str, Any]] = dict
    most: int = 1_000
    """How many pieces the client reads before it closes the response."""
    read_timeout: float = 20.0
    digest: bool = False


def _head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("utf-8")


def _whole(body: bytes, *lines: str, status: str = "200 OK") -> list[Step]:
    return [_head(f"Content-Length: {len(body)}", *lines, status=status) + body]


def _cut(body: bytes, *lines: str, pieces: int = 3) -> list[Step]:
    """A body of known length in several pieces."""
    size = len(body) // pieces + 1
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    return [_head(f"Content-Length: {len(body)}", *lines), *parts]


def _chunked(*chunks: bytes, lines: tuple[str, ...] = ()) -> list[Step]:
    framed = [f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n" for chunk in chunks]
    return [_head("Transfer-Encoding: chunked", *lines), *framed, b"0\r\n\r\n"]


def _events(count: int) -> list[bytes]:
    return [f'event: tick\ndata: {{"n": {number}}}\n\n'.encode() for number in range(count)]


TEXT: Final = "Grüße aus dem Norden. " * 40
DOCUMENT: Final = json.dumps({"name": "Ada", "tags": ["a", "b"], "text": TEXT}).encode()
TWO_MEMBERS: Final = gzip.compress(DOCUMENT) + gzip.compress(TEXT.encode())


def _zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


def _echo(request: Request) -> list[Step]:
    seen = {
        "method": request.method,
        "path": request.path,
        "type": request.headers.get("content-type", "").partition(";")[0],
        "length": len(request.body),
        "digest": hashlib.sha256(_without_boundary(request)).hexdigest(),
    }
    return _whole(json.dumps(seen).encode(), "Content-Type: application/json")


def _without_boundary(request: Request) -> bytes:
    found = re.search(r"boundary=\"?([^\";]+)", request.headers.get("content-type", ""))
    return request.body if found is None else request.body.replace(found[1].encode(), b"")


def _redirect(request: Request) -> list[Step]:
    if request.path == "/redirect":
        return _whole(b"", "Location: /redirect/landed", status="302 Found")
    return _whole(b"landed", "Content-Type: text/plain")


def _cookies(request: Request) -> list[Step]:
    if request.path == "/cookies":
        lines = ("Set-Cookie: colour=green; Path=/", "Set-Cookie: size=xl; Path=/; HttpOnly")
        return _whole(b"", *lines, "Location: /cookies/back", status="303 See Other")
    return _whole(request.headers.get("cookie", "").encode(), "Content-Type: text/plain")


def _digest(request: Request) -> list[Step]:
    if "authorization" not in request.headers:
        challenge = 'Digest realm="home", nonce="abc", qop="auth", algorithm=MD5'
        return _whole(b"", f"WWW-Authenticate: {challenge}", status="401 Unauthorized")
    return _whole(b"welcome", "Content-Type: text/plain")


def _upload() -> dict[str, Any]:
    return {"stream": [b"first ", b"second ", b"third"]}


ENDPOINTS: Final[dict[str, Endpoint]] = {
    "json": Endpoint(lambda _: _whole(DOCUMENT, "Content-Type: application/json")),
    "json in pieces": Endpoint(lambda _: _cut(DOCUMENT, "Content-Type: application/json")),
    "text in pieces": Endpoint(lambda _: _cut(TEXT.encode(), "Content-Type: text/plain", pieces=5)),
    "sse": Endpoint(lambda _: _chunked(*_events(4), lines=("Content-Type: text/event-stream",))),
    "ndjson": Endpoint(lambda _: _chunked(b'{"a": 1}\n', b'{"b": [2]}\n{"c"', b": 3}\n")),
    "chunked": Endpoint(lambda _: _chunked(b"one", b"two and more", b"three")),
    "until closed": Endpoint(lambda _: [_head("Connection: close"), b"first ", b"last"]),
    "gzip": Endpoint(lambda _: _whole(gzip.compress(DOCUMENT), "Content-Encoding: gzip")),
    "gzip in pieces": Endpoint(lambda _: _cut(gzip.compress(DOCUMENT), "Content-Encoding: gzip")),
    "two gzip members": Endpoint(lambda _: _whole(TWO_MEMBERS, "Content-Encoding: gzip")),
    "two gzip members in pieces": Endpoint(lambda _: _cut(TWO_MEMBERS, "Content-Encoding: gzip")),
    "gzip and garbage": Endpoint(
        lambda _: _whole(gzip.compress(DOCUMENT) + b"garbage", "Content-Encoding: gzip")
    ),
    "raw deflate": Endpoint(
        lambda _: _cut(zlib.compress(DOCUMENT)[2:-4], "Content-Encoding: deflate")
    ),
    "two zstd frames": Endpoint(
        lambda _: _whole(_zstd(DOCUMENT) + _zstd(b"and more"), "Content-Encoding: zstd")
    ),
    "deflate": Endpoint(lambda _: _whole(zlib.compress(DOCUMENT), "Content-Encoding: deflate")),
    "br": Endpoint(lambda _: _whole(brotli.compress(DOCUMENT), "Content-Encoding: br")),
    "zstd": Endpoint(lambda _: _whole(_zstd(DOCUMENT), "Content-Encoding: zstd")),
    "broken gzip": Endpoint(lambda _: _whole(b"\x1f\x8bnonsense" * 9, "Content-Encoding: gzip")),
    "redirect": Endpoint(_redirect),
    "cookies": Endpoint(_cookies),
    "duplicate headers": Endpoint(lambda _: _whole(b"x", "X-Tag: a", "X-Other: b", "x-tag: c")),
    "non-ascii headers": Endpoint(lambda _: _whole(b"x", "X-Name: Grüße", "X-Latin: é")),
    "empty": Endpoint(lambda _: _whole(b"")),
    "no content": Endpoint(lambda _: [_head(status="204 No Content")]),
    "no reason": Endpoint(lambda _: [b"HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"]),
    "http 1.0": Endpoint(lambda _: [b"HTTP/1.0 200 OK\r\n\r\nold"]),
    "head": Endpoint(lambda _: [_head("Content-Length: 5", "X-A: b")], method="HEAD"),
    "range": Endpoint(
        lambda _: [
            _head("Content-Range: bytes 2-4/9", "Content-Length: 3", status="206 Partial Content")
            + b"cde"
        ],
        arguments=lambda: {"headers": {"Range": "bytes=2-4"}},
    ),
    "post json": Endpoint(_echo, method="POST", arguments=lambda: {"json": {"b": 1, "a": [True]}}),
    "post form": Endpoint(_echo, method="POST", arguments=lambda: {"data": {"b": "1", "a": "ü"}}),
    "upload in pieces": Endpoint(_echo, method="PUT", arguments=_upload),
    "upload multipart": Endpoint(
        _echo,
        method="POST",
        arguments=lambda: {"files": {"file": ("a.txt", b"content", "text/plain")}},
    ),
    "digest": Endpoint(_digest, digest=True),
    "not found": Endpoint(lambda _: _whole(b'{"error":"no such thing"}', status="404 Not Found")),
    "server error": Endpoint(lambda _: _whole(b"oops", status="503 Service Unavailable")),
    "reset in the body": Endpoint(lambda _: [_head("Content-Length: 99"), b"beginning", Reset]),
    "reset at once": Endpoint(lambda _: [Reset]),
    "truncated": Endpoint(lambda _: [_head("Content-Length: 99"), b"beginning"]),
    "truncated chunk": Endpoint(
        lambda _: [_head("Transfer-Encoding: chunked"), b"3\r\none\r\n", b"9\r\ntw"]
    ),
    "garbage": Endpoint(lambda _: [b"\x00\x01 this is not HTTP\r\n\r\n"]),
    "nothing": Endpoint(lambda _: []),
    "timeout at the head": Endpoint(lambda _: [Hang], read_timeout=0.4),
    "timeout in the body": Endpoint(
        lambda _: [_head("Content-Length: 99"), b"beginning", Hang], read_timeout=0.4
    ),
    "endless": Endpoint(lambda _: _chunked(*_events(40)), most=3),
    "binary": Endpoint(lambda _: _whole(bytes(range(256)) * 4)),
    "crlf text": Endpoint(lambda _: _whole(b"one\r\ntwo\r\n\r\nthree")),
    "a character in two pieces": Endpoint(lambda _: _chunked(b"gr\xc3", b"\xbc\xc3\x9fe")),
}


def _by_name(request: Request) -> list[Step]:
    """The answer of the endpoint whose name is the path."""
    name = request.path.strip("/").partition("/")[0].partition("?")[0].replace("-", " ")
    return ENDPOINTS[_NAMES[name]].answer(request)


class Server:
    """Answers with one thread a connection."""

    def __init__(
        self, answer: Callable[[Request], list[Step]] = _by_name, pause: float = PAUSE
    ) -> None:
        self._steps_for = answer
        self._pause = pause
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._closing = threading.Event()
        self._connections: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # or the thread would accept once more
        self._listener.close()
        for connection in self._connections:
            connection.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        file = connection.makefile("rb")
        try:
            while (request := _read(file)) is not None:
                if not self._answer(connection, self._steps_for(request)):
                    break
        except OSError:
            pass
        finally:
            file.close()
            connection.close()

    def _answer(self, connection: socket.socket, steps: list[Step]) -> bool:
        """Whether the connection can be used again."""
        for number, step in enumerate(steps):
            if number:
                _wait_for_reader(connection)
                time.sleep(self._pause)
            if step is Reset:
                option = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
                return False
            if step is Hang:
                self._closing.wait(10)
                return False
            assert isinstance(step, bytes)
            connection.sendall(step)
        return bool(steps) and _is_framed(steps)


def _wait_for_reader(connection: socket.socket) -> None:
    """Wait until the client has read what was sent: a busy machine may keep it from doing so."""
    if not _CONNECTIONS.exists():
        return
    port = f":{connection.getpeername()[1]:04X}"
    until = time.monotonic() + 5
    while time.monotonic() < until:
        fields = (line.split() for line in _CONNECTIONS.read_text().splitlines())
        unread = [each[4].partition(":")[2] for each in fields if each[1].endswith(port)]
        if all(int(size, 16) == 0 for size in unread):
            return
        time.sleep(0.002)


def _is_framed(steps: list[Step]) -> bool:
    first = steps[0]
    if not isinstance(first, bytes) or not first.startswith(b"HTTP/1.1"):
        return False
    head, _, body = first.partition(b"\r\n\r\n")
    body += b"".join(step for step in steps[1:] if isinstance(step, bytes))
    if b"chunked" in head:
        return body.endswith(b"0\r\n\r\n")
    found = re.search(rb"Content-Length: (\d+)", head)
    return (found is None and b" 204 " in head) or (
        found is not None and (int(found[1]) == len(body) or not body)
    )


def _read(file: Any) -> Request | None:
    line = file.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ")
    headers: dict[str, str] = {}
    while (line := file.readline()) not in (b"\r\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    body = b""
    if headers.get("transfer-encoding") == "chunked":
        while size := int(file.readline(), 16):
            body += file.read(size)
            file.readline()
        file.readline()
    elif "content-length" in headers:
        body = file.read(int(headers["content-length"]))
    return Request(method, path, headers, body)


def path_of(name: str) -> str:
    """The path of an endpoint."""
    return "/" + name.replace(" ", "-")


_NAMES: Final = {path_of(name).strip("/").replace("-", " "): name for name in ENDPOINTS}


@contextmanager
def serving(
    answer: Callable[[Request], list[Step]] = _by_name, *, pause: float = PAUSE
) -> Iterator[Server]:
    """A running server."""
    server = Server(answer, pause)
    try:
        yield server
    finally:
        server.close()
