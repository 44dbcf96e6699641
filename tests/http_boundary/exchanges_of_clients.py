"""The same requests through httpx, requests and aiohttp, and a server that answers them.

vcrpy records them by patching; our fronts replay what was imported.
"""

import asyncio
import gzip
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import aiohttp
import httpx
import requests

from vcr_gen import Cassette
from vcr_gen.boundaries.http import aiohttp_middleware, http_transport, requests_adapter

KEY: Final = "sk-live-4f9a8b7c6d5e4f3a2b1c"
SESSION: Final = "5f2b9c1d8e7a4b3c9d0e1f2a3b4c5d6e"
TOKEN: Final = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PASSWORD: Final = "correct-horse-battery"
SECRETS: Final = (KEY, SESSION, TOKEN, PASSWORD)
HEADERS: Final = {"Authorization": f"Bearer {KEY}", "X-Tenant": "north"}


@dataclass(frozen=True)
class Sent:
    """A request; the arguments are those that all three clients understand."""

    method: str
    path: str
    arguments: dict[str, Any] = field(default_factory=dict)
    binary: bytes | None = None

    def given(self, name_of_content: str) -> dict[str, Any]:
        content = {} if self.binary is None else {name_of_content: self.binary}
        return {**self.arguments, **content}


TEXTUAL: Final = (
    Sent("GET", "/json", {"params": {"q": "blue shirt", "page": "2"}}),
    Sent("POST", "/json", {"json": {"order": {"id": 7, "tags": ["a", "b"]}}}),
    Sent("POST", "/json", {"json": {"note": "all fields are text"}}),
    Sent("POST", "/login", {"data": {"user": "ann", "password": PASSWORD}}),
    Sent("GET", "/moved"),
    Sent("GET", "/empty"),
    Sent("DELETE", "/json"),
    Sent("HEAD", "/json"),
    Sent("GET", "/missing"),
    Sent("GET", "/json", {"params": {"q": "blue shirt", "page": "2"}}),
)
COOKIES: Final = Sent("GET", "/cookies")
"""Some clients send the cookies with the requests that follow: it comes last."""
BINARY: Final = (
    Sent("GET", "/gzip"),
    Sent("GET", "/image"),
    Sent("PUT", "/json", binary=bytes(range(256))),
)
"""vcrpy's JSON serializer refuses these; of aiohttp it stores what is decoded."""


@dataclass(frozen=True)
class Seen:
    """What a program sees of a response."""

    url: str
    status: int
    reason: str | None
    headers: list[tuple[str, str]]
    body: bytes


def _headers(pairs: Any) -> list[tuple[str, str]]:
    return sorted((str(name).lower(), str(value)) for name, value in pairs)


def with_httpx(base: str, all_sent: Sequence[Sent], cassette: Cassette | None) -> list[Seen]:
    transport = None if cassette is None else http_transport(cassette)
    seen = []
    with httpx.Client(transport=transport, headers=HEADERS, follow_redirects=True) as client:
        for sent in all_sent:
            got = client.request(sent.method, base + sent.path, **sent.given("content"))
            headers = _headers(got.headers.multi_items())
            seen.append(
                Seen(str(got.url), got.status_code, got.reason_phrase, headers, got.content)
            )
    return seen


def with_requests(base: str, all_sent: Sequence[Sent], cassette: Cassette | None) -> list[Seen]:
    seen = []
    with requests.Session() as session:
        session.headers.update(HEADERS)
        if cassette is not None:
            for scheme in ("http://", "https://"):
                session.mount(scheme, requests_adapter(cassette))
        for sent in all_sent:
            got = session.request(sent.method, base + sent.path, **sent.given("data"))
            headers = _headers(got.raw.headers.items())
            seen.append(Seen(str(got.url), got.status_code, got.reason, headers, got.content))
    return seen


def with_aiohttp(base: str, all_sent: Sequence[Sent], cassette: Cassette | None) -> list[Seen]:
    async def talk() -> list[Seen]:
        seen = []
        front = [] if cassette is None else [aiohttp_middleware(cassette)]
        async with aiohttp.ClientSession(headers=HEADERS, middlewares=front) as session:
            for sent in all_sent:
                url = base + sent.path
                async with session.request(sent.method, url, **sent.given("data")) as got:
                    body = await got.read()
                    headers = _headers(got.headers.items())
                    seen.append(Seen(str(got.url), got.status, got.reason, headers, body))
        return seen

    return asyncio.run(talk())


Client = Callable[[str, Sequence[Sent], Cassette | None], list[Seen]]
CLIENTS: Final[dict[str, Client]] = {
    "httpx": with_httpx,
    "requests": with_requests,
    "aiohttp": with_aiohttp,
}


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        received = self.rfile.read(int(self.headers.get("content-length") or 0))
        path = self.path.partition("?")[0]
        status, headers, body = self._answer(path, received)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_PUT = do_DELETE = do_HEAD = do_GET  # noqa: N815  # names of the base class

    def _answer(self, path: str, received: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        is_json = [("Content-Type", "application/json")]
        match path:
            case "/gzip":
                body = json.dumps({"access_token": TOKEN, "text": "grün " * 50}).encode()
                return 200, [*is_json, ("Content-Encoding", "gzip")], gzip.compress(body)
            case "/image":
                return 200, [("Content-Type", "image/png")], bytes(range(256)) * 2
            case "/moved":
                return 302, [("Location", "/json?moved=1")], b""
            case "/empty":
                return 204, [], b""
            case "/missing":
                return 404, [("Content-Type", "text/plain")], b"nothing here\n"
            case "/cookies":
                cookies = [("Set-Cookie", "theme=dark"), ("Set-Cookie", f"sid={SESSION}; Path=/")]
                return 200, [*is_json, *cookies], b"[1, 2]"
        body = json.dumps({"path": self.path, "got": len(received)}).encode()
        return 200, is_json, body

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def answering_all() -> Iterator[str]:
    """A server for these requests; its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
