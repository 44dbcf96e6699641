"""What is special about aiohttp: its ways to read a body, timeouts, closing, uploads, errors."""

import asyncio
import gc
import gzip
import os
import socket
import ssl
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp.client_exceptions import UnixClientConnectorError
from aiohttp.client_reqrep import ConnectionKey
from aiohttp.http_exceptions import BadStatusLine, TransferEncodingError
from multidict import CIMultiDict, CIMultiDictProxy
from yarl import URL

from vcr_gen import Cassette
from vcr_gen.boundaries.http import aiohttp_middleware
from vcr_gen.errors import DivergenceError, UsageError

Answer = Callable[[BaseHTTPRequestHandler], None]
Program = Callable[[aiohttp.ClientSession, str], Awaitable[Any]]

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *args: Any) -> None: ...

        def _answer(self) -> None:
            answer(self)
            self.wfile.flush()

        do_GET = do_POST = _answer  # noqa: N815

        def finish(self) -> None:
            with suppress(OSError):
                super().finish()

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False
        request_queue_size = 64

        def handle_error(self, request: Any, client_address: Any) -> None: ...

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def running(program: Program, base: str, cassette: Cassette | None, **options: Any) -> Any:
    middlewares = [] if cassette is None else [aiohttp_middleware(cassette)]

    async def run() -> Any:
        options.setdefault("cookie_jar", aiohttp.CookieJar(unsafe=True))
        async with aiohttp.ClientSession(middlewares=middlewares, **options) as session:
            return await program(session, base)

    return asyncio.run(run())


