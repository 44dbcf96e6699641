"""Sync and async clients share a cassette: both are the boundary `http`."""

import asyncio
from pathlib import Path

import httpx
from http_endpoints import serving

from vcr_gen import Cassette
from vcr_gen.boundaries.http import async_http_transport, http_transport


def program(cassette: Cassette, base: str) -> list[int]:
    async def ask() -> int:
        async with httpx.AsyncClient(transport=async_http_transport(cassette)) as client:
            return len((await client.get(f"{base}/sse")).content)

    with httpx.Client(transport=http_transport(cassette)) as client:
        return [len(client.get(f"{base}/json").content), asyncio.run(ask())]


def test_both_are_recorded_and_replayed(tmp_path: Path) -> None:
    with serving() as server, Cassette(tmp_path / "tape.yaml", "all") as cassette:
        base = f"http://127.0.0.1:{server.port}"
        recorded = program(cassette, base)
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        assert program(cassette, base) == recorded
