"""`vcr-gen mcp record --url`, seen from outside."""

import json
import time
from signal import SIGKILL

import anyio
import httpx2
import pytest
from tests.command_line import run_command
from tests.mcp_boundary.mcp_commands import (
    listening,
    over_stdio,
    recording_from,
    served,
    serving,
)
from tests.mcp_boundary.mcp_server_program import server
from tests.mcp_boundary.plain_http_server import plain_http_server
from tests.mcp_boundary.test_mcp_wires import SLOW_ERAS, TO_URL, observed

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import mcp_transport

ANSWER = b'{"jsonrpc": "2.0",  "id": 1, "result": {"sum": 1.0}}'


def asked(method: str = "add", number: int = 1) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method}).encode()


@pytest.fixture
def upstream():
    with plain_http_server() as plain:
        plain.headers = {"Content-Type": "application/json", "Content-Length": str(len(ANSWER))}
        plain.pieces = (ANSWER,)
        yield plain


@pytest.fixture
def tape(tmp_path):
    return tmp_path / "tape.yaml"


@pytest.mark.parametrize("era", [*SLOW_ERAS, "legacy"])
@pytest.mark.parametrize("wire", ["--http", pytest.param("--sse", marks=pytest.mark.slow)])
def test_a_recording_over_http_or_sse_is_served_over_every_wire(tape, wire, era):
    app = server.streamable_http_app() if wire == "--http" else server.sse_app()
    path = "/mcp" if wire == "--http" else "/sse"
    with served(app) as origin:
        live = anyio.run(observed, TO_URL[wire](origin + path), era)
        with listening(recording_from(tape, origin + path)) as url:
            recorded = anyio.run(observed, TO_URL[wire](url), era)
    assert live == recorded
    assert recorded == anyio.run(observed, over_stdio(serving(tape)), era)
    with listening((*serving(tape), wire, "0")) as url:
        assert recorded == anyio.run(observed, TO_URL[wire](url), era)

    async def in_process() -> object:
        with Cassette(tape) as cassette:
            return await observed(mcp_transport(cassette, ["no-such-server"]), era)

    assert recorded == anyio.run(in_process)


def test_what_passes_is_unchanged_and_credentials_stay_off_the_disk(tape, upstream):
    upstream.headers |= {"Mcp-Session-Id": "s1", "X-Twice": "a, b", "Set-Cookie": "kept=c00k1e"}
    said = {
        "authorization": "Bearer t0ken",
        "cookie": "kept=c00k1e",
        "mcp-protocol-version": "2025-11-25",
        "last-event-id": "7",
        "content-type": "application/json",
    }
    body = asked()
    with listening(recording_from(tape, f"{upstream.url}?key=s3cret")) as url:
        answer = httpx2.post(url, content=body, headers=said)
    assert answer.content == ANSWER
    assert dict(answer.headers) == {k.lower(): v for k, v in upstream.headers.items()}
    [(method, path, headers, came)] = upstream.came
    assert (method, path, came) == ("POST", "/mcp?key=s3cret", body)
    assert headers["host"] in upstream.url
    assert said.items() <= headers.items()
    written = tape.read_bytes()
    assert b"sum: 1.0" in written
    assert not any(secret in written for secret in (b"t0ken", b"c00k1e", b"s3cret"))


def test_events_pass_as_they_come(tape, upstream):
    progress = b'event: message\nid: 1\ndata: {"jsonrpc": "2.0", "method": "notifications/x"}\n\n'
    upstream.headers = {"Content-Type": "text/event-stream"}
    upstream.pieces = (b": ping\r\n\r\n", progress, b"data: " + ANSWER + b"\r\n\r\n")
    with listening(recording_from(tape, upstream.url)) as url:
        answer = httpx2.post(url, content=asked())
    assert answer.content == b"".join(upstream.pieces)
    assert "notifications/x" in tape.read_text()
    assert "sum: 1.0" in tape.read_text()


def test_a_server_that_says_where_it_is_means_the_proxy(tape, upstream):
    origin = upstream.url.removesuffix("/mcp")
    upstream.status, upstream.pieces = 307, ()
    upstream.headers = {"Location": f"{upstream.url}/", "Content-Length": "0"}
    with listening(recording_from(tape, upstream.url)) as url:
        assert httpx2.post(url, content=asked()).headers["location"] == f"{url}/"
        upstream.status, upstream.headers = 200, {"Content-Type": "text/event-stream"}
        upstream.pieces = (f"event: endpoint\ndata: {origin}/messages\n\n".encode(),)
        ours = url.removesuffix("/mcp")
        assert httpx2.get(url).text == f"event: endpoint\ndata: {ours}/messages\n\n"


def test_another_session_is_refused(tape, upstream):
    with listening(recording_from(tape, upstream.url), complaint="one session") as url:
        assert httpx2.post(url, content=asked("initialize")).status_code == 200
        refused = httpx2.post(url, content=asked("initialize", number=2))
    assert refused.status_code == 409
    assert refused.json()["id"] == 2
    assert refused.json()["error"]["message"] == (
        "vcr-gen: a cassette holds one session: record another session in its own file"
    )
    assert len(upstream.came) == 1


def test_a_server_that_cannot_be_reached_is_recorded_as_an_error(tape, upstream):
    with listening(recording_from(tape, "http://127.0.0.1:9/mcp")) as url:
        answer = httpx2.post(url, content=asked())
    assert answer.status_code == 502
    assert answer.text.startswith("vcr-gen: cannot reach http://127.0.0.1:9/mcp: ")
    assert "Server returned an error response" in tape.read_text()


def test_a_page_of_another_site_reaches_no_server(tape, upstream):
    with listening(recording_from(tape, upstream.url)) as url:
        assert httpx2.post(url, headers={"host": "rebound.example"}).status_code == 421
    assert upstream.came == []


def test_a_killed_recording_over_http_can_be_salvaged(tmp_path, tape, upstream):
    partial = tmp_path / "tape.yaml.partial"
    with listening(recording_from(tape, upstream.url), signal=SIGKILL) as url:
        httpx2.post(url, content=asked())
        deadline = time.monotonic() + 60
        while b"sum" not in partial.read_bytes():  # recorded beside the forwarding
            assert time.monotonic() < deadline
            time.sleep(0.01)
    run_command("cassette", "convert", "--salvage", str(partial), str(tape), cwd=tmp_path)
    assert "sum: 1.0" in tape.read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "vcr-gen: give either a command after --, or a URL after --url"),
        (["--url", "http://h/", "--", "x"], "give either a command after --, or a URL"),
        (["--url", "search"], "argument --url: expected a URL, such as http"),
        (["--port", "1", "--", "x"], "vcr-gen: --port goes with --url"),
    ],
)
def test_a_recording_of_no_server(tmp_path, arguments, complaint):
    run = run_command("mcp", "record", "-o", "tape.yaml", *arguments, cwd=tmp_path)
    assert run.code == 2
    assert complaint in run.err
    assert not (tmp_path / "tape.yaml").exists()
