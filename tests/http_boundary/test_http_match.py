"""What of a request is compared, by default and where `HttpMatch` loosens it."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from http_endpoints import serving

from vcr_gen import Cassette, DivergenceError
from vcr_gen.boundaries.http import HttpMatch, http_transport
from vcr_gen.errors import UsageError


def send(path: Path, mode: str, base: str, match: HttpMatch | None, **request: Any) -> None:
    method, target = request.pop("method", "POST"), request.pop("target", "/post-json")
    with (
        Cassette(path, mode) as cassette,
        httpx.Client(transport=http_transport(cassette, match=match)) as client,
    ):
        client.request(method, base + target, **request)


def _multipart(name: str = "a") -> dict[str, Any]:
    return {"files": {"file": (name, b"content", "text/plain")}}


LOOSE: dict[str, tuple[dict[str, Any], dict[str, Any], HttpMatch | None]] = {
    "the order of the query": ({"target": "/empty?a=1&b=2"}, {"target": "/empty?b=2&a=1"}, None),
    "the order of JSON keys": (
        {"content": b'{"a":1,"b":2}'},
        {"content": b'{"b": 2, "a": 1}'},
        None,
    ),
    "the order of a form": ({"data": {"a": "1", "b": "2"}}, {"data": {"b": "2", "a": "1"}}, None),
    "the boundary of multipart": (_multipart(), _multipart(), None),
    "a user agent": ({"headers": {"User-Agent": "a"}}, {"headers": {"User-Agent": "b"}}, None),
    "an ignored header": (
        {"headers": {"X-Trace-Id": "1"}},
        {"headers": {"X-Other": "2"}},
        HttpMatch(ignore_headers=["x-trace-*", "X-OTHER"]),
    ),
    "all headers but one": (
        {"headers": {"A": "1", "B": "2"}},
        {"headers": {"A": "1", "B": "3"}},
        HttpMatch(headers=["a"]),
    ),
    "an ignored parameter": (
        {"target": "/empty?a=1&time=1"},
        {"target": "/empty?a=1"},
        HttpMatch(ignore_query=["time"]),
    ),
    "an ignored parameter beside a credential": (
        {"target": "/empty?api_key=hunter2-secret&time=1"},
        {"target": "/empty?api_key=another-secret&time=2"},
        HttpMatch(ignore_query=["time"]),
    ),
    "any body": ({"json": [1]}, {"json": [2]}, HttpMatch(body=False)),
    "what a function returns of a body": (
        {"json": {"a": 1, "time": 1}},
        {"json": {"a": 1, "time": 2}},
        HttpMatch(body=lambda body: body["json"]["a"]),
    ),
    "binary data in what a function returns": (
        {"files": {"file": b"\x00\xff", "time": b"\x01\xff"}},
        {"files": {"file": b"\x00\xff", "time": b"\x02\xff"}},
        HttpMatch(body=lambda body: body["multipart"][:1]),
    ),
}
STRICT: dict[str, tuple[dict[str, Any], dict[str, Any], HttpMatch | None, str]] = {
    "method": ({"method": "PUT"}, {"method": "POST"}, None, "request.method"),
    "path": ({"target": "/empty"}, {"target": "/json"}, None, "request.url"),
    "query": ({"target": "/empty?a=1"}, {"target": "/empty?a=2"}, None, "request.url"),
    "header": ({"headers": {"A": "1"}}, {"headers": {"A": "2"}}, None, "request.headers.a"),
    "added header": ({}, {"headers": {"A": "2"}}, None, "request.headers.a"),
    "JSON": (
        {"json": {"a": [{"b": 1}]}},
        {"json": {"a": [{"b": 2}]}},
        None,
        "request.body.json.a[0].b",
    ),
    "form": ({"data": {"a": "1"}}, {"data": {"a": "2"}}, None, "request.body.form.a"),
    "multipart": (
        _multipart("a"),
        _multipart("b"),
        None,
        "request.body.multipart[0].filename",
    ),
    "text": ({"content": b"one"}, {"content": b"two"}, None, "request.body"),
    "a header beside an ignored one": (
        {"headers": {"A": "1", "B": "1"}},
        {"headers": {"A": "2", "B": "2"}},
        HttpMatch(ignore_headers=["b"]),
        "request.headers.a",
    ),
    "one that varies by nature, if named": (
        {"headers": {"User-Agent": "a"}},
        {"headers": {"User-Agent": "b"}},
        HttpMatch(headers=["user-agent"]),
        "request.headers['user-agent']",
    ),
}


@pytest.mark.parametrize("case", LOOSE)
def test_these_may_differ(tmp_path: Path, case: str) -> None:
    recorded, actual, match = LOOSE[case]
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        send(tmp_path / "tape.yaml", "all", base, match, **dict(recorded))
    send(tmp_path / "tape.yaml", "none", base, match, **dict(actual))


@pytest.mark.parametrize("case", STRICT)
def test_these_are_reported_by_field(tmp_path: Path, case: str) -> None:
    recorded, actual, match, place = STRICT[case]
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        send(tmp_path / "tape.yaml", "all", base, match, **dict(recorded))
    with pytest.raises(DivergenceError) as raised:
        send(tmp_path / "tape.yaml", "none", base, match, **dict(actual))
    assert [each.path for each in raised.value.divergence.differences] == [place]


def test_a_cassette_can_be_loosened_after_it_was_recorded(tmp_path: Path) -> None:
    with serving() as server:
        base = f"http://127.0.0.1:{server.port}"
        send(tmp_path / "tape.yaml", "all", base, None, headers={"X-Trace": "1"})
    match = HttpMatch(ignore_headers=["x-trace"])
    send(tmp_path / "tape.yaml", "none", base, match, headers={"X-Trace": "2"})


def test_two_clients_share_the_rules_of_a_cassette(tmp_path: Path) -> None:
    with serving() as server, Cassette(tmp_path / "tape.yaml", "all") as cassette:
        for _ in range(2):
            match = HttpMatch(ignore_headers=["x-trace"])
            with httpx.Client(transport=http_transport(cassette, match=match)) as client:
                client.get(f"http://127.0.0.1:{server.port}/empty")


def test_a_text_is_not_a_list_of_names() -> None:
    with pytest.raises(
        UsageError, match="ignore_headers=…\\): expected a list of names; got a string"
    ):
        HttpMatch(ignore_headers="x-trace")


def test_a_body_is_compared_or_not_or_by_a_function() -> None:
    given: Any = "json"
    with pytest.raises(UsageError, match=r"body=…\): expected a bool or a function; got str"):
        HttpMatch(body=given)
