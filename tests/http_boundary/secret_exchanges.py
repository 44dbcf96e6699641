"""Exchanges with a secret in every place that HTTP has, and what finds it in files."""

import base64
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import brotli
import zstandard
from http_endpoints import Request, Step

KEY: Final = "sk-" + "ant-api03-" + "kQ7x9Lm2Zp4R" * 7 + "AA"
GITHUB: Final = "gh" + "p_" + "Zk39dLq0XwPm" * 3
SLACK: Final = "xo" + "xb-" + "884213077412-" + "hJ5tQe8ZcV1bN6mK"
AWS: Final = "AK" + "IA" + "QZ7RWX4TLM2KHB6D"
JWT: Final = (
    "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiI0MiIsIm4iOjl9." + "Qd8zr3Lw6KpXv0TnYb5HfJm2sGcA9eU1"
)
PASSWORD: Final = "correct-" + "horse-7-battery"
OPAQUE: Final = "t9f2" + "Kd71Mx04Pq88Zw3v"
SESSION: Final = "5f2b9c1d8e7a" + "4b3cZ0e1f2a3b4c5"
SIGNATURE: Final = "9c3fe1b07a52" + "d846cc19aa70be53d2f1884e6b7c0a9d1e2f"


@dataclass(frozen=True)
class Sent:
    """A request of a program."""

    path: str = "/"
    method: str = "GET"
    headers: tuple[tuple[str, str], ...] = ()
    content: bytes = b""


@dataclass(frozen=True)
class Exchange:
    """Requests of a program that carry a secret there or back."""

    secret: str
    answer: Callable[[Request], list[Step]]
    sent: tuple[Sent, ...] = (Sent(),)
    alike: bool = True
    """Whether a replay shows the program the same but for the secret and the length."""


def _answer(body: bytes, *lines: str, cuts: tuple[int, ...] = ()) -> list[Step]:
    """A body of known length, sent in pieces."""
    head = "\r\n".join(["HTTP/1.1 200 OK", f"Content-Length: {len(body)}", *lines, "", ""])
    ends = [*cuts, len(body)]
    pieces = [body[start:end] for start, end in zip([0, *cuts], ends, strict=True)]
    return [head.encode() + pieces[0], *pieces[1:]]


