"""A recorded client against a server under test that listens at a URL."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client
from tests.command_line import Run, run_command
from tests.mcp_boundary.mcp_client_program import session
from tests.mcp_boundary.mcp_commands import over_stdio, recording
from tests.mcp_boundary.plain_http_server import plain_http_server
from tests.mcp_boundary.test_mcp_wires import SLOW_ERAS

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import mcp_transport

WIRES = [("/mcp", []), ("/sse", ["--sse"])]


@contextmanager
def listening_server(path: str, version: int) -> Iterator[str]:
    """The URL of a server in a process of its own."""
    program = str(Path(__file__).with_name("listening_server.py"))
    command = (sys.executable, program, path, str(version))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}{path}"
        finally:
            process.terminate()


def drive(tape: Path, url: str, *options: str) -> Run:
    return run_command("mcp", "drive", str(tape), "--url", url, *options, cwd=tape.parent)


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp") / "tape.yaml"

    async def shopping(url: str) -> None:
        with Cassette(path, "all") as cassette:
            async with Client(mcp_transport(cassette, url), mode="legacy") as client:
                await client.call_tool("add", {"a": 1, "b": 2})
                await client.call_tool("price_of", {"article": "tea"})
                await client.call_tool("greet")

    with listening_server("/mcp", 1) as url:
        anyio.run(shopping, url)
    return path


@pytest.mark.parametrize("era", [*SLOW_ERAS, "legacy"])
@pytest.mark.parametrize(("path", "options"), WIRES)
def test_a_recording_over_stdio_drives_a_server_at_a_url(tmp_path, path, options, era):
    tape = tmp_path / "tape.yaml"
    anyio.run(session, over_stdio(recording(tape)), era)
    with listening_server(path, 0) as url:
        run = drive(tape, url, *options)
    assert run.out == ""
    assert (run.code, run.err) == (0, "")


@pytest.mark.parametrize(("path", "options"), WIRES)
def test_all_differences_of_a_server_at_a_url_are_reported(tape, path, options):
    with listening_server(path, 2) as url:
        run = drive(tape, url, *options)
    assert run.code == 1
    assert "2 differences" in run.out
    assert "structuredContent.result: value differs\n      - 1\n      + 2" in run.out
    assert '- "Hello 1"' in run.out
    assert f"--url {url}" in run.out


@pytest.mark.parametrize(("path", "options"), WIRES)
def test_a_server_at_a_url_that_dies_is_a_difference(tape, path, options):
    with listening_server(path, 3) as url:
        run = drive(tape, url, *options)
    assert run.code == 1
    if path == "/sse":
        assert "server tools/call add: the server ended before its answer" in run.out
        return
    for tool in ("add", "price_of", "greet"):
        assert f"server tools/call {tool}: the application raised RpcError" in run.out
    assert run.err == ""


@pytest.mark.parametrize("options", [[], ["--sse"]])
def test_a_url_at_which_nothing_listens(tape, options):
    run = drive(tape, "http://name:passw0rd@127.0.0.1:9/mcp?key=s3cret", *options)
    assert (run.code, run.out) == (2, "")
    assert run.err.startswith("vcr-gen: cannot reach http://127.0.0.1:9/mcp: ")


def test_the_handshake_is_followed_by_the_version_that_the_server_chose(tmp_path):
    async def handshake(url: str) -> None:
        with Cassette(tape, "all") as cassette:
            async with Client(mcp_transport(cassette, url), mode="legacy"):
                pass

    tape = tmp_path / "tape.yaml"
    with listening_server("/mcp", 1) as url:
        anyio.run(handshake, url)
    with plain_http_server() as plain:
        plain.headers = {"Content-Type": "application/json"}
        plain.pieces = (
            b'{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-03-26"}}',
        )
        assert drive(tape, plain.url).code == 1
    said = [headers.get("mcp-protocol-version") for _, _, headers, _ in plain.came]
    assert said == [None, "2025-03-26"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "vcr-gen: give either a command after --, or a URL after --url"),
        (["--sse"], "vcr-gen: --sse goes with --url"),
        (["--url", "search"], "argument --url: expected a URL, such as http"),
    ],
)
def test_no_server_to_drive(tape, arguments, complaint):
    run = run_command("mcp", "drive", str(tape), *arguments, cwd=tape.parent)
    assert run.code == 2
    assert complaint in run.err
