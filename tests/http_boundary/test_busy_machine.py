"""While recording, no request times out that does not time out live, also on a busy machine."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from http_clients import CLIENTS, Observation
from http_endpoints import ENDPOINTS, serving

from vcr_gen import Cassette

pytestmark = pytest.mark.slow

NAMES = ("json in pieces", "sse", "ndjson", "gzip in pieces", "upload multipart", "redirect")
TIMEOUT = 3.0
"""Seconds a client waits for data. Live, the longest wait is a pause of the server."""


@contextmanager
def eight_busy_processes() -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def failures(seen: Observation) -> list[object]:
    """The exceptions that a client saw."""
    return [each for each in seen if isinstance(each, tuple) and isinstance(each[0], type)]


@pytest.mark.parametrize(
    "client", ["httpx", "httpx, async", "httpx2, async", "requests", "aiohttp"]
)
def test_no_request_times_out_beside_eight_busy_processes(tmp_path: Path, client: str) -> None:
    run = CLIENTS[client]
    with eight_busy_processes(), serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        for name in NAMES:
            endpoint = replace(ENDPOINTS[name], read_timeout=TIMEOUT)
            assert failures(run(None, base, name, endpoint)) == []
            with Cassette(tmp_path / f"{name}.yaml", "all") as cassette:
                assert failures(run(cassette, base, name, endpoint)) == []
