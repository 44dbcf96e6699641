"""The fixtures of HTTP clients: each is a client on the test's own cassette."""

import sys
from pathlib import Path

from proxy_command import run, serving

TEST = """\
import asyncio
import os

URL = os.environ["BASE"] + "/chunked"
BODY = b"onetwo and morethree"


def test_httpx(vcrgen_httpx):
    assert vcrgen_httpx.get(URL).content == BODY


def test_async_httpx(vcrgen_async_httpx):
    async def program():
        async with vcrgen_async_httpx as client:
            return (await client.get(URL)).content

    assert asyncio.run(program()) == BODY


def test_requests(vcrgen_requests):
    assert vcrgen_requests.get(URL, headers={"X-A": os.environ.get("A", "1")}).content == BODY


def test_aiohttp(vcrgen_aiohttp):
    async def program():
        async with vcrgen_aiohttp() as session, session.get(URL) as response:
            return await response.read()

    assert asyncio.run(program()) == BODY
"""


def test_tests_record_once_and_replay(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text(TEST, encoding="utf-8")
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    pytest = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    with serving() as base:
        recorded = run(tmp_path, *pytest, "--vcrgen-mode=once", BASE=base)
    assert "cassettes: 4 recorded" in recorded.stdout
    assert "4 passed" in run(tmp_path, *pytest, BASE=base).stdout
    changed = run(tmp_path, *pytest, code=1, BASE=base, A="2").stdout
    assert "1 failed, 3 passed" in changed
    assert "request.headers['x-a']" in changed
