"""No secret of an exchange reaches the disk, a message or a report, wherever it stands."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest
import requests
from http_endpoints import serving
from secret_exchanges import EXCHANGES, TEXTS, Exchange, Sent, files_with, secret_in

from vcr_gen import Cassette, DivergenceError, Redaction
from vcr_gen.boundaries.http import (
    aiohttp_middleware,
    async_http_transport,
    http_proxy,
    http_transport,
    requests_adapter,
)
from vcr_gen.boundaries.http.bodies import piece_to_plain
from vcr_gen.cli import main
from vcr_gen.runtime.codec.scalars import bytes_to_plain
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import DEFAULT_RULES, Secrets, text_of
from vcr_gen.runtime.tape.events import End, Event, Item
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.stream_redaction_buffer import StreamBuffer

Seen = tuple[int, list[tuple[str, str]], bytes] | str
Talk = Callable[[Cassette, str, Sequence[Sent]], list[Seen]]


def with_httpx(cassette: Cassette, base: str, all_sent: Sequence[Sent]) -> list[Seen]:
    inner = httpx.HTTPTransport(verify=False)  # reads no certificates, which takes its time
    return _with_httpx(base, all_sent, transport=http_transport(cassette, inner=inner))


def with_the_proxy(cassette: Cassette, base: str, all_sent: Sequence[Sent]) -> list[Seen]:
    with http_proxy(cassette) as proxy:
        return _with_httpx(base, all_sent, proxy=proxy.environment["HTTP_PROXY"])


def _with_httpx(base: str, all_sent: Sequence[Sent], **options: Any) -> list[Seen]:
    seen: list[Seen] = []
    with httpx.Client(follow_redirects=True, **options) as client:
        for sent in all_sent:
            try:
                got = client.request(
                    sent.method, base + sent.path, headers=sent.headers, content=sent.content
                )
                seen.append((got.status_code, got.headers.multi_items(), got.content))
            except httpx.HTTPError as error:
                seen.append(type(error).__name__)
    return seen


def with_async_httpx(cassette: Cassette, base: str, all_sent: Sequence[Sent]) -> list[Seen]:
    async def talk() -> list[Seen]:
        seen: list[Seen] = []
        inner = httpx.AsyncHTTPTransport(verify=False)
        transport = async_http_transport(cassette, inner=inner)
        async with httpx.AsyncClient(follow_redirects=True, transport=transport) as client:
            for sent in all_sent:
                try:
                    got = await client.request(
                        sent.method, base + sent.path, headers=sent.headers, content=sent.content
                    )
                    seen.append((got.status_code, got.headers.multi_items(), got.content))
                except httpx.HTTPError as error:
                    seen.append(type(error).__name__)
        return seen

    return asyncio.run(talk())


def with_requests(cassette: Cassette, base: str, all_sent: Sequence[Sent]) -> list[Seen]:
    seen: list[Seen] = []
    with requests.Session() as session:
        session.mount("http://", requests_adapter(cassette))
        for sent in all_sent:
            try:
                with session.request(
                    sent.method,
                    base + sent.path,
                    headers=dict(sent.headers),
                    data=sent.content,
                    stream=True,
                ) as got:
                    body = b"".join(got.iter_content(None))
                    seen.append((got.status_code, list(got.raw.headers.items()), body))
            except requests.RequestException as error:
                seen.append(type(error).__name__)
    return seen


def with_aiohttp(cassette: Cassette, base: str, all_sent: Sequence[Sent]) -> list[Seen]:
    async def talk() -> list[Seen]:
        seen: list[Seen] = []
        async with aiohttp.ClientSession(
            middlewares=[aiohttp_middleware(cassette)],
            cookie_jar=aiohttp.CookieJar(unsafe=True),
            skip_auto_headers=["Content-Type"],
        ) as session:
            for sent in all_sent:
                try:
                    async with session.request(
                        sent.method, base + sent.path, headers=sent.headers, data=sent.content
                    ) as got:
                        seen.append((got.status, list(got.headers.items()), await got.read()))
                except aiohttp.ClientError as error:
                    seen.append(type(error).__name__)
        return seen

    return asyncio.run(talk())


CLIENTS: dict[str, Talk] = {
    "httpx": with_httpx,
    "httpx, async": with_async_httpx,
    "requests": with_requests,
    "aiohttp": with_aiohttp,
    "proxy": with_the_proxy,
}
PAIRS = [
    # The first tests run each exchange with one client, and the slow tests with the others.
    pytest.param(place, name, marks=() if number % 5 == turn else pytest.mark.slow)
    for number, place in enumerate(EXCHANGES)
    for turn, name in enumerate(CLIENTS)
]

SAMPLED = [
    pytest.param(place, marks=() if number % 3 == 0 else pytest.mark.slow)
    for number, place in enumerate(EXCHANGES)
]


def record(tape: Path, exchange: Exchange, talk: Talk, **options: Any) -> tuple[str, list[Seen]]:
    """The address of the server, which is gone, and what the program saw."""
    with serving(exchange.answer, pause=0.004) as server:
        base = f"http://127.0.0.1:{server.port}"
        with Cassette(tape, "all", order="lanes", **options) as cassette:
            return base, talk(cassette, base, exchange.sent)


def replay(tape: Path, base: str, exchange: Exchange, talk: Talk) -> list[Seen]:
    with Cassette(tape, "none", order="lanes") as cassette:
        return talk(cassette, base, exchange.sent)


def without_the_secret(seen: list[Seen], secret: str) -> list[str]:
    """What a program saw, with a dot for a secret and its placeholder, and without lengths."""
    texts = []
    for each in seen:
        if not isinstance(each, str):
            status, headers, body = each
            kept = [pair for pair in headers if pair[0].lower() != "content-length"]
            text = repr((status, kept, body)).replace(secret, "·")
        else:
            text = each
        texts.append(re.sub(r"(<redacted:[^>]*>)+", "·", text))
    return texts


@pytest.mark.parametrize(("place", "client"), PAIRS)
def test_it_reaches_no_file_and_the_exchange_replays(
    tmp_path: Path, place: str, client: str
) -> None:
    exchange, talk, tape = EXCHANGES[place], CLIENTS[client], tmp_path / "tape.yaml"

    def observed(cassette: Cassette, base: str, all_sent: Sequence[Sent]) -> list[Seen]:
        seen = talk(cassette, base, all_sent)
        assert files_with(tmp_path, exchange.secret) == []  # the partial file
        return seen

    base, recorded = record(tape, exchange, observed)
    assert files_with(tmp_path, exchange.secret) == []
    replayed = replay(tape, base, exchange, talk)
    if exchange.alike:
        before = without_the_secret(recorded, exchange.secret)
        assert before == without_the_secret(replayed, exchange.secret)
    assert [type(each) for each in recorded] == [type(each) for each in replayed]


@pytest.mark.parametrize("place", SAMPLED)
def test_it_reaches_no_message_and_no_report(
    tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exchange, tape = EXCHANGES[place], tmp_path / "tape.jsonl"
    base, _ = record(tape, exchange, with_httpx)
    assert main(["cassette", "show", str(tape)]) == 0
    assert main(["cassette", "report", str(tape), "-o", str(tmp_path / "report.html")]) == 0
    assert files_with(tmp_path, exchange.secret) == []
    *before, last = exchange.sent
    changed = Sent(f"{last.path}#", "PATCH", (*last.headers, ("X-New", "1")), last.content)
    with (
        pytest.raises(DivergenceError) as raised,
        Cassette(tape, "none", order="lanes") as cassette,
    ):
        with_httpx(cassette, base, [*before, changed])
    told = str(raised.value) + repr(raised.value.divergence) + "".join(capsys.readouterr())
    assert not secret_in(told.encode(), exchange.secret)


@pytest.mark.parametrize("ending", ["yaml", pytest.param("jsonl", marks=pytest.mark.slow)])
@pytest.mark.parametrize("place", SAMPLED)
def test_scan_finds_it_where_redaction_was_off_and_redact_removes_it(
    tmp_path: Path, place: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    exchange, tape = EXCHANGES[place], tmp_path / f"tape.{ending}"
    base, _ = record(tape, exchange, with_httpx, redaction=Redaction(off=DEFAULT_RULES))
    assert main(["cassette", "scan", str(tape)]) == 1
    assert main(["cassette", "redact", str(tape)]) == 0
    assert files_with(tmp_path, exchange.secret) == []
    assert main(["cassette", "scan", str(tape)]) == 0
    assert not secret_in("".join(capsys.readouterr()).encode(), exchange.secret)
    replay(tape, base, exchange, with_httpx)


def stored(pieces: Sequence[bytes]) -> list[Plain]:
    """The pieces of a body as a recording stores them."""
    passed: list[Event] = []
    buffer = StreamBuffer(Secrets(Redaction()), passed.append)
    for piece in pieces:
        plain: Any = piece_to_plain(piece)
        value = bytes_to_plain(plain) if isinstance(plain, bytes) else plain
        buffer.add(Item(call=1, value=value))
    buffer.add(End(call=1, outcome="returned", value=None))
    return [event.value for event in passed if isinstance(event, Item)]


@pytest.mark.parametrize("name", TEXTS)
def test_a_body_may_be_cut_at_every_byte(name: str) -> None:
    secret, body = TEXTS[name]
    for cut in range(1, len(body)):
        items = stored([body[:cut], body[cut:]])
        text = "".join(text_of(item) or "" for item in items)
        assert len(items) == 2
        assert not secret_in(text.encode(), secret), cut
        assert "<redacted:" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
def test_a_body_may_be_cut_twice(name: str) -> None:
    secret, body = TEXTS[name]
    for first in range(1, len(body), 3):
        for second in range(first + 1, len(body), 7):
            items = stored([body[:first], body[first:second], body[second:]])
            text = "".join(text_of(item) or "" for item in items)
            assert not secret_in(text.encode(), secret), (first, second)


ORDINARY: dict[str, object] = {
    "id": "chatcmpl-9xYzAbCdEfGhIjKlMnOpQrStUvWx",
    "system_fingerprint": "fp_44709d6fcb",
    "usage": {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 46},
    "max_tokens": 1024,
    "next_page_token": "CAUQAA",
    "session_id": "chat-7",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit": "4c688ad8f2c2e7fc34b60664d9cbd8c6857a8126",
    "uuid": "6fa459ea-ee8a-3ca4-894e-db77e160355e",
    "key": "orders/2026/11",
    "primary_key": "id",
    "token": "Hello",
    "tokens": ["Hel", "lo"],
    "password_reset_url": "https://x.example/reset",
    "authors": ["Ada", "Bob"],
    "secretary": "Eve",
    "passenger": "Kim",
    "cookie_policy": "strict",
    "signature_required": True,
    "image": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAAA=",
    "text": "The password must be at least 8 characters. Use a token of your choice.",
    "tool_call_id": "call_Xk3bVQ7pT2mLw9ZsYd8RfHcN",
    "stop_token": "</s>",
    "client_id": "my-app",
    "grant_type": "client_credentials",
    "token_type": "Bearer",
    "expires_in": 3600,
}
HEADERS = (
    ("ETag", '"33a64df551425fcc55e4d42a148795d9f25f89d4"'),
    ("Content-MD5", "Q2hlY2sgSW50ZWdyaXR5IQ=="),
    ("X-Request-Id", "req_011CVBz9cYV2gqkDn4eX7YfT"),
    ("X-Trace-Id", "4bf92f3577b34da6a3ce929d0e0e4736"),
    ("Digest", "sha-256=X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="),
    ("anthropic-ratelimit-tokens-remaining", "39999"),
    ("Last-Modified", "Wed, 18 Nov 2026 21:00:00 GMT"),
    ("Set-Cookie", "theme=dark; Path=/; Max-Age=3600"),
    ("Link", '</v1/items?page=2&cursor=eyJpZCI6IDQyfQ>; rel="next"'),
    ("Vary", "Authorization, Cookie"),
    ("WWW-Authenticate", 'Bearer realm="api", error="invalid_token"'),
)


def test_what_is_no_secret_stays_readable_beside_one(tmp_path: Path) -> None:
    """Words, ids, hashes and headers; JSON stays JSON."""
    token = "t9f2" + "Kd71Mx04Pq88Zw3v"
    body = json.dumps({**ORDINARY, "access_token": token}).encode()
    lines = "".join(f"{name}: {value}\r\n" for name, value in HEADERS)
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n{lines}\r\n".encode()
    sent = Sent(
        "/v1/chat?q=blue+shirt&sort=price&order_key=asc&code=DE&session=morning&sig=none",
        "POST",
        (("Authorization", f"Bearer {token}"), ("If-None-Match", HEADERS[0][1])),
        json.dumps(ORDINARY).encode(),
    )
    tape = tmp_path / "tape.yaml"
    exchange = Exchange(token, lambda _: [head + body], (sent,))
    base, _ = record(tape, exchange, with_httpx)
    assert tape.read_text().count("<redacted:") == 2
    with Reading(tape) as reading:
        [entry] = [entry.data for entry in reading]
    stored: Any = entry
    request, answered = stored["args"]["request"], stored["items"]
    assert request["url"] == base + sent.path
    assert request["body"] == {"json": ORDINARY}
    assert answered[1]["json"] == {
        **ORDINARY,
        "access_token": "<redacted:authorization:1>",
    }
    headers = answered[0]["headers"]
    assert {name: headers[name] for name, _ in HEADERS} == dict(HEADERS)