def _chunked(*chunks: bytes, lines: tuple[str, ...] = ()) -> list[Step]:
    head = "\r\n".join(["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *lines, "", ""])
    framed = [b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks]
    return [head.encode(), *framed, b"0\r\n\r\n"]


def _fine(_: Request) -> list[Step]:
    return _answer(b'{"fine":true}', "Content-Type: application/json")


_JSON: Final = ("Content-Type", "application/json")
_FORM: Final = ("Content-Type", "application/x-www-form-urlencoded")


def _body(secret: str, body: bytes, *lines: str, alike: bool = True) -> Exchange:
    return Exchange(secret, lambda _: _answer(body, *lines), alike=alike)


def _json(**fields: object) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


def _upload(secret: str, content: bytes, *headers: tuple[str, str]) -> Exchange:
    return Exchange(secret, _fine, (Sent("/up", "POST", headers, content),))


def _headed(secret: str, *headers: tuple[str, str], path: str = "/") -> Exchange:
    return Exchange(secret, _fine, (Sent(path, headers=headers),))


def _login(secret: str, *cookies: str) -> Exchange:
    """A session cookie, which comes back with the next request."""

    def answer(request: Request) -> list[Step]:
        if request.path == "/login":
            return _answer(b"{}", *(f"Set-Cookie: {cookie}" for cookie in cookies))
        return _fine(request)

    return Exchange(secret, answer, (Sent("/login", "POST"), Sent("/me")))


def _basic(secret: str) -> str:
    return "Basic " + base64.b64encode(f"ada:{secret}".encode()).decode()


def _multipart(secret: str) -> bytes:
    return (
        b'--xyz\r\nContent-Disposition: form-data; name="password"\r\n\r\n'
        + secret.encode()
        + b'\r\n--xyz\r\nContent-Disposition: form-data; name="file"; filename="notes.txt"\r\n'
        b"Content-Type: text/plain\r\n\r\nkeep these words\r\n--xyz--\r\n"
    )


def _cut(secret: str, body: bytes, *lines: str) -> Exchange:
    start = body.index(secret.encode())
    cuts = (start + 1, start + len(secret) // 2, start + len(secret) - 1)
    return Exchange(secret, lambda _: _answer(body, *lines, cuts=cuts))


def _cut_chunks(secret: str, body: bytes, *, each: int, lines: tuple[str, ...] = ()) -> Exchange:
    chunks = [body[at : at + each] for at in range(0, len(body), each)]
    return Exchange(secret, lambda _: _chunked(*chunks, lines=lines))


def _zstd(body: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(body)


def _raw_deflate(body: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return compressor.compress(body) + compressor.flush()


_DOCUMENT: Final = _json(user="ada", access_token=OPAQUE, note="grün und ß", max_tokens=100)
_LONG: Final = _json(words=[f"word {number}" for number in range(50)], api_key=OPAQUE)
_SSE: Final = (
    'event: message\ndata: {"text": "grün"}\n\n'
    f'event: key\ndata: {{"key": "{KEY}"}}\n\ndata: [DONE]\n\n'
).encode()

TEXTS: Final = {
    "token in json": (OPAQUE, _DOCUMENT),
    "jwt in json": (JWT, _json(id_token=JWT, token_type="Bearer")),
    "key in a text": (KEY, f"Your key is {KEY}, ada.".encode()),
    "key in lf lines": (SLACK, f"a: b\nkey {SLACK}\n\nend\n".encode()),
    "key in crlf lines": (SLACK, f"a: b\r\nkey {SLACK}\r\n\r\nend\r\n".encode()),
    "key between umlauts": (GITHUB, f"äöü€{GITHUB}€ß {GITHUB}ü".encode()),
    "key beside binary data": (KEY, b"\0\xff\n" + KEY.encode() + b"\0\xff\n"),
    "sse": (KEY, _SSE),
    "password in a setting": (PASSWORD, f"user: ada\npassword: {PASSWORD}\n".encode()),
    "url": (OPAQUE, f"see https://x.example/a?api_key={OPAQUE}&b=1 for more".encode()),
}
"""Bodies with their secrets, to be cut."""

EXCHANGES: Final[dict[str, Exchange]] = {
    # bodies of responses
    "token in json": _body(OPAQUE, _DOCUMENT, "Content-Type: application/json"),
    "jwt in json": _body(JWT, _json(id_token=JWT, token_type="Bearer")),
    "key in a text": _body(KEY, f"Your key is {KEY}, ada.".encode(), "Content-Type: text/plain"),
    "key in crlf lines": _body(SLACK, f"a: b\r\nkey {SLACK}\r\n\r\nend\r\n".encode()),
    "key between umlauts": _body(GITHUB, f"ü {GITHUB} ß".encode()),
    "key in latin-1": _body(GITHUB, f"ü {GITHUB} ß".encode("latin-1")),
    "key beside binary data": _body(KEY, bytes(range(256)) + KEY.encode() + b"\0\xff"),
    "key in a json string": _body(AWS, _json(text=json.dumps({"id": AWS}))),
    "password in html": _body(
        PASSWORD, f'<input name="password" value="{PASSWORD}">'.encode(), "Content-Type: text/html"
    ),
    "gzip": _body(OPAQUE, gzip.compress(_DOCUMENT), "Content-Encoding: gzip"),
    "x-gzip": _body(OPAQUE, gzip.compress(_DOCUMENT), "Content-Encoding: x-gzip", alike=False),
    "deflate": _body(OPAQUE, zlib.compress(_DOCUMENT), "Content-Encoding: deflate"),
    "raw deflate": _body(OPAQUE, _raw_deflate(_DOCUMENT), "Content-Encoding: deflate"),
    "br": _body(OPAQUE, brotli.compress(_DOCUMENT), "Content-Encoding: br"),
    "zstd": _body(OPAQUE, _zstd(_DOCUMENT), "Content-Encoding: zstd"),
    "gzip and br": _body(
        OPAQUE, brotli.compress(gzip.compress(_DOCUMENT)), "Content-Encoding: gzip, br", alike=False
    ),
    "gzip without a header": _body(OPAQUE, gzip.compress(_DOCUMENT), alike=False),
    "gzip with a wrong checksum": _body(
        OPAQUE, gzip.compress(_DOCUMENT)[:-8] + b"\0" * 8, "Content-Encoding: gzip", alike=False
    ),
    "gzip that ends early": _body(
        OPAQUE, gzip.compress(_DOCUMENT)[:-9], "Content-Encoding: gzip", alike=False
    ),
    "gzip, unlike its header": _body(
        OPAQUE, gzip.compress(_DOCUMENT), "Content-Encoding: br", alike=False
    ),
    "plain, unlike its header": _body(OPAQUE, _DOCUMENT, "Content-Encoding: gzip", alike=False),
    "gzip in base64 in json": _body(
        OPAQUE, _json(payload=base64.b64encode(gzip.compress(_DOCUMENT)).decode()), alike=False
    ),
    # cut bodies
    "cut key": _cut(KEY, f"Your key is {KEY}, ada.".encode()),
    "cut token in json": _cut(OPAQUE, _DOCUMENT, "Content-Type: application/json"),
    "cut key in crlf lines": _cut(SLACK, f"a: b\r\nkey {SLACK}\r\n\r\nend\r\n".encode()),
    "sse byte by byte": _cut_chunks(KEY, _SSE, each=1, lines=("Content-Type: text/event-stream",)),
    "sse in sevens": _cut_chunks(KEY, _SSE, each=7, lines=("Content-Type: text/event-stream",)),
    "umlauts in threes": _cut_chunks(GITHUB, f"üäö{GITHUB}ßüä€{GITHUB}".encode(), each=3),
    "gzip in fives": _cut_chunks(
        OPAQUE, gzip.compress(_DOCUMENT), each=5, lines=("Content-Encoding: gzip",)
    ),
    "br in fives": _cut_chunks(
        OPAQUE, brotli.compress(_LONG), each=5, lines=("Content-Encoding: br",)
    ),
    # heads of responses
    "short set-cookie": _login("x9:y-z8", 'session="x9:y-z8"; Path=/'),
    "set-cookie": _login(SESSION, f"session={SESSION}; Path=/; HttpOnly"),
    "two set-cookies": _login(SESSION, "theme=dark; Path=/", f"sid={SESSION}; Path=/"),
    "quoted set-cookie": _login("bar:b4z-77", 'foo="bar:b4z-77"; Path=/'),
    "location": Exchange(
        OPAQUE,
        lambda request: (
            [
                f"HTTP/1.1 302 Found\r\nLocation: /next?access_token={OPAQUE}\r\n"
                "Content-Length: 0\r\n\r\n".encode()
            ]
            if request.path == "/"
            else _fine(request)
        ),
    ),
    "key in a header": _body(OPAQUE, b"{}", f"X-Auth-Token: {OPAQUE}"),
    "link": _body(OPAQUE, b"{}", f'Link: </p?page=2&api_key={OPAQUE}>; rel="next"'),
    # requests
    "bearer": _headed(OPAQUE, ("Authorization", f"Bearer {OPAQUE}")),
    "basic": _headed(PASSWORD, ("Authorization", _basic(PASSWORD))),
    "x-api-key": _headed(OPAQUE, ("X-Api-Key", OPAQUE)),
    "cookie": _headed(SESSION, ("Cookie", f"theme=dark; session={SESSION}; lang=de")),
    "aws signature": _headed(
        SIGNATURE,
        (
            "Authorization",
            f"AWS4-HMAC-SHA256 Credential={AWS}/20261118/eu-west-1/s3/aws4_request, "
            f"SignedHeaders=host;x-amz-date, Signature={SIGNATURE}",
        ),
    ),
    "api key in the query": _headed(OPAQUE, path=f"/search?q=shirt&api_key={OPAQUE}&page=2"),
    "signed url": _headed(
        SIGNATURE,
        path=f"/bucket/file?X-Amz-Credential={quote(AWS + '/20261118', safe='')}"
        f"&X-Amz-Signature={SIGNATURE}&X-Amz-Expires=60",
    ),
    "token in the path": _headed(GITHUB, path=f"/hooks/{GITHUB}/run"),
    "json login": _upload(PASSWORD, _json(user="ada", password=PASSWORD), _JSON),
    "form login": _upload(PASSWORD, f"user=ada&password={PASSWORD}".encode(), _FORM),
    "client secret in a form": _upload(
        OPAQUE, f"grant_type=client_credentials&client_secret={OPAQUE}".encode(), _FORM
    ),
    "multipart login": _upload(
        PASSWORD, _multipart(PASSWORD), ("Content-Type", "multipart/form-data; boundary=xyz")
    ),
    "xml login": _upload(
        PASSWORD,
        f"<login><password>{PASSWORD}</password></login>".encode(),
        ("Content-Type", "application/xml"),
    ),
    "gzip upload": _upload(
        PASSWORD,
        gzip.compress(_json(user="ada", password=PASSWORD)),
        _JSON,
        ("Content-Encoding", "gzip"),
    ),
    "br upload": _upload(
        PASSWORD,
        brotli.compress(_json(user="ada", password=PASSWORD)),
        _JSON,
        ("Content-Encoding", "br"),
    ),
    "gzip upload without a header": _upload(
        PASSWORD, gzip.compress(_json(user="ada", password=PASSWORD))
    ),
    "gzip in multipart": _upload(
        GITHUB,
        b'--xyz\r\nContent-Disposition: form-data; name="f"; filename="f.gz"\r\n\r\n'
        + gzip.compress(GITHUB.encode())
        + b"\r\n--xyz--\r\n",
        ("Content-Type", "multipart/form-data; boundary=xyz"),
    ),
    "binary upload": _upload(KEY, b"\0\xff\xfe" + KEY.encode() + b"\0"),
    # there and back
    "echoed": Exchange(
        OPAQUE,
        lambda request: _answer(
            f"you sent {request.headers['authorization']}, thanks".encode(),
        ),
        (Sent(headers=(("Authorization", f"Bearer {OPAQUE}"),)),),
    ),
    "echoed password": Exchange(
        PASSWORD,
        lambda _: _answer(f"no user has {PASSWORD} as password".encode()),
        (Sent("/up", "POST", (_FORM,), f"user=ada&password={PASSWORD}".encode()),),
    ),
}
"""By the place of the secret."""


def secret_in(data: bytes, secret: str) -> bool:
    """Whether a piece of a secret is in data: plain, in base64, in hex or compressed."""
    pieces = {secret[at : at + 10].encode() for at in range(max(1, len(secret) - 9))}
    return any(piece in each for each in _opened(data, 4) for piece in pieces)


_BASE64: Final = re.compile(rb"[A-Za-z0-9+/_-]{8,}(?:\s+[A-Za-z0-9+/_-]{8,})*={0,2}")


def _opened(data: bytes, depth: int) -> Iterator[bytes]:
    yield data
    if not depth:
        return
    for run in _BASE64.findall(data):
        body = re.sub(rb"\s+", b"", run).rstrip(b"=").replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4 if depth == 4 else 1):
            part = body[start:]
            yield from _opened(base64.b64decode(part[: len(part) // 4 * 4]), depth - 1)
    for decompress in (
        zlib.decompressobj(47).decompress,
        zlib.decompressobj(-15).decompress,
        brotli.Decompressor().process,
        zstandard.ZstdDecompressor().decompressobj().decompress,
    ):
        found = b""
        try:
            for at in range(0, len(data), 8):
                found += decompress(data[at : at + 8])
        except Exception:  # each library has its own
            pass
        if len(found) > 8:
            yield from _opened(found, depth - 1)


def files_with(folder: Path, secret: str) -> list[str]:
    """The names of the files that hold a piece of a secret."""
    return [
        file.name
        for file in folder.rglob("*")
        if file.is_file() and secret_in(file.read_bytes(), secret)
    ]
