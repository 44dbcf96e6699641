"""Common mistakes with HTTP clients, and what each says."""

import asyncio
import importlib.util
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from proxy_command import PYTEST, run, serving

from vcr_gen import Cassette
from vcr_gen.boundaries.http import (
    HttpMatch,
    aiohttp_middleware,
    async_http_transport,
    http_proxy,
    http_transport,
    requests_adapter,
    websocket_connect,
)
from vcr_gen.boundaries.mcp import mcp_transport
from vcr_gen.errors import UsageError


@pytest.fixture
def cassette(tmp_path: Path) -> Iterator[Cassette]:
    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        yield cassette


def hide(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Let these packages look as if they were not installed."""
    find_spec = importlib.util.find_spec
    hidden = "vcr_gen.boundaries.required_packages.find_spec"
    monkeypatch.setattr(hidden, lambda name: None if name in names else find_spec(name))


@pytest.mark.parametrize(
    ("front", "packages", "expected"),
    [
        (
            requests_adapter,
            ["requests"],
            "requests_adapter needs requests, which is not installed\n\n"
            'hint: pip install "vcr-gen[requests]"',
        ),
        (
            aiohttp_middleware,
            ["aiohttp"],
            "aiohttp_middleware needs aiohttp, which is not installed\n\n"
            'hint: pip install "vcr-gen[aiohttp]"',
        ),
        (
            websocket_connect,
            ["websockets"],
            "websocket_connect needs websockets, which is not installed\n\n"
            'hint: pip install "vcr-gen[websockets]"',
        ),
        (
            partial(mcp_transport, server="http://127.0.0.1:1"),
            ["mcp"],
            "mcp_transport needs mcp, which is not installed\n\n"
            'hint: pip install "vcr-gen[mcp]"',
        ),
        (
            http_proxy,
            ["h11", "trustme"],
            "http_proxy needs h11 and trustme, which are not installed\n\n"
            'hint: pip install "vcr-gen[proxy]"',
        ),
    ],
)
def test_a_front_says_what_to_install(
    cassette: Cassette,
    monkeypatch: pytest.MonkeyPatch,
    front: Callable[[Cassette], Any],
    packages: list[str],
    expected: str,
) -> None:
    hide(monkeypatch, *packages)
    with pytest.raises(UsageError) as refused:
        front(cassette)
    assert str(refused.value) == expected


@pytest.mark.parametrize("front", [http_transport, requests_adapter, aiohttp_middleware])
def test_a_front_wants_an_open_cassette(front: Callable[[Any], Any]) -> None:
    with pytest.raises(UsageError) as refused:
        front("tape.yaml")
    assert str(refused.value) == (
        "expected an open Cassette; got str\n\nhint: with Cassette(path) as cassette: …"
    )


def test_a_front_wants_an_http_match(cassette: Cassette) -> None:
    wrong: Any = {"body": False}
    with pytest.raises(UsageError, match=r"^match=…: expected an HttpMatch; got dict$"):
        http_transport(cassette, match=wrong)
    assert http_transport(cassette, match=HttpMatch(body=False))


def test_an_asynchronous_client_refuses_a_synchronous_transport(cassette: Cassette) -> None:
    async def get(client: httpx.AsyncClient) -> None:
        await client.get("http://127.0.0.1:1")

    async def enter(client: httpx.AsyncClient) -> None:
        async with client:
            pass

    for program in (get, enter):
        client = httpx.AsyncClient(transport=http_transport(cassette))
        with pytest.raises(UsageError) as refused:
            asyncio.run(program(client))
        expected = "an asynchronous client needs async_http_transport, not http_transport"
        assert str(refused.value) == expected


def test_a_synchronous_client_refuses_an_asynchronous_transport(cassette: Cassette) -> None:
    transport = async_http_transport(cassette)
    expected = "a synchronous client needs http_transport, not async_http_transport"
    with pytest.raises(UsageError) as refused:
        httpx.Client(transport=transport).get("http://127.0.0.1:1")
    assert str(refused.value) == expected
    with pytest.raises(UsageError) as refused, httpx.Client(transport=transport):
        pass
    assert str(refused.value) == expected


TEST = """\
import os

import pytest
import requests

from vcr_gen.boundaries.http import requests_adapter

kept = []


def test_not_installed(vcrgen_httpx): ...


@pytest.mark.vcrgen(http={"body": False})
def test_dict(vcrgen_requests): ...


def test_bypassed(vcrgen_cassette):
    with requests.Session() as session:
        session.mount("https://", requests_adapter(vcrgen_cassette))
        session.get(os.environ["BASE"] + "/chunked")


def test_keeps_its_client(vcrgen_requests):
    kept.append(vcrgen_requests)
    vcrgen_requests.get(os.environ["BASE"] + "/chunked")


def test_uses_it_too_late():
    kept[0].get(os.environ["BASE"] + "/chunked")
"""
CONFTEST = """\
import importlib.util

find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "httpx" else find_spec(name)
"""


def test_mistakes_of_tests_are_told_in_a_few_lines(tmp_path: Path) -> None:
    tmp_path.joinpath("test_it.py").write_text(TEST, encoding="utf-8")
    tmp_path.joinpath("conftest.py").write_text(CONFTEST, encoding="utf-8")
    tmp_path.joinpath("pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    with serving() as base:
        shown = run(tmp_path, *PYTEST, "--vcrgen-mode=once", code=1, BASE=base).stdout
    assert (
        "the fixture vcrgen_httpx needs httpx, which is not installed\n\n"
        'hint: pip install "vcr-gen[httpx]"\n'
    ) in shown
    assert (
        "test_it.py::test_dict: @pytest.mark.vcrgen: `http` must be an HttpMatch; got dict\n"
        in shown
    )
    assert "cassettes/test_it/test_bypassed.yaml  (empty: no call reached this cassette)\n" in shown
    assert "cassettes/test_it/test_keeps_its_client.yaml\n" in shown
    assert "UsageError: http.exchange was called after the cassette was closed\n" in shown
    assert "hint: make all calls before its `with` block or test ends" in shown
    assert "in pytest_fixture_setup" not in shown
