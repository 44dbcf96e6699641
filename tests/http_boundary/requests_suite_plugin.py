"""A plugin for requests' own tests: every adapter of every session records or replays."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from requests.adapters import HTTPAdapter

from vcr_gen import Cassette, Rule
from vcr_gen.boundaries.http import requests_adapter
from vcr_gen.boundary import Match

MODE, FOLDER = os.environ["SUITE_MODE"], Path(os.environ["SUITE_CASSETTES"])


def without_port(url: str) -> str:
    """A URL of a server that has a new port in each run."""
    return re.sub(r"(?<=[a-z0-9]):\d+", "", url).partition("#")[0]


@pytest.fixture(autouse=True)
def on_a_cassette(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    name = re.sub(r"[^\w.-]", "_", request.node.nodeid)[:150]
    if MODE == "none" and not (FOLDER / f"{name}.yaml").exists():
        yield  # its recording failed
        return
    mount = requests.Session.mount
    with Cassette(FOLDER / f"{name}.yaml", MODE) as cassette:
        if "httpbin" not in request.fixturenames:
            cassette.loosen(Rule("http", "request.url", Match(key=without_port)))

        def wrapping(session: Any, prefix: str, adapter: Any) -> None:
            real = isinstance(adapter, HTTPAdapter)
            mount(session, prefix, requests_adapter(cassette, inner=adapter) if real else adapter)

        monkeypatch.setattr(requests.Session, "mount", wrapping)
        yield
