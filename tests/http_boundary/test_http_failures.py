"""A failure points at the user's line and names the request and the field."""

import traceback
from pathlib import Path

import httpx
import pytest
from http_endpoints import serving

from vcr_gen import Cassette, DivergenceError
from vcr_gen.boundaries.http import http_transport


def ask(client: httpx.Client, base: str, content: str) -> None:
    client.post(f"{base}/post-json", json={"model": "m", "messages": [{"content": content}]})


def record_and_change(tape: Path) -> DivergenceError:
    with (
        serving() as server,
        Cassette(tape, "all") as cassette,
        httpx.Client(transport=http_transport(cassette)) as client,
    ):
        base = f"http://127.0.0.1:{server.port}"
        ask(client, base, "hello")
    with (
        pytest.raises(DivergenceError) as raised,
        Cassette(tape, "none") as cassette,
        httpx.Client(transport=http_transport(cassette)) as client,
    ):
        ask(client, base, "goodbye")
    return raised.value


def test_the_message_names_the_request_the_field_and_the_line(tmp_path: Path) -> None:
    text = str(record_and_change(tmp_path / "tape.yaml"))
    line = ask.__code__.co_firstlineno + 1
    assert "request.body.json.messages[0].content: value differs" in text
    assert "recorded   http.exchange(POST http://127.0.0.1:" in text
    assert f"test_http_failures.py:{line} in ask" in text


def test_the_traceback_shows_no_frame_of_a_library(tmp_path: Path) -> None:
    error = record_and_change(tmp_path / "tape.yaml")
    names = [entry.name for entry in traceback.extract_tb(error.__traceback__)]
    assert names == ["record_and_change", "ask"]
