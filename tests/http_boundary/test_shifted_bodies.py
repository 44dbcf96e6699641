"""Placeholders change the length of a body: who reads by bytes meets its pieces at other times."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import aiohttp
import httpx
import pytest
import requests
from http_endpoints import Request, Step, serving

from vcr_gen import Cassette, DivergenceError
from vcr_gen.boundaries.http import (
    aiohttp_middleware,
    async_http_transport,
    http_transport,
    requests_adapter,
)
from vcr_gen.errors import UnusedEventsError

SECRETS = {"short": "ab1", "long": "sk-proj-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9c" * 2}
Follow = Callable[[Cassette, str, int], list[int]]


def lines_of(pieces: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines


def with_requests(cassette: Cassette, base: str, size: int) -> list[int]:
    with requests.Session() as session:
        session.mount("http://", requests_adapter(cassette))
        with session.get(f"{base}/lines", stream=True) as response:
            return [
                session.get(f"{base}/{json.loads(line)['n']}").status_code
                for line in response.iter_lines(size)
            ]


def with_httpx(cassette: Cassette, base: str, size: int) -> list[int]:
    transport = http_transport(cassette, inner=httpx.HTTPTransport(verify=False))
    with httpx.Client(transport=transport) as client, client.stream("GET", f"{base}/lines") as got:
        return [
            client.get(f"{base}/{json.loads(line)['n']}").status_code
            for line in lines_of(got.iter_bytes(size))
        ]


def with_async_httpx(cassette: Cassette, base: str, size: int) -> list[int]:
    async def follow() -> list[int]:
        inner = httpx.AsyncHTTPTransport(verify=False)
        transport = async_http_transport(cassette, inner=inner)
        async with (
            httpx.AsyncClient(transport=transport) as client,
            client.stream("GET", f"{base}/lines") as got,
        ):
            return [
                (await client.get(f"{base}/{json.loads(line)['n']}")).status_code
                async for line in _lines(got.aiter_bytes(size))
            ]

    return asyncio.run(follow())


def with_aiohttp(cassette: Cassette, base: str, size: int) -> list[int]:
    async def follow() -> list[int]:
        async with (
            aiohttp.ClientSession(middlewares=[aiohttp_middleware(cassette)]) as session,
            session.get(f"{base}/lines") as got,
        ):
            statuses = []
            async for line in _lines(got.content.iter_chunked(size)):
                async with session.get(f"{base}/{json.loads(line)['n']}") as answer:
                    statuses.append(answer.status)
            return statuses

    return asyncio.run(follow())


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line


CLIENTS = [with_requests, with_httpx, with_async_httpx, with_aiohttp]


def answering_lines(secret: str, each: int) -> Callable[[Request], list[Step]]:
    """A server that sends lines with a secret each, in pieces of one size."""

    def answer(request: Request) -> list[Step]:
        if request.path != "/lines":
            return [b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"]
        lines = [
            json.dumps({"n": number, "access_token": f"{secret}{number}", "text": "w" * number})
            for number in range(12)
        ]
        body = "".join(f"{line}\n" for line in lines).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        return [head, *(body[start : start + each] for start in range(0, len(body), each))]

    return answer


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(("each", "size"), [(50, 64), (333, 128)])
@pytest.mark.parametrize("follow", CLIENTS)
def test_other_requests_between_the_pieces(
    tmp_path: Path, follow: Follow, each: int, size: int, secret: str
) -> None:
    tape = tmp_path / "tape.yaml"
    with serving(answering_lines(SECRETS[secret], each), pause=0.001) as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all") as cassette:
            recorded = follow(cassette, base, size)
    assert SECRETS[secret] + "7" not in tape.read_text()
    with Cassette(tape, "none") as cassette:
        assert follow(cassette, base, size) == recorded == [200] * 12


def reads(cassette: Cassette, base: str, count: int, *others: str, leaves: bool = True) -> None:
    """Read some bytes of the body, then make other requests, then leave the body."""
    transport = http_transport(cassette, inner=httpx.HTTPTransport(verify=False))
    client = httpx.Client(transport=transport)
    got = client.send(client.build_request("GET", f"{base}/lines"), stream=True)
    pieces = got.iter_bytes(10)
    for _ in range(count):
        next(pieces)
    for other in others:
        client.get(f"{base}/{other}")
    if leaves:
        got.close()
        client.close()


def test_leaving_a_body_that_became_longer(tmp_path: Path) -> None:
    """In the recording the program had read one piece more when it left."""
    tape = tmp_path / "tape.yaml"
    with serving(answering_lines("ab1", 50), pause=0.001) as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all") as cassette:
            reads(cassette, base, 18, "first")
    with Cassette(tape, "none") as cassette:
        reads(cassette, base, 18, "first")


@pytest.mark.parametrize("others", [["second"], [], ["first", "second"]])
def test_another_request_still_fails(tmp_path: Path, others: list[str]) -> None:
    tape = tmp_path / "tape.yaml"
    with serving(answering_lines("ab1", 50), pause=0.001) as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all") as cassette:
            reads(cassette, base, 18, "first")
    with pytest.raises(DivergenceError), Cassette(tape, "none") as cassette:
        reads(cassette, base, 18, *others)


def leave_requests(cassette: Cassette, base: str, blocks: int) -> None:
    with requests.Session() as session:
        session.mount("http://", requests_adapter(cassette))
        with session.get(f"{base}/lines", stream=True) as response:
            pieces = response.iter_content(61)
            for _ in range(blocks):
                next(pieces)
        session.get(f"{base}/next")


def leave_httpx(cassette: Cassette, base: str, blocks: int) -> None:
    transport = http_transport(cassette, inner=httpx.HTTPTransport(verify=False))
    with httpx.Client(transport=transport) as client:
        with client.stream("GET", f"{base}/lines") as response:
            pieces = response.iter_bytes(61)
            for _ in range(blocks):
                next(pieces)
        client.get(f"{base}/next")


def leave_async_httpx(cassette: Cassette, base: str, blocks: int) -> None:
    async def leave() -> None:
        inner = httpx.AsyncHTTPTransport(verify=False)
        transport = async_http_transport(cassette, inner=inner)
        async with httpx.AsyncClient(transport=transport) as client:
            async with client.stream("GET", f"{base}/lines") as response:
                pieces = response.aiter_bytes(61)
                for _ in range(blocks):
                    await anext(pieces)
            await client.get(f"{base}/next")

    asyncio.run(leave())


def leave_aiohttp(cassette: Cassette, base: str, blocks: int) -> None:
    async def leave() -> None:
        async with aiohttp.ClientSession(middlewares=[aiohttp_middleware(cassette)]) as session:
            async with session.get(f"{base}/lines") as response:
                for _ in range(blocks):
                    await response.content.readexactly(61)
            async with session.get(f"{base}/next"):
                pass

    asyncio.run(leave())


@pytest.mark.parametrize("blocks", [3, 9, 10])
@pytest.mark.parametrize("leave", [leave_requests, leave_httpx, leave_async_httpx, leave_aiohttp])
def test_leaving_before_the_end_that_was_reached_in_the_recording(
    tmp_path: Path, leave: Callable[[Cassette, str, int], None], blocks: int
) -> None:
    """With ten blocks, the recorded program had the last piece, and so the end."""
    tape = tmp_path / "tape.yaml"
    with serving(answering_lines("ab1", 50), pause=0.001) as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all") as cassette:
            leave(cassette, base, blocks)
    with Cassette(tape, "none") as cassette:
        leave(cassette, base, blocks)


def test_pieces_that_nobody_reads_are_left_over(tmp_path: Path) -> None:
    tape = tmp_path / "tape.yaml"
    with serving(answering_lines("ab1", 50), pause=0.001) as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all") as cassette:
            reads(cassette, base, 18, "first")
    with pytest.raises(UnusedEventsError) as raised, Cassette(tape, "none") as cassette:
        reads(cassette, base, 18, "first", leaves=False)
    assert "/lines) yielding" in str(raised.value)
