"""WebSockets over TLS: the certificate is checked while recording, and not part of the tape."""

import asyncio
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import trustme
from websocket_programs import Connect
from websockets.sync.server import ServerConnection, serve

from vcr_gen import Cassette
from vcr_gen.boundaries.http import sync_websocket_connect, websocket_connect

AUTHORITY = trustme.CA()


def answer(socket: ServerConnection) -> None:
    for message in socket:
        socket.send(f"heard {message!r}")


@contextmanager
def serving() -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert("localhost").configure_cert(context)
    with serve(answer, "127.0.0.1", 0, ssl=context) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"wss://localhost:{server.socket.getsockname()[1]}/talk"
        server.shutdown()
        thread.join()


def trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


async def talk(connect: Connect, url: str, context: ssl.SSLContext) -> list[str]:
    async with connect(url, ssl=context) as socket:
        await socket.send("hello")
        return [await socket.recv(), str(socket.response.status_code)]


def sync_talk(connect: Connect, url: str, context: ssl.SSLContext) -> list[str]:
    with connect(url, ssl=context) as socket:
        socket.send("hello")
        return [socket.recv(), str(socket.response.status_code)]


def session(tape: Path, mode: str, url: str, authority: trustme.CA, *, sync: bool) -> list[str]:
    with Cassette(tape, mode) as cassette:
        if sync:
            return sync_talk(sync_websocket_connect(cassette), url, trusting(authority))
        return asyncio.run(talk(websocket_connect(cassette), url, trusting(authority)))


@pytest.mark.parametrize("sync", [True, False])
def test_a_secure_connection_replays_without_its_server(tmp_path: Path, sync: bool) -> None:
    tape = tmp_path / "tape.yaml"
    with serving() as url:
        recorded = session(tape, "all", url, AUTHORITY, sync=sync)
    assert recorded == ["heard 'hello'", "101"]
    assert f"url: {url}" in tape.read_text("utf-8")
    assert session(tape, "none", url, trustme.CA(), sync=sync) == recorded


@pytest.mark.parametrize("sync", [True, False])
def test_a_server_that_is_not_trusted_fails_again(tmp_path: Path, sync: bool) -> None:
    tape = tmp_path / "tape.yaml"
    with serving() as url:
        recorded = refused(tape, "all", url, sync=sync)
    assert refused(tape, "none", url, sync=sync) == recorded
    assert "certificate verify failed" in recorded


def refused(tape: Path, mode: str, url: str, *, sync: bool) -> str:
    """How a program that expects it sees that the server is not trusted."""
    context = trusting(trustme.CA())
    with Cassette(tape, mode) as cassette:
        try:
            if sync:
                sync_talk(sync_websocket_connect(cassette), url, context)
            else:
                asyncio.run(talk(websocket_connect(cassette), url, context))
        except ssl.SSLCertVerificationError as error:
            return str(error)
    return "trusted"
