"""A failure points at the user's line and names the request and the field.

To accept changed texts, run `UPDATE_FAILURES=1 pytest tests/http_boundary/test_http_failures.py`,
then read the diff.
"""

import asyncio
import json
import os
import re
import traceback
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import openai
import pytest
import requests
from http_endpoints import Request, Step, serving

from vcr_gen import Cassette, DivergenceError, VcrError
from vcr_gen.boundaries.http import (
    aiohttp_middleware,
    async_http_transport,
    http_transport,
    requests_adapter,
)

EXPECTED = Path(__file__).parent / "expected_failures"

Sent = list[Any]
"""A method, a path, and arguments of httpx."""
PROGRAM: list[Sent] = [
    [
        "POST",
        "/v1/messages",
        {
            "json": {"model": "m", "messages": [{"content": "Write a poem about the wind."}]},
            "headers": {"X-Tenant": "north"},
        },
    ],
    ["GET", "/v1/items?page=1&q=shirt", {}],
    ["POST", "/login", {"data": {"user": "ada", "next": "/home"}}],
    ["PUT", "/files/a", {"files": {"file": ("a.txt", b"hello", "text/plain")}}],
]


def change(index: int, part: int, value: Any) -> Callable[[list[Sent]], None]:
    """Set a part of a request."""

    def act(program: list[Sent]) -> None:
        program[index][part] = value

    return act


def _content(program: list[Sent]) -> None:
    program[0][2]["json"]["messages"][0]["content"] = "Write a poem about the sea."


def _message(program: list[Sent]) -> None:
    program[0][2]["json"]["messages"].append({"content": "And one about rain."})


def _header(program: list[Sent]) -> None:
    program[0][2]["headers"]["X-New"] = "1"


def _reordered(program: list[Sent]) -> None:
    program[0], program[1] = program[1], program[0]


CHANGES: dict[str, Callable[[list[Sent]], None]] = {
    "a_message_changed": _content,
    "a_message_was_added": _message,
    "a_header_was_added": _header,
    "a_request_was_dropped": lambda program: program.pop(1),
    "the_last_request_was_dropped": lambda program: program.pop(),
    "a_request_was_added": lambda program: program.insert(1, ["GET", "/v1/added", {}]),
    "a_request_was_added_at_the_end": lambda program: program.append(["GET", "/v1/added", {}]),
    "requests_changed_places": _reordered,
    "a_method_changed": change(1, 0, "DELETE"),
    "a_query_changed": change(1, 1, "/v1/items?page=2&q=shirt"),
    "a_path_changed": change(1, 1, "/v2/items?page=1&q=shirt"),
    "a_form_changed": change(2, 2, {"data": {"user": "bob", "next": "/home"}}),
    "a_form_became_json": change(2, 2, {"json": {"user": "ada", "next": "/home"}}),
    "an_upload_changed": change(3, 2, {"files": {"file": ("a.txt", b"hallo", "text/plain")}}),
    "an_upload_has_another_name": change(3, 2, {"files": {"file": ("b.txt", b"hello")}}),
}


