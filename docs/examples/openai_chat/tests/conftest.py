"""The client of the tests: the SDK itself, on the cassette of the test."""

import os
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer

import httpx2
import pytest
from openai import OpenAI
from vcr_gen import Cassette
from vcr_gen.boundaries.http import http_transport

from model_server import ModelServer

PORT = int(os.environ.get("PORT", "8765"))


@pytest.fixture
def client(vcrgen_cassette: Cassette) -> Iterator[OpenAI]:
    """Nothing is patched: the SDK takes a client, and the client a transport."""
    with httpx2.Client(transport=http_transport(vcrgen_cassette)) as http_client:
        yield OpenAI(
            api_key="sk-proj-this-key-is-not-in-the-cassettes-0123456789",
            base_url=f"http://127.0.0.1:{PORT}/v1",
            http_client=http_client,
        )


@pytest.fixture(autouse=True)
def model(vcrgen_cassette: Cassette) -> Iterator[None]:
    """A replay needs no server."""
    if not vcrgen_cassette.calls_real:
        yield
        return
    with ThreadingHTTPServer(("127.0.0.1", PORT), ModelServer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield
        server.shutdown()