def three_times(tmp_path: Path, answer: Answer, program: Program, **options: Any) -> Any:
    """What the program returns; the same live, while recording, and replaying without a server."""
    tape = tmp_path / "tape.yaml"
    with serving(answer) as base:
        live = running(program, base, None, **options)
        with Cassette(tape, "all") as cassette:
            recorded = running(program, base, cassette, **options)
    with Cassette(tape, "none") as cassette:
        replayed = running(program, base, cassette, **options)
    assert live == recorded
    assert live == replayed
    return live


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def sending(*steps: bytes | float) -> Answer:
    """Writes bytes, and pauses for seconds between them."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        for step in steps:
            if isinstance(step, bytes):
                handler.wfile.write(step)
                handler.wfile.flush()
            else:
                time.sleep(step)

    return answer


def whole(body: bytes, *lines: str, status: str = "200 OK") -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *lines, "", ""])
    return head.encode() + body


LINES = sending(CHUNKED, 0.2, chunk(b"one\ntw"), 0.2, chunk(b"o\n") + chunk(b"three\n"), 0.2, END)


async def _all(items: Any) -> list[Any]:
    return [item async for item in items]


READERS: dict[str, Callable[[aiohttp.ClientResponse], Awaitable[Any]]] = {
    "iter_chunks": lambda response: _all(response.content.iter_chunks()),
    "iter_any": lambda response: _all(response.content.iter_any()),
    "iter_chunked": lambda response: _all(response.content.iter_chunked(4)),
    "lines": lambda response: _all(response.content),
    "read": lambda response: response.content.read(),
    "read some": lambda response: response.content.read(2),
    "readexactly": lambda response: response.content.readexactly(5),
    "text": lambda response: response.text(),
    "nothing": lambda response: asyncio.sleep(0),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_body_is_read_in_every_way_of_aiohttp(tmp_path: Path, reader: str) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base) as response:
            return await READERS[reader](response), response.content.at_eof()

    three_times(tmp_path, LINES, program)


def test_http_chunks_that_are_cut_or_arrive_together_keep_their_ends(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base) as response:
            return await _all(response.content.iter_chunks())

    cut = sending(CHUNKED, 0.05, b"6\r\nabc", 0.05, b"def\r", 0.05, b"\n" + chunk(b"x") + END)
    seen = three_times(tmp_path, cut, program)
    assert seen[:4] == [(b"abc", False), (b"def", False), (b"", True), (b"x", True)]


def test_the_tape_shows_plain_text_for_plain_chunks(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> str:
        async with session.get(base) as response:
            return await response.text()

    three_times(tmp_path, sending(CHUNKED, 0.05, chunk(b"one"), 0.05, END), program)
    assert "framing" not in (tmp_path / "tape.yaml").read_text()


def test_json_and_status(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        response = await session.get(base)
        data = await response.json()
        with pytest.raises(aiohttp.ClientResponseError) as caught:
            response.raise_for_status()
        error = caught.value
        return data, str(error), error.status, response.connection, response.closed

    body = b'{"error":"none"}'
    answer = sending(whole(body, "Content-Type: application/json", status="404 Not Found"))
    assert three_times(tmp_path, answer, program)[0] == {"error": "none"}


def test_a_cancelled_read_can_be_tried_again(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        seen = []
        async with session.get(base) as response:
            while not response.content.at_eof():
                try:
                    seen.append(await asyncio.wait_for(response.content.readline(), 0.15))
                except TimeoutError:
                    seen.append(b"timeout")
        return seen

    answer = sending(CHUNKED, 0.4, chunk(b"late\n"), chunk(b"more\n") + END)
    assert b"timeout" in three_times(tmp_path, answer, program)


class TestTotalTimeout:
    def test_at_the_head(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            with pytest.raises(TimeoutError) as caught:
                await session.get(base)
            task = asyncio.current_task()
            assert task is not None
            return type(caught.value), str(caught.value), task.cancelling()

        three_times(
            tmp_path, sending(1.0, whole(b"x")), program, timeout=aiohttp.ClientTimeout(total=0.3)
        )

    def test_in_the_body(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            seen = []
            async with session.get(base) as response:
                try:
                    while True:
                        seen.append(await response.content.readany())
                except TimeoutError as error:
                    return seen, type(error), str(error)

        answer = sending(CHUNKED, chunk(b"a"), 0.1, chunk(b"b"), 1.0, chunk(b"c"), END)
        three_times(tmp_path, answer, program, timeout=aiohttp.ClientTimeout(total=0.4))

    def test_long_timeouts_are_rounded_up_the_same(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            response = await session.get(base)
            with pytest.raises(TimeoutError):
                await response.read()
            return response.closed, response.connection

        timeout = aiohttp.ClientTimeout(total=0.3, ceil_threshold=0.1)
        answer = sending(CHUNKED, chunk(b"a"), 2.5, END)
        three_times(tmp_path, answer, program, timeout=timeout)

    def test_it_does_not_fire_once_the_body_has_arrived(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            async with session.get(base) as response:
                await asyncio.sleep(0.6)
                return await response.text()

        answer = sending(CHUNKED, chunk(b"a"), 0.1, chunk(b"b") + END)
        timeout = aiohttp.ClientTimeout(total=0.4)
        assert three_times(tmp_path, answer, program, timeout=timeout) == "ab"

    def test_it_fires_while_the_program_does_something_else(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            async with session.get(base) as response:
                await asyncio.sleep(0.6)
                with pytest.raises(TimeoutError):
                    await response.text()

        answer = sending(CHUNKED, chunk(b"a"), 0.8, chunk(b"b") + END)
        three_times(tmp_path, answer, program, timeout=aiohttp.ClientTimeout(total=0.4))


def ticking(handler: BaseHTTPRequestHandler) -> None:
    """An endless stream; it ends when the client has closed the connection."""
    handler.wfile.write(CHUNKED)
    while True:
        handler.wfile.write(chunk(b"tick"))
        handler.wfile.flush()
        time.sleep(0.03)


class TestEarlyClose:
    @pytest.mark.parametrize("how", ["leave", "release", "close", "raise", "forget"])
    @pytest.mark.filterwarnings(
        "ignore:Unclosed connection", "ignore::pytest.PytestUnraisableExceptionWarning"
    )
    def test_it_closes_the_exchange(self, tmp_path: Path, how: str) -> None:
        closed = threading.Semaphore(0)

        def answer(handler: BaseHTTPRequestHandler) -> None:
            try:
                ticking(handler)
            except OSError:
                closed.release()

        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            if how == "leave":
                async with session.get(base) as response:
                    seen = [await response.content.read(4) for _ in range(3)]
                return seen, response.closed, response.connection
            response = await session.get(base)
            seen = [await response.content.read(4) for _ in range(3)]
            if how == "release":
                response.release()
            elif how == "close":
                response.close()
            elif how == "raise":
                response.status = 500
                with pytest.raises(aiohttp.ClientResponseError):
                    response.raise_for_status()
            else:
                return seen, response.closed
            with pytest.raises(aiohttp.ClientConnectionError, match="Connection closed"):
                await response.content.read()
            return seen, response.closed, response.connection

        three_times(tmp_path, answer, program)
        gc.collect()  # without vcr-gen, aiohttp warns of a forgotten response
        assert closed.acquire(timeout=5)
        assert closed.acquire(timeout=5)

    def test_a_response_that_is_never_read(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            statuses = []
            for _ in range(3):
                async with session.get(base) as response:
                    statuses.append(response.status)
            return statuses

        three_times(tmp_path, sending(CHUNKED, chunk(b"a"), 0.05, END), program)

    def test_a_redirect_with_a_body(self, tmp_path: Path) -> None:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            if handler.path == "/":
                moved = whole(b"moved to /there", "Location: /there", status="302 Found")
                handler.wfile.write(moved)
            else:
                handler.wfile.write(whole(b"there"))

        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            async with session.get(base) as response:
                return await response.text(), [each.status for each in response.history]

        assert three_times(tmp_path, answer, program) == ("there", [302])


def test_sixteen_streams_interleave_in_a_replay_as_recorded(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        number = int(handler.path.strip("/"))
        handler.wfile.write(CHUNKED)
        for event in range(6):
            handler.wfile.write(chunk(b"%d.%d" % (number, event)))
            handler.wfile.flush()
            time.sleep(0.003 * (1 + (number * 7 + event * 3) % 5))
        handler.wfile.write(END)

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        seen: list[tuple[bytes, bool]] = []

        async def read(number: int) -> None:
            async with session.get(f"{base}/{number}") as response:
                while not response.content.at_eof():
                    seen.append(await response.content.readchunk())

        await asyncio.gather(*(read(number) for number in range(16)))
        return seen

    tape = tmp_path / "tape.yaml"
    with serving(answer) as base, Cassette(tape, "all") as cassette:
        recorded = running(program, base, cassette)
    for _ in range(3):
        with Cassette(tape, "none") as cassette:
            assert recorded == running(program, base, cassette)
    assert {b"%d.%d" % (n, event) for n in range(16) for event in range(6)} <= {
        piece for piece, _ in recorded
    }


def test_identical_requests_answered_in_reverse_are_not_swapped(tmp_path: Path) -> None:
    arrived: list[threading.Event] = []
    lock = threading.Lock()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        own = threading.Event()
        with lock:
            arrived.append(own)
            number = len(arrived)
            if len(arrived) == 5:
                arrived[4].set()
        assert own.wait(10)
        handler.wfile.write(whole(b"answer %d" % number))
        handler.wfile.flush()
        time.sleep(0.03)
        if number > 1:
            arrived[number - 2].set()

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        order: list[int] = []

        async def ask(number: int) -> str:
            await asyncio.sleep(number * 0.03)
            async with session.get(base) as response:
                text = await response.text()
                order.append(number)
                return text

        return await asyncio.gather(*map(ask, range(5))), order

    tape = tmp_path / "tape.yaml"
    with serving(answer) as base, Cassette(tape, "all") as cassette:
        recorded = running(program, base, cassette)
    with Cassette(tape, "none") as cassette:
        assert recorded == running(program, base, cassette)
    assert ([f"answer {n}" for n in range(1, 6)], [4, 3, 2, 1, 0]) == recorded


def test_connections_are_used_again_while_recording(tmp_path: Path) -> None:
    ports: list[int] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        ports.append(handler.client_address[1])
        handler.wfile.write(
            whole(b"a" * 10) if handler.path == "/" else CHUNKED + chunk(b"b") + END
        )

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        for path in ("/", "/chunked", "/", "/chunked"):
            async with session.get(base + path) as response:
                await response.read()

    three_times(tmp_path, answer, program)
    assert len(set(ports[:4])) == 1
    assert len(set(ports[4:])) == 1


def test_an_unchanged_world_is_verified(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base) as response:
            return await response.read()

    with serving(LINES) as base:
        for mode in ("all", "verify"):
            with Cassette(tmp_path / "tape.yaml", mode) as cassette:
                assert running(program, base, cassette) == b"one\ntwo\nthree\n"


def test_a_session_keeps_its_cookies(tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        sent = handler.headers.get("Cookie", "")
        lines = ["Set-Cookie: seen=yes; Path=/", "Set-Cookie: theme=dark; Max-Age=1000"]
        handler.wfile.write(whole(sent.encode(), *lines))

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        seen = []
        for _ in range(2):
            async with session.get(base) as response:
                seen.append((await response.text(), str(response.cookies)))
        jar = sorted((each.key, each.value, each["path"]) for each in session.cookie_jar)
        return seen, jar

    seen, jar = three_times(tmp_path, answer, program)
    assert "; ".join(sorted(seen[1][0].split("; "))) == "seen=yes; theme=dark"
    assert [key for key, _, _ in jar] == ["seen", "theme"]


def received(handler: BaseHTTPRequestHandler) -> bytes:
    """The body of a request, and how it was framed."""
    if "Content-Length" in handler.headers:
        return b"whole " + handler.rfile.read(int(handler.headers["Content-Length"]))
    body = b"chunked"
    while size := int(handler.rfile.readline(), 16):
        body += b" " + handler.rfile.read(size)
        handler.rfile.readline()
    handler.rfile.readline()
    return body


def echo(handler: BaseHTTPRequestHandler) -> None:
    body = received(handler)
    boundary = handler.headers.get_boundary()
    if boundary:
        body = body.replace(boundary.encode(), b"boundary")
    handler.wfile.write(whole(body, f"X-Type: {handler.headers.get_content_type()}"))


async def _parts() -> AsyncIterator[bytes]:
    for part in (b"first", b"second"):
        await asyncio.sleep(0.01)
        yield part


def _form(path: Path) -> aiohttp.FormData:
    form = aiohttp.FormData()
    form.add_field("text", "Grüße")
    form.add_field("file", path.open("rb"), filename="a.bin", content_type="text/plain")
    return form


def _pipe() -> Any:
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe")
    os.close(writing)
    return os.fdopen(reading, "rb")


UPLOADS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "bytes": lambda _: {"data": b"some bytes"},
    "text": lambda _: {"data": "Grüße"},
    "json": lambda _: {"json": {"b": 1, "a": [None]}},
    "fields": lambda _: {"data": {"a": "1", "b": "ü"}},
    "generator": lambda _: {"data": _parts()},
    "file": lambda path: {"data": path.open("rb")},
    "multipart": lambda path: {"data": _form(path)},
    "pipe": lambda _: {"data": _pipe()},
    "nothing": lambda _: {},
}


@pytest.mark.parametrize("upload", UPLOADS)
def test_an_upload_is_sent_unchanged(tmp_path: Path, upload: str) -> None:
    path = tmp_path / "upload.txt"
    path.write_bytes(b"content of a file\n" * 20)

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        arguments = UPLOADS[upload](path)
        async with session.post(base, **arguments) as response:
            seen = await response.text(), response.headers["X-Type"]
        if upload == "pipe":
            arguments["data"].close()
        return seen

    three_times(tmp_path, echo, program)


@pytest.mark.skipif(not hasattr(aiohttp, "UploadTracker"), reason="new in aiohttp 3.14.4")
def test_an_upload_is_tracked(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        tracker = aiohttp.UploadTracker()
        async with session.post(base, data=_parts(), upload_tracker=tracker) as response:
            await response.read()
        await tracker.upload_complete
        return tracker.attempts, tracker.bytes_written

    assert (1, len(b"firstsecond")) == three_times(tmp_path, echo, program)


@pytest.mark.parametrize("upload", ["bytes", "file", "generator"])
def test_an_upload_is_redirected(tmp_path: Path, upload: str) -> None:
    path = tmp_path / "upload.txt"
    path.write_bytes(b"content of a file")
    if upload == "generator" and aiohttp.__version__ < "3.14":
        pytest.skip("aiohttp before 3.14 sends an empty body the second time")

    def answer(handler: BaseHTTPRequestHandler) -> None:
        body = received(handler)
        if handler.path == "/there":
            handler.wfile.write(whole(body))
        else:
            handler.wfile.write(whole(b"", "Location: /there", status="307 Temporary Redirect"))

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        try:
            async with session.post(base, **UPLOADS[upload](path)) as response:
                return await response.text()
        except aiohttp.ClientError as error:
            return type(error), str(error)

    three_times(tmp_path, answer, program)


def test_another_upload_is_a_difference(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str, last: bytes) -> Any:
        async def parts() -> AsyncIterator[bytes]:
            yield b"first"
            yield last

        async with session.post(base, data=parts()) as response:
            return await response.text()

    with serving(echo) as base, Cassette(tmp_path / "tape.yaml", "all") as cassette:
        running(lambda s, b: program(s, b, b"second"), base, cassette)
    with (
        pytest.raises(BaseException, match="second"),
        Cassette(tmp_path / "tape.yaml", "none") as cassette,
    ):
        running(lambda s, b: program(s, b, b"other"), base, cassette)


@pytest.mark.parametrize("setting", ["of the session", "of the request"])
def test_a_body_that_aiohttp_does_not_decode_is_readable_on_the_tape(
    tmp_path: Path, setting: str
) -> None:
    of_request = {"auto_decompress": False} if setting == "of the request" else {}

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base, **of_request) as response:
            return gzip.decompress(await response.read()), response.headers["Content-Encoding"]

    answer = sending(whole(gzip.compress(b"readable text"), "Content-Encoding: gzip"))
    three_times(tmp_path, answer, program, auto_decompress=bool(of_request))
    assert "readable text" in (tmp_path / "tape.yaml").read_text()


def test_the_same_where_other_middlewares_come_after_ours(tmp_path: Path) -> None:
    async def another(request: aiohttp.ClientRequest, handler: Any) -> aiohttp.ClientResponse:
        response: aiohttp.ClientResponse = await handler(request)
        return response

    async def program(base: str, cassette: Cassette) -> bytes:
        middlewares = [aiohttp_middleware(cassette), another, another]
        async with (
            aiohttp.ClientSession(middlewares=middlewares) as session,
            session.get(base, auto_decompress=False) as response,
        ):
            return gzip.decompress(await response.read())

    answer = sending(whole(gzip.compress(b"readable text"), "Content-Encoding: gzip"))
    with serving(answer) as base, Cassette(tmp_path / "tape.yaml", "all") as cassette:
        assert asyncio.run(program(base, cassette)) == b"readable text"
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        assert asyncio.run(program(base, cassette)) == b"readable text"
    assert "readable text" in (tmp_path / "tape.yaml").read_text()


class TestErrors:
    def test_nobody_listens(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/"

        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            with pytest.raises(aiohttp.ClientConnectorError) as caught:
                await session.get(url)
            error = caught.value
            seen = type(error), str(error), error.errno, error.host, error.port, error.ssl
            return seen, type(error.os_error), str(error.os_error), type(error.__cause__)

        three_times(tmp_path, echo, program)

    def test_no_such_host(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            with pytest.raises(aiohttp.ClientConnectorDNSError) as caught:
                await session.get("http://nowhere.invalid/")
            return str(caught.value), caught.value.host, caught.value.errno

        three_times(tmp_path, echo, program)

    def test_no_such_socket(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            connector = aiohttp.UnixConnector(str(tmp_path / "missing"))
            async with aiohttp.ClientSession(
                connector=connector, middlewares=session._middlewares
            ) as own:
                with pytest.raises(aiohttp.ClientConnectorError) as caught:
                    await own.get("http://localhost/")
            return type(caught.value), str(caught.value)

        three_times(tmp_path, echo, program)

    def test_not_http(self, tmp_path: Path) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            with pytest.raises(aiohttp.ClientResponseError) as caught:
                await session.post(base, json={})
            error = caught.value
            return str(error), error.status, error.message, error.request_info.method

        three_times(tmp_path, sending(b"nonsense\r\n\r\n"), program)

    def test_the_server_hangs_up(self, tmp_path: Path) -> None:
        def answer(handler: BaseHTTPRequestHandler) -> None:
            handler.close_connection = True

        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            with pytest.raises(aiohttp.ServerDisconnectedError) as caught:
                await session.get(base)
            return str(caught.value), caught.value.message

        three_times(tmp_path, answer, program)

    def test_connecting_takes_too_long(self, tmp_path: Path) -> None:
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
            address = listener.getsockname()
            queue = [socket.socket() for _ in range(4)]
            for each in queue:
                each.setblocking(False)
                each.connect_ex(address)

            async def program(session: aiohttp.ClientSession, base: str) -> Any:
                timeout = aiohttp.ClientTimeout(sock_connect=0.3)
                with pytest.raises(aiohttp.ServerTimeoutError) as caught:
                    await session.get(f"http://127.0.0.1:{address[1]}/", timeout=timeout)
                return type(caught.value), str(caught.value)

            three_times(tmp_path, echo, program)
            for each in queue:
                each.close()

    @pytest.mark.parametrize("where", ["head", "body"])
    def test_the_socket_times_out(self, tmp_path: Path, where: str) -> None:
        async def program(session: aiohttp.ClientSession, base: str) -> Any:
            with pytest.raises(aiohttp.SocketTimeoutError) as caught:
                async with session.get(base) as response:
                    await response.read()
            return str(caught.value)

        first = CHUNKED + chunk(b"a") if where == "body" else b""
        timeout = aiohttp.ClientTimeout(sock_read=0.3)
        three_times(tmp_path, sending(first, 1.0, END), program, timeout=timeout)

    def test_the_original_exception_is_raised_while_recording(self, tmp_path: Path) -> None:
        raised: list[BaseException] = []

        async def note(request: Any, handler: Any) -> Any:
            try:
                return await handler(request)
            except Exception as error:
                raised.append(error)
                raise

        async def run() -> BaseException:
            async with aiohttp.ClientSession(
                middlewares=[aiohttp_middleware(cassette), note]
            ) as session:
                with pytest.raises(aiohttp.ClientError) as caught:
                    await session.post(base)
                return caught.value

        tape = tmp_path / "tape.yaml"
        with serving(sending(b"nonsense\r\n\r\n")) as base, Cassette(tape, "all") as cassette:
            assert asyncio.run(run()) is raised[0]


def _key() -> ConnectionKey:
    return ConnectionKey("api.example", 443, True, False, None, None, None)


def _info() -> Any:
    url = URL("http://api.example/path")
    return aiohttp.RequestInfo(url, "POST", CIMultiDictProxy(CIMultiDict()))


def _caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


REFUSED = ConnectionRefusedError(111, "Connect call failed ('10.0.0.1', 443)")
EXPIRED = ssl.SSLCertVerificationError(1, "certificate has expired (_ssl.c:1006)")
ERRORS: list[BaseException] = [
    _caused(aiohttp.ClientConnectorError(_key(), REFUSED), REFUSED),
    aiohttp.ClientConnectorError(_key(), REFUSED),
    aiohttp.ClientConnectorDNSError(_key(), socket.gaierror(-2, "Name or service not known")),
    aiohttp.ClientProxyConnectionError(_key(), OSError(None, "no route")),
    aiohttp.ClientConnectorSSLError(_key(), ssl.SSLError(1, "wrong version number")),
    _caused(aiohttp.ClientConnectorCertificateError(_key(), EXPIRED), EXPIRED),
    UnixClientConnectorError("/run/api.sock", _key(), FileNotFoundError(2, "No such file")),
    aiohttp.ServerFingerprintMismatch(b"\x01\xff", b"\x02", "api.example", 443),
    aiohttp.ClientHttpProxyError(_info(), (), status=407, message="Proxy Auth"),
    aiohttp.ContentTypeError(_info(), (), status=200, headers=CIMultiDict({"A": "b"})),
    aiohttp.ClientConnectionResetError("Cannot write to closing transport"),
    aiohttp.ClientConnectionError("Connection closed"),
    aiohttp.ClientOSError(32, "Broken pipe"),
    aiohttp.ClientPayloadError("Response payload is not completed"),
    _caused(aiohttp.ClientPayloadError("400, message"), TransferEncodingError("bad chunk")),
    _caused(aiohttp.ServerDisconnectedError(), BadStatusLine("HELO", "no HTTP")),
    aiohttp.ConnectionTimeoutError("Connection timeout to host http://a"),
    aiohttp.SocketTimeoutError("Timeout on reading data from socket"),
    aiohttp.ServerDisconnectedError(),
    aiohttp.ServerDisconnectedError("half a head"),
    aiohttp.InvalidURL("http://", "no host"),
    TimeoutError(),
    ValueError("not an error of aiohttp"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_exception_is_the_same_in_a_replay(tmp_path: Path, error: BaseException) -> None:
    async def fail(request: Any, handler: Any) -> Any:
        raise error

    async def run(cassette: Cassette) -> Any:
        middlewares = [aiohttp_middleware(cassette), fail]
        async with aiohttp.ClientSession(middlewares=middlewares) as session:
            with pytest.raises(type(error)) as caught:
                await session.post("http://api.example/path")
            seen = caught.value
            fields = ("errno", "strerror", "host", "port", "status", "message", "headers")
            causes = type(seen.__cause__), str(seen.__cause__)
            return type(seen), str(seen), [getattr(seen, field, None) for field in fields], causes

    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        recorded = asyncio.run(run(cassette))
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        assert recorded == asyncio.run(run(cassette))


def test_a_websocket_is_refused(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        with pytest.raises(UsageError, match="WebSocket"):
            await session.ws_connect(base)

    with serving(echo) as base, Cassette(tmp_path / "tape.yaml", "all") as cassette:
        running(program, base, cassette)


def test_a_large_body_waits_for_a_slow_reader(tmp_path: Path) -> None:
    body = b"".join(b"%07d\n" % number for number in range(300_000))

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base) as response:
            await asyncio.sleep(0.2)
            buffered = response.content.total_bytes
            return await response.read() == body, buffered < len(body), response.connection

    three_times(tmp_path, sending(whole(body)), program)


def test_a_secret_in_several_chunks_is_not_on_disk(tmp_path: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    text = f'data: {{"api_key": "{secret}"}}\n\n'.encode()
    pieces = [text[start : start + 7] for start in range(0, len(text), 7)]
    cut = [step for piece in pieces for step in (b"7\r\n" + piece[:3], 0.01, piece[3:] + b"\r\n")]
    cut[-3:] = [chunk(pieces[-1])]

    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base) as response:
            return await response.read()

    with (
        serving(sending(CHUNKED, *cut, END)) as base,
        Cassette(tmp_path / "tape.yaml", "all") as cassette,
    ):
        assert text == running(program, base, cassette)
    stored = (tmp_path / "tape.yaml").read_text()
    assert "open: true" in stored
    assert not any(secret[start : start + 6] in stored for start in range(8, len(secret) - 6))
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        assert b"redacted" in running(program, base, cassette)


def test_it_works_on_uvloop(tmp_path: Path) -> None:
    uvloop = pytest.importorskip("uvloop")

    async def program() -> Any:
        async with (
            aiohttp.ClientSession(middlewares=[aiohttp_middleware(cassette)]) as session,
            session.get(base) as response,
        ):
            return await _all(response.content.iter_any())

    tape = tmp_path / "tape.yaml"
    with serving(LINES) as base, Cassette(tape, "all") as cassette:
        recorded = uvloop.run(program())
    with Cassette(tape, "none") as cassette:
        assert recorded == uvloop.run(program())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks are new in Python 3.12")
def test_it_works_with_eager_tasks(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(getattr(asyncio, "eager_task_factory"))  # noqa: B009

        async def read() -> Any:
            async with session.get(base) as response:
                return await _all(response.content.iter_any())

        return await asyncio.gather(read(), read())

    three_times(tmp_path, LINES, program)


def test_the_cassette_may_be_closed_right_after_the_response(tmp_path: Path) -> None:
    async def program(mode: str, base: str) -> Any:
        async with aiohttp.ClientSession() as session:
            with Cassette(tmp_path / "tape.yaml", mode) as cassette:
                middlewares = [aiohttp_middleware(cassette)]
                async with session.get(base, middlewares=middlewares) as response:
                    return await response.content.read(4)

    with serving(ticking) as base:
        recorded = asyncio.run(program("all", base))
    assert recorded == asyncio.run(program("none", base))


def test_a_changed_program_is_told_what_it_did(tmp_path: Path) -> None:
    async def program(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base) as response:
            return await response.read()

    async def more(session: aiohttp.ClientSession, base: str) -> Any:
        await program(session, base)
        return await program(session, base)

    async def less(session: aiohttp.ClientSession, base: str) -> Any:
        async with session.get(base) as response:
            return await response.content.read(1)

    tape = tmp_path / "tape.yaml"
    answer = sending(CHUNKED, 0.05, chunk(b"one"), 0.05, chunk(b"two"), 0.05, END)
    with serving(answer) as base, Cassette(tape, "all") as cassette:
        running(program, base, cassette)
    for changed in (more, less):
        with pytest.raises(DivergenceError), Cassette(tape, "none") as cassette:
            running(changed, base, cassette)
