"""HTTP archives, as Chrome and Firefox export them, are converted and replay with our fronts."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import run_command
from exchanges_of_clients import CLIENTS, PASSWORD, SECRETS, SESSION, TOKEN, Sent

from vcr_gen import Cassette, DivergenceError

SITE = "https://shop.example"
PIXEL = bytes(range(256))


def entry(
    method: str, url: str, content: dict[str, Any], *, status: int = 200, **more: Any
) -> dict[str, Any]:
    """An entry with what a browser puts into each."""
    response_headers = more.pop("response_headers", [])
    return {
        "_initiator": {"type": "other"},
        "startedDateTime": "2026-11-18T10:00:00.000Z",
        "time": 12.5,
        "request": {
            "method": method,
            "url": url,
            "httpVersion": "h2",
            "headers": [
                {"name": ":authority", "value": "shop.example"},
                {"name": "user-agent", "value": "Mozilla/5.0"},
                {"name": "sec-fetch-mode", "value": "cors"},
                *more.pop("request_headers", []),
            ],
            "queryString": [],
            "cookies": [{"name": "sid", "value": SESSION}],
            "headersSize": -1,
            "bodySize": 0,
            **more.pop("request", {}),
        },
        "response": {
            "status": status,
            "statusText": "",
            "httpVersion": "h2",
            "headers": response_headers,
            "cookies": more.pop("cookies", []),
            "content": content,
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": -1,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 12, "receive": 0},
        **more,
    }


def text(value: str, kind: str = "application/json") -> dict[str, Any]:
    return {"size": len(value), "mimeType": kind, "text": value}


def posted(kind: str, **data: Any) -> dict[str, Any]:
    return {"postData": {"mimeType": kind, **data}}


FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=----WebKitFormBoundaryAbC"
HAR: dict[str, Any] = {
    "log": {
        "version": "1.2",
        "creator": {"name": "WebInspector", "version": "537.36"},
        "pages": [],
        "entries": [
            entry(
                "GET",
                f"{SITE}/api/items?page=2#top",
                text('{"items":["a","grün"]}'),
                response_headers=[
                    {"name": "content-type", "value": "application/json"},
                    {"name": "content-encoding", "value": "gzip"},
                ],
            ),
            entry(
                "GET",
                f"{SITE}/pixel.png",
                {
                    "size": 256,
                    "mimeType": "image/png",
                    "text": base64.b64encode(PIXEL).decode(),
                    "encoding": "base64",
                },
            ),
            entry(
                "POST",
                f"{SITE}/login",
                text(json.dumps({"access_token": TOKEN})),
                request=posted(
                    FORM,
                    text=f"user=ann&password={PASSWORD}",
                    params=[
                        {"name": "user", "value": "ann"},
                        {"name": "password", "value": PASSWORD},
                    ],
                ),
                cookies=[{"name": "sid", "value": SESSION, "path": "/", "httpOnly": True}],
            ),
            entry(
                "POST",
                f"{SITE}/fields",
                text("ok", "text/plain"),
                request=posted(FORM, params=[{"name": "a b", "value": "1&2"}]),
            ),
            entry(
                "POST",
                f"{SITE}/json",
                text("ok", "text/plain"),
                request=posted("application/json", text='{"n": 1}'),
            ),
            entry(
                "POST",
                f"{SITE}/upload",
                text("ok", "text/plain"),
                request=posted(
                    MULTIPART,
                    params=[
                        {
                            "name": "file",
                            "value": "hello",
                            "fileName": "a.txt",
                            "contentType": "text/plain",
                        }
                    ],
                ),
            ),
            entry("GET", f"{SITE}/old", {"size": 0, "mimeType": ""}, status=301),
            entry("GET", f"{SITE}/blocked", {"size": 0, "mimeType": ""}, status=0),
            entry("GET", f"{SITE}/evicted", {"size": 9, "mimeType": "text/plain"}),
            entry("GET", "data:image/png;base64,AAAA", {"size": 0, "mimeType": ""}),
            entry("GET", "wss://shop.example/live", {"size": 0, "mimeType": ""}, status=101),
        ],
    }
}
SENT = [
    Sent("POST", "/upload"),
    Sent("POST", "/json", {"json": {"n": 1}}),
    Sent("POST", "/fields", {"data": {"a b": "1&2"}}),
    Sent("POST", "/login", {"data": {"user": "ann", "password": "another one"}}),
    Sent("GET", "/pixel.png"),
    Sent("GET", "/api/items?page=2"),
    Sent("GET", "/old"),
]


def convert(folder: Path, har: Any) -> Path:
    (folder / "site.har").write_text(json.dumps(har, indent=2))
    run = run_command("cassette", "convert", "site.har", "--from", "har", cwd=folder, merged=True)
    assert run.out == (
        "wrote site.vcr-gen.yaml: 7 exchanges from har\n"
        "skipped log.entries[7]: it has no response\n"
        "skipped log.entries[8]: the archive does not have the body of its response\n"
        "skipped log.entries[9]: not HTTP: data:\n"
        "skipped log.entries[10]: not HTTP: wss:\n"
        "compared: method, URL, body, no headers\n"
        "order: any\n"
    )
    return folder / "site.vcr-gen.yaml"


def sent_by(client: str) -> list[Sent]:
    """The requests, with an upload in the words of the client."""
    if client == "aiohttp":
        import aiohttp

        form = aiohttp.FormData()
        form.add_field("file", b"hello", filename="a.txt", content_type="text/plain")
        return [Sent("POST", "/upload", {"data": form}), *SENT[1:]]
    upload = {"files": {"file": ("a.txt", b"hello", "text/plain")}}
    return [Sent("POST", "/upload", upload), *SENT[1:]]


@pytest.mark.parametrize("client", CLIENTS)
def test_an_archive_replays_in_any_order(tmp_path: Path, client: str) -> None:
    new = convert(tmp_path, HAR)
    assert [secret for secret in SECRETS if secret in new.read_text()] == []
    with Cassette(new, "none") as cassette:
        seen = CLIENTS[client](SITE, sent_by(client), cassette)
    bodies = {each.url.removeprefix(SITE): each.body for each in seen}
    assert bodies["/pixel.png"] == PIXEL
    assert bodies["/api/items?page=2"] == '{"items":["a","grün"]}'.encode()
    assert json.loads(bodies["/login"])["access_token"].startswith("<redacted:")
    assert bodies["/old"] == b""
    (cookie,) = (value for name, value in seen[3].headers if name == "set-cookie")
    assert cookie.startswith("sid=<redacted:")
    assert cookie.endswith("; Path=/; HttpOnly")


def test_a_different_body_is_a_difference(tmp_path: Path) -> None:
    with (
        pytest.raises(DivergenceError, match=r"request\.body\.json\.n"),
        Cassette(convert(tmp_path, HAR), "none") as cassette,
    ):
        CLIENTS["httpx"](SITE, [Sent("POST", "/json", {"json": {"n": 2}})], cassette)


BAD = {
    "not JSON": ('{"log": ', "site.har:1: not valid JSON: Expecting value\n"),
    "another file": (
        "{}",
        "site.har: expected an HTTP archive, with `log.entries`; got a mapping\n",
    ),
    "a wrong status": (
        '{"log": {"entries": [{"request": {"url": "http://a/"}, "response": {"status": "x"}}]}}',
        "site.har: log.entries[0].response.status: expected a number; got text\n",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_refused_with_the_place(tmp_path: Path, name: str) -> None:
    content, message = BAD[name]
    (tmp_path / "site.har").write_text(content)
    run = run_command("cassette", "convert", "site.har", "--from", "har", cwd=tmp_path)
    assert (run.code, run.err) == (2, message)
    assert [file.name for file in tmp_path.iterdir()] == ["site.har"]
