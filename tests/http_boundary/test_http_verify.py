"""Mode `verify`: the real server may cut its answers as it likes, and must mean the same."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from http_clients import CLIENTS
from http_endpoints import Endpoint, Request, Step, serving

from vcr_gen import Cassette
from vcr_gen.boundaries.http import http_proxy, http_transport
from vcr_gen.errors import VerificationError

TOKEN = "t9f2" + "Kd71Mx04Pq88Zw3v"
BODY = {"total": 7, "items": [{"sku": "tee", "note": "grün"}] * 4, "access_token": TOKEN}


class Shop:
    """A server that can be told to answer otherwise."""

    def __init__(self) -> None:
        self.requests = 0
        self.cuts = 1
        self.body: Any = BODY
        self.status = "200 OK"
        self.lines: tuple[str, ...] = ("X-Shop: north",)
        self.encode: Callable[[bytes], bytes] = bytes

    def answer(self, request: Request) -> list[Step]:
        self.requests += 1
        body = self.encode(self.body if isinstance(self.body, bytes) else _json(self.body))
        size = len(body) // self.cuts + 1
        chunks = [body[at : at + size] for at in range(0, len(body), size)]
        lines = [
            f"HTTP/1.1 {self.status}",
            "Transfer-Encoding: chunked",
            "Content-Type: application/json",
            f"Date: Wed, 18 Nov 2026 21:0{self.requests}:00 GMT",
            f"X-Request-Id: req_{self.requests}",
            *self.lines,
        ]
        head = "\r\n".join([*lines, "", ""]).encode()
        framed = [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks]
        return [head, *framed, b"0\r\n\r\n"]


def _json(body: Any) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode()


def verify(tmp_path: Path, client: str, change: Callable[[Shop], None]) -> None:
    """Record a request, change the server, and verify."""
    shop = Shop()
    endpoint = Endpoint(shop.answer)
    with serving(shop.answer, pause=0.01) as server:
        base = f"http://127.0.0.1:{server.port}"
        for mode in ("all", "verify"):
            if mode == "verify":
                change(shop)
            with Cassette(tmp_path / "tape.yaml", mode) as cassette:
                CLIENTS[client](cassette, base, "shop", endpoint)


def _cut(shop: Shop) -> None:
    shop.cuts = 9


def _compress(shop: Shop) -> None:
    shop.cuts, shop.encode = 3, gzip.compress
    shop.lines = (*shop.lines, "Content-Encoding: gzip")


def _spell_otherwise(shop: Shop) -> None:
    shop.body = json.dumps(dict(reversed(BODY.items())), indent=1).encode()


@pytest.mark.parametrize("client", CLIENTS)
def test_it_passes_where_only_cuts_dates_and_request_ids_differ(
    tmp_path: Path, client: str
) -> None:
    verify(tmp_path, client, _cut)


@pytest.mark.parametrize("client", ["httpx", "requests", "aiohttp"])
def test_it_passes_where_json_is_spelled_otherwise(tmp_path: Path, client: str) -> None:
    verify(tmp_path, client, _spell_otherwise)


def _total(shop: Shop) -> None:
    shop.cuts, shop.body = 5, {**BODY, "total": 8}


def _item(shop: Shop) -> None:
    shop.cuts, shop.body = 5, {**BODY, "items": [*BODY["items"], {"sku": "mug"}]}


def _status(shop: Shop) -> None:
    shop.status = "202 Accepted"


def _no_header(shop: Shop) -> None:
    shop.lines = ()


def _text(shop: Shop) -> None:
    shop.cuts, shop.body = 2, b"down for maintenance"


CHANGES: dict[str, tuple[Callable[[Shop], None], str, str]] = {
    "total": (_total, "response.body.json.total: value differs", "+ 8"),
    "item": (_item, "response.body.json.items[4]: not in the recording", "mug"),
    "status": (_status, "response.status: value differs", "+ 202"),
    "header": (_no_header, "response.headers['x-shop']: only in the recording", '- "north"'),
    "text": (_text, "response.body", "down for maintenance"),
    "encoding": (_compress, "response.headers['content-encoding']: not in the recording", "gzip"),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("client", ["httpx", "httpx, async", "requests", "aiohttp"])
def test_what_differs_is_named(tmp_path: Path, client: str, change: str) -> None:
    act, place, shown = CHANGES[change]
    with pytest.raises(VerificationError) as raised:
        verify(tmp_path, client, act)
    [text] = raised.value.differences
    assert place in text
    assert shown in text
    assert "http GET /shop (call 1): yielded different items" in text
    assert TOKEN not in str(raised.value)


def test_a_request_is_compared_with_the_same_request(tmp_path: Path) -> None:
    """A request that was added, or is made no longer, does not shift the others."""

    def ask(mode: str, base: str, *paths: str) -> None:
        inner = httpx.HTTPTransport(verify=False)
        with (
            Cassette(tmp_path / "tape.yaml", mode) as cassette,
            httpx.Client(transport=http_transport(cassette, inner=inner)) as client,
        ):
            for path in paths:
                client.get(f"{base}/{path}")

    with serving(Shop().answer, pause=0) as server:
        base = f"http://127.0.0.1:{server.port}"
        ask("all", base, "a", "b", "c")
        with pytest.raises(VerificationError) as raised:
            ask("verify", base, "a", "new", "c")
    gone, added = raised.value.differences
    assert gone.endswith(f"http GET /b (call 1): no longer called: http.exchange(GET {base}/b)")
    expected = "http GET /new (call 1): called, but not on the tape: http.exchange(GET "
    assert added == f"{expected}{base}/new)"


def test_it_passes_through_the_proxy(tmp_path: Path) -> None:
    shop = Shop()
    with serving(shop.answer, pause=0.01) as server:
        for mode in ("all", "verify"):
            with (
                Cassette(tmp_path / "tape.yaml", mode, order="lanes") as cassette,
                http_proxy(cassette) as proxy,
                httpx.Client(proxy=proxy.environment["HTTP_PROXY"], verify=False) as client,
            ):
                client.get(f"http://127.0.0.1:{server.port}/shop")
            shop.cuts = 9
