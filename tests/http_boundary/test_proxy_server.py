"""How the proxy treats clients: tunnels, connections that stay open, and clients that leave."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from proxy_command import serving

from vcr_gen import Cassette
from vcr_gen.boundaries.http import HttpMatch, http_proxy
from vcr_gen.boundaries.http.proxy import HttpProxy, client_connection


@contextmanager
def proxying(folder: Path, mode: str, **options: Any) -> Iterator[HttpProxy]:
    with (
        Cassette(folder / "tape.yaml", mode, order="lanes") as cassette,
        http_proxy(cassette, **options) as proxy,
    ):
        yield proxy


@contextmanager
def connected(proxy: HttpProxy) -> Iterator[socket.socket]:
    port = int(proxy.environment["HTTP_PROXY"].rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        yield client


def received(client: socket.socket, count: int = 1, ending: bytes = b"three") -> bytes:
    """What comes until this ending came so often, or the connection is closed."""
    found = b""
    while found.count(ending) < count:
        data = client.recv(65536)
        if not data:
            break
        found += data
    return found


def request(url: str, *headers: str, method: str = "GET") -> bytes:
    host = url.partition("//")[2].partition("/")[0]
    return "\r\n".join((f"{method} {url} HTTP/1.1", f"Host: {host}", *headers, "", "")).encode()


def test_several_requests_on_one_connection(tmp_path: Path) -> None:
    def talk(mode: str) -> bytes:
        with proxying(tmp_path, mode) as proxy, connected(proxy) as client:
            client.sendall(request(f"{base}/crlf-text"))
            first = received(client)
            client.sendall(request(f"{base}/crlf-text?2") + request(f"{base}/crlf-text?3"))
            return first + received(client, 2)

    with serving() as base:
        recorded = talk("all")
    assert recorded.count(b"HTTP/1.1 200 OK") == 3
    assert talk("none") == recorded


def test_http_through_a_tunnel(tmp_path: Path) -> None:
    def talk(mode: str) -> bytes:
        with proxying(tmp_path, mode) as proxy, connected(proxy) as client:
            host = base.partition("//")[2]
            client.sendall(request(host, method="CONNECT"))
            assert received(client, ending=b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")
            client.sendall(request("/crlf-text", f"X-Host: {host}"))
            return received(client)

    with serving() as base:
        recorded = talk("all")
    assert b"one\r\ntwo\r\n\r\nthree" in recorded
    assert talk("none") == recorded
    assert f"url: {base}/crlf-text" in (tmp_path / "tape.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "sent",
    [
        request("/no-proxy-request"),
        request("https://localhost/"),
        request("localhost", method="CONNECT"),
        b"nonsense\r\n\r\n",
    ],
)
def test_what_is_no_request_to_a_proxy_is_refused(tmp_path: Path, sent: bytes) -> None:
    with proxying(tmp_path, "all") as proxy, connected(proxy) as client:
        client.sendall(sent)
        assert received(client).startswith(b"HTTP/1.1 400 Bad Request\r\n")


@pytest.mark.parametrize(
    "path", ["/post-json//a/../b?", "/post-json?a=1&&b=%20+", "/post-json/;x?#"]
)
def test_the_path_arrives_as_it_was_sent(tmp_path: Path, path: str) -> None:
    with (
        serving() as base,
        proxying(tmp_path, "all") as proxy,
        connected(proxy) as client,
    ):
        client.sendall(request(f"{base}{path}"))
        assert f'"path": "{path.removesuffix("#")}"'.encode() in received(client, ending=b"}")


def test_headers_for_the_proxy_are_neither_recorded_nor_sent(tmp_path: Path) -> None:
    with (
        serving() as base,
        proxying(tmp_path, "all") as proxy,
        connected(proxy) as client,
    ):
        client.sendall(request(f"{base}/crlf-text", "Proxy-Authorization: Basic YTpi"))
        received(client)
    assert "proxy-authorization" not in (tmp_path / "tape.yaml").read_text(encoding="utf-8")


def test_a_client_that_left_early_is_left_alone_in_a_replay(tmp_path: Path) -> None:
    def talk(mode: str) -> bytes:
        with proxying(tmp_path, mode) as proxy:
            with connected(proxy) as client:
                client.sendall(request(f"{base}/timeout-in-the-body"))
                found = received(client, ending=b"beginning")
            assert proxy.complaints == []
            return found

    with serving() as base:
        recorded = talk("all")
    assert talk("none") == recorded
    assert "error: ClientGone" in (tmp_path / "tape.yaml").read_text(encoding="utf-8")


def test_a_client_that_does_not_leave_in_a_replay_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_connection, "_SECONDS_TO_LEAVE", 0.3)
    with (
        serving() as base,
        proxying(tmp_path, "all") as proxy,
        connected(proxy) as client,
    ):
        client.sendall(request(f"{base}/timeout-in-the-body"))
        received(client, ending=b"beginning")
    with proxying(tmp_path, "none") as proxy, connected(proxy) as client:
        client.sendall(request(f"{base}/timeout-in-the-body"))
        assert received(client).endswith(b"beginning")
    assert proxy.complaints == [
        "a client still waits for a response; in the recording it closed the connection at this "
        "point"
    ]


def test_requests_may_differ_as_allowed(tmp_path: Path) -> None:
    def talk(mode: str, url: str) -> bytes:
        match = HttpMatch(ignore_query=["time"])
        with proxying(tmp_path, mode, match=match) as proxy, connected(proxy) as client:
            client.sendall(request(url))
            return received(client)

    with serving() as base:
        recorded = talk("all", f"{base}/crlf-text?time=1")
    assert talk("none", f"{base}/crlf-text?time=2") == recorded
