"""What a program sees is the same live, while recording, and in a replay without the server."""

from pathlib import Path

import pytest
from http_clients import CLIENTS
from http_endpoints import ENDPOINTS, serving

from vcr_gen import Cassette

# The others differ little from these: the slow tests run them.
FIRST = ("httpx", "httpx2, async", "requests", "aiohttp")


@pytest.mark.parametrize(
    "client",
    [
        pytest.param(name, marks=() if name in FIRST else pytest.mark.slow, id=name)
        for name in CLIENTS
    ],
)
@pytest.mark.parametrize("name", ENDPOINTS)
def test_the_program_sees_the_same(tmp_path: Path, client: str, name: str) -> None:
    endpoint, run = ENDPOINTS[name], CLIENTS[client]
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        live = run(None, base, name, endpoint)
        with Cassette(tmp_path / "tape.yaml", "all") as cassette:
            recorded = run(cassette, base, name, endpoint)
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        replayed = run(cassette, base, name, endpoint)
    assert live == recorded
    assert live == replayed
