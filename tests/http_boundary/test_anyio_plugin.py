"""Tests that anyio's pytest plugin runs, on asyncio and on trio."""

import os
import subprocess
import sys
from pathlib import Path

from http_endpoints import serving

TESTS = """
import os

import anyio
import httpx2
import pytest

from vcr_gen.boundaries.http import async_http_transport

BASE = os.environ["BASE"]
pytestmark = pytest.mark.anyio


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    return request.param


async def test_tasks(vcrgen_async_httpx):
    sizes = []

    async def ask(number):
        sizes.append(len((await vcrgen_async_httpx.get(f"{BASE}/sse?{number}")).content))

    async with anyio.create_task_group() as group:
        for number in range(3):
            group.start_soon(ask, number)
    assert len(sizes) == 3


async def test_timeouts(vcrgen_cassette):
    async with httpx2.AsyncClient(transport=async_http_transport(vcrgen_cassette)) as client:
        with pytest.raises(httpx2.ReadTimeout):
            await client.get(f"{BASE}/timeout-at-the-head", timeout=0.3)
        with anyio.move_on_after(0.2) as scope:
            await client.get(f"{BASE}/timeout-at-the-head", timeout=30)
        assert scope.cancelled_caught
        assert (await client.get(f"{BASE}/{os.environ['ASKS_FOR']}")).status_code == 200


async def test_after_it(vcrgen_async_httpx):
    assert (await vcrgen_async_httpx.get(f"{BASE}/json")).json()["name"] == "Ada"
"""


def run_tests(folder: Path, mode: str, base: str, asks_for: str = "json") -> str:
    (folder / "test_weather.py").write_text(TESTS)
    command = ("-m", "pytest", "-q", "-p", "no:asyncio", f"--vcrgen-mode={mode}", "--tb=line")
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={**os.environ, "BASE": base, "ASKS_FOR": asks_for},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout + done.stderr


def test_they_record_and_replay_and_a_changed_one_does_not_stop_the_next(tmp_path: Path) -> None:
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        assert "6 passed" in run_tests(tmp_path, "all", base)
    assert "6 passed" in run_tests(tmp_path, "none", base)
    changed = run_tests(tmp_path, "none", base, asks_for="sse")
    assert "4 passed" in changed
    assert "http GET /" in changed
