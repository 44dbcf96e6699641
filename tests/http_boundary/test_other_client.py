"""A cassette that one client recorded is replayed by another."""

import asyncio
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import aiohttp
import httpx
import pytest
import requests
from http_endpoints import path_of, serving

from vcr_gen import Cassette
from vcr_gen.boundaries.http import aiohttp_middleware, http_transport, requests_adapter

WHOLE = ("json in pieces", "sse", "ndjson", "gzip in pieces", "br", "zstd")
MEMBERS = ("two gzip members", "two zstd frames")
"""Of the first, httpx reads one member only."""
CUT_OFF = {"truncated chunk": b"onetw", "truncated": b"beginning"}

Seen = list[tuple[int, str, bytes]]


def with_httpx(base: str, cassette: Cassette, names: tuple[str, ...]) -> Seen:
    seen: Seen = []
    with httpx.Client(transport=http_transport(cassette)) as client:
        for name in names:
            with client.stream("GET", base + path_of(name)) as response:
                body = b""
                try:
                    for piece in response.iter_bytes():
                        body += piece
                except Exception:
                    body += b"..."
            seen.append((response.status_code, response.reason_phrase, body))
    return seen


def with_requests(base: str, cassette: Cassette, names: tuple[str, ...]) -> Seen:
    seen: Seen = []
    with requests.Session() as session:
        session.mount("http://", requests_adapter(cassette))
        for name in names:
            with session.get(base + path_of(name), stream=True) as response:
                body = b""
                try:
                    for piece in response.iter_content(None):
                        body += piece
                except Exception:
                    body += b"..."
            seen.append((response.status_code, response.reason, body))
    return seen


def with_aiohttp(base: str, cassette: Cassette, names: tuple[str, ...]) -> Seen:
    async def run() -> Seen:
        seen: Seen = []
        async with aiohttp.ClientSession(middlewares=[aiohttp_middleware(cassette)]) as session:
            for name in names:
                async with session.get(base + path_of(name)) as response:
                    body = b""
                    try:
                        async for piece in response.content.iter_any():
                            body += piece
                    except Exception:
                        body += b"..."
                seen.append((response.status, response.reason or "", body))
        return seen

    return asyncio.run(run())


CLIENTS: dict[str, Callable[[str, Cassette, tuple[str, ...]], Seen]] = {
    "httpx": with_httpx,
    "requests": with_requests,
    "aiohttp": with_aiohttp,
}


@pytest.mark.parametrize(("first", "then"), list(permutations(CLIENTS, 2)))
def test_another_client_sees_the_same_bodies(tmp_path: Path, first: str, then: str) -> None:
    tape = tmp_path / "tape.yaml"
    names = (*WHOLE, *(() if "httpx" in (first, then) else MEMBERS))
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all") as cassette:
            recorded = CLIENTS[first](base, cassette, names)
    with Cassette(tape, "none") as cassette:
        assert CLIENTS[then](base, cassette, names) == recorded


@pytest.mark.parametrize(("first", "then"), list(permutations(CLIENTS, 2)))
def test_another_client_sees_that_a_body_was_cut_off(tmp_path: Path, first: str, then: str) -> None:
    tape = tmp_path / "tape.yaml"
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all") as cassette:
            CLIENTS[first](base, cassette, tuple(CUT_OFF))
    with Cassette(tape, "none") as cassette:
        replayed = CLIENTS[then](base, cassette, tuple(CUT_OFF))
    for (_, _, body), whole in zip(replayed, CUT_OFF.values(), strict=True):
        assert body.endswith(b"...")
        assert whole.startswith(body.removesuffix(b"..."))  # clients give more or less of it
