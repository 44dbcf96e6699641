"""Many exchanges at once: the same interleaving in every replay, and no answers swapped."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest
import requests

from vcr_gen import Cassette
from vcr_gen.boundaries.http import (
    aiohttp_middleware,
    async_http_transport,
    http_transport,
    requests_adapter,
)

STREAMS = 16
IDENTICAL = 5


class _Handler(BaseHTTPRequestHandler):
    """`/stream/7`: five lines, with pauses; `/same`: answered in the reverse order of arrival."""

    protocol_version = "HTTP/1.1"
    server: "_Server"

    def do_GET(self) -> None:
        if self.path == "/same":
            self._answer_in_reverse()
        else:
            self._stream(int(self.path.rpartition("/")[2]))

    def _stream(self, number: int) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for line in range(5):
            threading.Event().wait(0.002 + 0.003 * ((number * 7 + line * 5) % 11))
            self._write(f"{number}.{line}\n".encode())
        self._write(b"")

    def _write(self, piece: bytes) -> None:
        self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.flush()

    def _answer_in_reverse(self) -> None:
        with self.server.changed:
            self.server.arrived += 1
            mine = self.server.arrived
            self.server.changed.notify_all()
            is_last = mine % IDENTICAL == 0
            if not is_last:  # until all have arrived, and the one after this is answered
                self.server.changed.wait_for(lambda: mine + 1 in self.server.answered, 60)
        body = str(mine).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        threading.Event().wait(0.02)
        with self.server.changed:
            self.server.answered.add(mine)
            self.server.changed.notify_all()

    def log_message(self, *_: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.arrived = 0
        self.answered: set[int] = set()
        self.changed = threading.Condition()

    def handle_error(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[str]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


# Streams ---------------------------------------------------------------------------------------


def stream_in_tasks(cassette: Cassette, base: str, log: list[str]) -> None:
    async def run() -> None:
        async with httpx.AsyncClient(
            transport=async_http_transport(cassette), timeout=60
        ) as client:

            async def read(number: int) -> None:
                async with client.stream("GET", f"{base}/stream/{number}") as response:
                    log.extend([f"all {line}" async for line in noted(response.aiter_lines())])

            async def noted(lines: Any) -> Any:
                async for line in lines:
                    log.append(f"got {line}")
                    yield line

            await asyncio.gather(*(read(number) for number in range(STREAMS)))

    asyncio.run(run())


def stream_in_threads(cassette: Cassette, base: str, log: list[str]) -> None:
    """Streams that threads read at once."""
    lines: list[list[str]] = [[] for _ in range(STREAMS)]
    with httpx.Client(transport=http_transport(cassette), timeout=60) as client:

        def read(number: int) -> None:
            with client.stream("GET", f"{base}/stream/{number}") as response:
                for line in response.iter_lines():
                    log.append(f"{number} got {line}")
                    lines[number].append(line)

        threads = [threading.Thread(target=read, args=(number,)) for number in range(STREAMS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert lines == [[f"{number}.{line}" for line in range(5)] for number in range(STREAMS)]


def stream_with_a_session_per_thread(cassette: Cassette, base: str, log: list[str]) -> None:
    """Streams of sessions that threads make at once, as is usual with requests."""

    def read(number: int) -> None:
        with requests.Session() as session:
            session.mount("http://", requests_adapter(cassette))
            with session.get(f"{base}/stream/{number % 3}", stream=True, timeout=60) as response:
                log.extend(f"{number} got {line.decode()}" for line in response.iter_lines())

    threads = [threading.Thread(target=read, args=(number,)) for number in range(STREAMS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    "stream", [stream_in_tasks, stream_in_threads, stream_with_a_session_per_thread]
)
def test_sixteen_streams_interleave_in_every_replay_as_they_did(
    tmp_path: Path, stream: Callable[[Cassette, str, list[str]], None]
) -> None:
    logs: list[list[str]] = []
    with serving() as base:
        for mode in ("all", "none", "none", "none"):
            log: list[str] = []
            with Cassette(tmp_path / "tape.yaml", mode) as cassette:
                stream(cassette, base, log)
            logs.append(log)
    numbers = [line.rpartition(" ")[2].partition(".")[0] for line in logs[0][: STREAMS * 2]]
    assert len(set(numbers)) > 2  # they did overlap
    assert logs[1:] == [logs[0]] * 3


# Identical requests ----------------------------------------------------------------------------


def _in_threads(ask: Callable[[int], str]) -> list[str]:
    """What each of several threads got, which begin one after another."""
    began = [threading.Event() for _ in range(IDENTICAL + 1)]
    began[0].set()

    def run(number: int) -> str:
        began[number].wait(60)
        threading.Timer(0.05, began[number + 1].set).start()
        return ask(number)

    with ThreadPoolExecutor(IDENTICAL) as pool:
        return list(pool.map(run, range(IDENTICAL)))


def with_httpx(cassette: Cassette, url: str) -> list[str]:
    with httpx.Client(transport=http_transport(cassette), timeout=60) as client:
        return _in_threads(lambda _: client.get(url).text)


def with_requests(cassette: Cassette, url: str) -> list[str]:
    with requests.Session() as session:
        session.mount("http://", requests_adapter(cassette))
        return _in_threads(lambda _: session.get(url, timeout=60).text)


def with_async_httpx(cassette: Cassette, url: str) -> list[str]:
    async def run() -> list[str]:
        async with httpx.AsyncClient(
            transport=async_http_transport(cassette), timeout=60
        ) as client:

            async def ask(number: int) -> str:
                await asyncio.sleep(0.05 * number)
                return (await client.get(url)).text

            return list(await asyncio.gather(*map(ask, range(IDENTICAL))))

    return asyncio.run(run())


def with_aiohttp(cassette: Cassette, url: str) -> list[str]:
    async def run() -> list[str]:
        async with aiohttp.ClientSession(middlewares=[aiohttp_middleware(cassette)]) as session:

            async def ask(number: int) -> str:
                await asyncio.sleep(0.05 * number)
                async with session.get(url) as response:
                    return await response.text()

            return list(await asyncio.gather(*map(ask, range(IDENTICAL))))

    return asyncio.run(run())


@pytest.mark.parametrize("ask", [with_httpx, with_async_httpx, with_requests, with_aiohttp])
def test_identical_requests_in_flight_are_never_swapped(
    tmp_path: Path, ask: Callable[[Cassette, str], list[str]]
) -> None:
    found: list[list[str]] = []
    with serving() as base:
        for mode in ("all", "none", "none"):
            with Cassette(tmp_path / "tape.yaml", mode) as cassette:
                found.append(ask(cassette, f"{base}/same"))
    assert sorted(found[0]) == [str(number) for number in range(1, IDENTICAL + 1)]
    assert found[1:] == [found[0]] * 2
