"""Exceptions below httpx: connections that are refused, and the very object that was raised."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
from http_clients import CLIENTS
from http_endpoints import ENDPOINTS

from vcr_gen import Cassette
from vcr_gen.boundaries.http import async_http_transport, http_transport


@pytest.mark.parametrize("client", CLIENTS)
def test_a_refused_connection_looks_the_same(tmp_path: Path, client: str) -> None:
    run, endpoint = CLIENTS[client], ENDPOINTS["json"]
    with socket.socket() as unused:  # it does not listen
        unused.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{unused.getsockname()[1]}"
        live = run(None, base, "json", endpoint)
        with Cassette(tmp_path / "tape.yaml", "all") as cassette:
            recorded = run(cassette, base, "json", endpoint)
        with Cassette(tmp_path / "tape.yaml", "none") as cassette:
            replayed = run(cassette, base, "json", endpoint)
    assert isinstance(live[0][0], type)
    assert live == recorded == replayed


def test_the_causes_of_an_exception_are_the_same_in_a_replay(tmp_path: Path) -> None:
    failed = httpx.ReadError("")
    failed.__cause__ = anyio.BrokenResourceError("by the network")
    failed.__cause__.__cause__ = ConnectionResetError(104, "Connection reset by peer")

    def fail(request: Any) -> Any:
        raise failed

    for mode in ("all", "none"):
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            transport = http_transport(cassette, inner=httpx.MockTransport(fail))
            with (
                httpx.Client(transport=transport) as client,
                pytest.raises(httpx.ReadError) as info,
            ):
                client.get("http://example.com/")
        broken = info.value.__cause__
        assert (type(broken), str(broken)) == (anyio.BrokenResourceError, "by the network")
        assert str(broken.__cause__) == "[Errno 104] Connection reset by peer"


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_the_original_exception_is_raised_while_recording(tmp_path: Path, library: Any) -> None:
    original = library.ConnectError("the cable is cut")

    def refuse(request: Any) -> Any:
        raise original

    inner = library.MockTransport(refuse)

    async def run() -> BaseException:
        transport = async_http_transport(cassette, inner=inner)
        async with library.AsyncClient(transport=transport) as client:
            with pytest.raises(library.ConnectError) as raised:
                await client.get("http://example.com/")
            return raised.value

    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        with (
            library.Client(transport=http_transport(cassette, inner=inner)) as client,
            pytest.raises(library.ConnectError) as raised,
        ):
            client.get("http://example.com/")
        assert raised.value is original
        assert asyncio.run(run()) is original