def answer(_: Request) -> list[Step]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": ""}}
    reply = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    body = json.dumps({**reply, "choices": [choice]}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return [head.encode() + b"\r\n\r\n" + body]


def run(tape: Path, mode: str, base: str, program: list[Sent]) -> None:
    with Cassette(tape, mode) as cassette, httpx.Client(transport=local(cassette)) as client:
        for method, path, arguments in program:
            client.request(method, base + path, **arguments)


def local(cassette: Cassette) -> Any:
    """A transport that reads no certificates, which takes its time."""
    return http_transport(cassette, inner=httpx.HTTPTransport(verify=False))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A cassette of the program, and the address of the server."""
    tape = tmp_path_factory.mktemp("failures") / "tape.yaml"
    with serving(answer) as server:
        base = f"http://127.0.0.1:{server.port}"
        run(tape, "all", base, PROGRAM)
    return tape, base


def failure(tape: Path, base: str, act: Callable[[list[Sent]], Any]) -> str:
    program = deepcopy(PROGRAM)
    act(program)
    with pytest.raises((VcrError, DivergenceError)) as raised:
        run(tape, "none", base, program)
    text = f"{type(raised.value).__name__}: {raised.value}\n"
    for volatile, told in (
        (re.escape(base), "http://localhost"),
        (re.escape(str(tape.parent)), "cassettes"),
        (r"(\.(?:yaml|py)):\d+", r"\1:LINE"),
        (r"\bline \d+\]", "line LINE]"),
        (r"pytest '?tests/\S+", "pytest TEST"),
        (r" +\?[ ^]*\n", ""),  # how many marks there are depends on the port
    ):
        text = re.sub(volatile, told, text)
    return text


@pytest.mark.parametrize("name", CHANGES)
def test_the_text_is_as_expected(
    recorded: tuple[Path, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("CI", "VCR_RECORD"):
        monkeypatch.delenv(variable, raising=False)
    text = failure(*recorded, CHANGES[name])
    file = EXPECTED / f"{name}.txt"
    if "UPDATE_FAILURES" in os.environ:
        file.write_text(text, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == text


def test_every_text_is_of_a_change() -> None:
    assert sorted(CHANGES) == sorted(file.stem for file in EXPECTED.iterdir())


def test_a_missing_cassette_says_how_to_record_it(tmp_path: Path) -> None:
    tape = tmp_path / "none.yaml"
    with pytest.raises(VcrError) as raised:
        run(tape, "none", "http://localhost", PROGRAM)
    assert "there is no cassette, and mode 'none' does not record\n\nhint: record it: " in str(
        raised.value
    )


def ask_httpx(cassette: Cassette, base: str, text: str) -> None:
    with httpx.Client(transport=local(cassette)) as client:
        client.post(f"{base}/v1/chat/completions", json={"messages": [{"content": text}]})


async def ask_async_httpx(cassette: Cassette, base: str, text: str) -> None:
    async with httpx.AsyncClient(transport=async_http_transport(cassette)) as client:
        await client.post(f"{base}/v1/chat/completions", json={"messages": [{"content": text}]})


def ask_requests(cassette: Cassette, base: str, text: str) -> None:
    with requests.Session() as session:
        session.mount("http://", requests_adapter(cassette))
        session.post(f"{base}/v1/chat/completions", json={"messages": [{"content": text}]})


async def ask_aiohttp(cassette: Cassette, base: str, text: str) -> None:
    async with aiohttp.ClientSession(middlewares=[aiohttp_middleware(cassette)]) as session:
        await session.post(f"{base}/v1/chat/completions", json={"messages": [{"content": text}]})


def ask_openai(cassette: Cassette, base: str, text: str) -> None:
    with httpx.Client(transport=local(cassette)) as http_client:
        client = openai.OpenAI(api_key="x", base_url=f"{base}/v1", http_client=http_client)
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])


async def ask_async_openai(cassette: Cassette, base: str, text: str) -> None:
    transport = async_http_transport(cassette)
    async with httpx.AsyncClient(transport=transport) as http_client:
        sdk = openai.AsyncOpenAI(api_key="x", base_url=f"{base}/v1", http_client=http_client)
        await sdk.chat.completions.create(model="m", messages=[{"role": "user", "content": text}])


@pytest.mark.parametrize(
    "ask",
    [ask_httpx, ask_async_httpx, ask_requests, ask_aiohttp, ask_openai, ask_async_openai],
    ids=lambda ask: ask.__name__,
)
def test_it_names_the_line_the_request_and_the_field(tmp_path: Path, ask: Any) -> None:
    def talk(mode: str, text: str) -> None:
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            asked = ask(cassette, base, text)
            if asked is not None:
                asyncio.run(asked)

    with serving(answer) as server:
        base = f"http://127.0.0.1:{server.port}"
        talk("all", "hello")
    with pytest.raises(DivergenceError) as raised:
        talk("none", "goodbye")
    lines = str(raised.value).splitlines()
    field = "request.body.json.messages[0].content"
    assert lines[0] == (
        f"http POST /v1/chat/completions was called with different arguments: {field}"
    )
    assert f"    {field}: value differs" in lines
    [recorded] = [line for line in lines if line.startswith("  recorded")]
    assert recorded.startswith(f"  recorded   http.exchange(POST {base}/v1/chat/completions, body")
    [site] = [line for line in lines if line.startswith("  called at")]
    assert re.search(rf"test_http_failures\.py:\d+ in {ask.__name__}$", site)
    frames = [frame.name for frame in traceback.extract_tb(raised.value.__traceback__)]
    assert frames == ["test_it_names_the_line_the_request_and_the_field", "talk", ask.__name__]
