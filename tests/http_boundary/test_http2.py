"""HTTP/2 with httpx: what a program sees is the same live, while recording, and in a replay."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import trustme
from hypercorn.asyncio import serve
from hypercorn.config import Config

from vcr_gen import Cassette
from vcr_gen.boundaries.http import async_http_transport, http_transport

EVENTS = [f'data: {{"n": {number}}}\n\n'.encode() for number in range(4)]


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Say which version was spoken, in a stream of events."""
    headers = [(b"x-version", scope["http_version"].encode()), (b"x-tag", b"a"), (b"x-tag", b"b")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for event in EVENTS:
        await send({"type": "http.response.body", "body": event, "more_body": True})
        await asyncio.sleep(0.02)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, ssl.SSLContext]]:
    """The address of a server, and what its clients trust."""
    authority, certificate = trustme.CA(), folder / "server.pem"
    authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(certificate)
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    config = Config()
    config.bind, config.certfile, config.keyfile = ["localhost:0"], *[str(certificate)] * 2
    config.accesslog = config.errorlog = None
    sockets = config.create_sockets()
    (listener,) = sockets.secure_sockets[:1]
    listener.listen()  # hypercorn does so only when it serves
    config.create_sockets = lambda: sockets  # type: ignore[method-assign]
    loop, stopping = asyncio.new_event_loop(), asyncio.Event()

    def run() -> None:
        app: Any = answer
        loop.run_until_complete(serve(app, config, shutdown_trigger=stopping.wait, mode="asgi"))
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield f"https://localhost:{listener.getsockname()[1]}/events", trust
    finally:
        loop.call_soon_threadsafe(stopping.set)
        thread.join()


def seen_of(response: httpx.Response, pieces: list[bytes]) -> list[Any]:
    extensions = sorted(set(response.extensions) & {"http_version", "reason_phrase"})
    version, reason = response.http_version, response.reason_phrase
    return [response.status_code, version, reason, extensions, response.headers.raw, pieces]


def program(cassette: Cassette | None, url: str, trust: Any) -> list[Any]:
    real = None if trust is None else httpx.HTTPTransport(http2=True, verify=trust)
    transport = real if cassette is None else http_transport(cassette, inner=real)
    with httpx.Client(transport=transport) as client, client.stream("GET", url) as response:
        return seen_of(response, list(response.iter_bytes()))


def async_program(cassette: Cassette | None, url: str, trust: Any) -> list[Any]:
    async def run() -> list[Any]:
        real = None if trust is None else httpx.AsyncHTTPTransport(http2=True, verify=trust)
        transport = real if cassette is None else async_http_transport(cassette, inner=real)
        async with (
            httpx.AsyncClient(transport=transport) as client,
            client.stream("GET", url) as response,
        ):
            return seen_of(response, [piece async for piece in response.aiter_bytes()])

    return asyncio.run(run())


def without_date(seen: list[Any]) -> list[Any]:
    *head, headers, pieces = seen
    return [*head, [pair for pair in headers if pair[0] != b"date"], pieces]


@pytest.mark.parametrize("run", [program, async_program])
def test_a_program_sees_the_same_over_http_2(tmp_path: Path, run: Any) -> None:
    with serving(tmp_path) as (url, trust):
        live = run(None, url, trust)
        with Cassette(tmp_path / "tape.yaml", "all") as cassette:
            recorded = run(cassette, url, trust)
    with Cassette(tmp_path / "tape.yaml", "none") as cassette:
        replayed = run(cassette, url, None)
    assert live[1:3] == ["HTTP/2", "OK"]
    assert live[-1] == EVENTS
    assert recorded == replayed
    assert without_date(live) == without_date(recorded)
