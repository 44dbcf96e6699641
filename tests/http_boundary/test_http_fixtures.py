"""The fixtures of HTTP clients: each is a client on the test's own cassette."""

from pathlib import Path

from proxy_command import PYTEST, run, serving
from websocket_server import serving as websockets_serving

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


def test_websockets(vcrgen_websocket_connect):
    async def program():
        async with vcrgen_websocket_connect(os.environ["WS"] + "/echo") as socket:
            await socket.send("hello")
            return await socket.recv()

    assert asyncio.run(program()) == "hello"


def test_sync_websockets(vcrgen_sync_websocket_connect):
    with vcrgen_sync_websocket_connect(os.environ["WS"] + "/echo") as socket:
        socket.send("hello")
        assert socket.recv() == "hello"
"""


def test_tests_record_once_and_replay(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text(TEST, encoding="utf-8")
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    with serving() as base, websockets_serving() as websockets:
        urls = {"BASE": base, "WS": websockets.base}
        recorded = run(tmp_path, *PYTEST, "--vcrgen-mode=once", **urls)
    assert "cassettes: 6 recorded" in recorded.stdout
    assert "6 passed" in run(tmp_path, *PYTEST, **urls).stdout
    changed = run(tmp_path, *PYTEST, code=1, A="2", **urls).stdout
    assert "1 failed, 5 passed" in changed
    assert "request.headers['x-a']" in changed


LOOSE_TEST = """\
import os

import pytest

from vcr_gen.boundaries.http import HttpMatch, http_transport

URL = os.environ["BASE"] + "/post-json"
NOW = os.environ["NOW"]


def send(client):
    client.post(URL, params={"time": NOW}, headers={"X-Trace": NOW}, json={"now": NOW})


def test_project(vcrgen_httpx):
    send(vcrgen_httpx)


@pytest.mark.vcrgen(http=HttpMatch(ignore_query=["time"], body=False))
def test_marker(vcrgen_httpx):
    send(vcrgen_httpx)


def test_code(vcrgen_cassette):
    import httpx

    match = HttpMatch(ignore_headers=["x-none"])
    with httpx.Client(transport=http_transport(vcrgen_cassette, match=match)) as client:
        send(client)


def test_without_http(vcrgen_cassette): ...
"""

UNUSED = "-Werror::vcr_gen.UnusedRuleWarning"

LOOSE_TABLE = """\
[tool.vcr-gen.http]
ignore-headers = ["x-trace"]
ignore-query = ["time"]
body = false
"""


def test_a_project_a_marker_or_code_loosens_requests(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text(LOOSE_TEST, encoding="utf-8")
    tmp_path.joinpath("pyproject.toml").write_text(LOOSE_TABLE, encoding="utf-8")
    with serving() as base:
        run(tmp_path, *PYTEST, UNUSED, "--vcrgen-mode=once", BASE=base, NOW="1")
    changed = run(tmp_path, *PYTEST, UNUSED, code=1, BASE=base, NOW="2").stdout
    assert "2 failed, 2 passed" in changed
    # The nearest settings win: neither the marker nor the code ignores the header.
    assert changed.count("was called with different arguments: request.headers['x-trace']\n") == 2
    headers = {path.stem: path.read_text("utf-8") for path in tmp_path.rglob("*.yaml")}
    assert "request.body: volatile" in headers["test_project"]
    assert "request.body" not in headers["test_without_http"]


REPEATED_TEST = """\
import os

import pytest

from vcr_gen.boundaries.http import HttpMatch

URL = os.environ["BASE"]
TIMES = int(os.environ["TIMES"])


def poll(client):
    for _ in range(TIMES):
        assert client.get(URL + "/json").status_code == 200
    client.get(URL + "/empty")


def test_project(vcrgen_httpx):
    poll(vcrgen_httpx)


@pytest.mark.vcrgen(http=HttpMatch(repeat=["GET /js*"]))
def test_marker(vcrgen_requests):
    poll(vcrgen_requests)


@pytest.mark.vcrgen(http=HttpMatch())
def test_not(vcrgen_httpx):
    poll(vcrgen_httpx)
"""


def test_a_project_or_a_marker_lets_requests_repeat(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text(REPEATED_TEST, encoding="utf-8")
    table = '[tool.vcr-gen.http]\nrepeat = ["GET /json"]\n'
    tmp_path.joinpath("pyproject.toml").write_text(table, encoding="utf-8")
    with serving() as base:
        run(tmp_path, *PYTEST, UNUSED, "--vcrgen-mode=once", BASE=base, TIMES="3")
    assert "3 passed" in run(tmp_path, *PYTEST, UNUSED, BASE=base, TIMES="3").stdout
    for times in ("2", "5"):
        changed = run(tmp_path, *PYTEST, UNUSED, code=1, BASE=base, TIMES=times).stdout
        assert "1 failed, 2 passed" in changed
        assert "FAILED test_it.py::test_not" in changed


def test_a_wrong_table_is_refused_with_its_place(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text(LOOSE_TEST, encoding="utf-8")
    table = LOOSE_TABLE.replace("ignore-query", "ignore-qery").replace("false", '"no"')
    tmp_path.joinpath("pyproject.toml").write_text(table, encoding="utf-8")
    refused = run(tmp_path, *PYTEST, code=4, BASE="", NOW="").stderr
    assert "pyproject.toml:3:1: VCR402 unknown key `ignore-qery` in [tool.vcr-gen.http]" in refused
    assert "did you mean `ignore-query`?" in refused
    assert "pyproject.toml:4:1: VCR403 `body` must be true or false; got 'no'" in refused
