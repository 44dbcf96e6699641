"""A plugin for httpx's own tests: every transport of every client records or replays."""

import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn.config

from vcr_gen import Cassette
from vcr_gen.boundaries.http import async_http_transport, http_transport

MODE, FOLDER = os.environ["SUITE_MODE"], Path(os.environ["SUITE_CASSETTES"])
PORT = int(os.environ["SUITE_PORT"])

FRONTS = {httpx.Client: http_transport, httpx.AsyncClient: async_http_transport}


@pytest.fixture(autouse=True, scope="session")
def on_a_port_of_this_run() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        init = uvicorn.config.Config.__init__

        def listening(config: Any, app: Any, **options: Any) -> None:
            init(config, app, **{"port": PORT, **options})

        patched.setattr(uvicorn.config.Config, "__init__", listening)
        yield


@pytest.fixture(autouse=True)
def on_a_cassette(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    name = re.sub(r"[^\w.-]", "_", request.node.nodeid)[:150]
    tape = FOLDER / f"{name}-{zlib.crc32(request.node.nodeid.encode()):x}.yaml"
    if MODE == "none" and not tape.exists():
        yield  # its recording failed
        return
    with monkeypatch.context() as patched, Cassette(tape, MODE) as cassette:
        for kind, front in FRONTS.items():
            patched.setattr(kind, "__init__", wrapping(kind, front, cassette))
        yield


def wrapping(kind: Any, front: Any, cassette: Cassette) -> Any:
    init = kind.__init__

    def begin(client: Any, **options: Any) -> None:
        init(client, **options)
        client._transport = front(cassette, inner=client._transport)
        client._mounts = {
            pattern: None if inner is None else front(cassette, inner=inner)
            for pattern, inner in client._mounts.items()
        }

    return begin
