"""What a client sees of faults that a mock server is asked for."""

import subprocess
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from tests.command_line import run_command
from tests.mcp_boundary.mcp_commands import SERVER, over_stdio, serving
from tests.mcp_boundary.plain_client import client_of

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import McpOnCassette, mcp_matching, mcp_transport
from vcr_gen.errors import UsageError

FREE = "method_and_arguments"
LONG = 60.0


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    """A client adds twice, and fails once."""
    path = tmp_path_factory.mktemp("mcp") / "tape.yaml"

    async def record() -> None:
        with Cassette(path, "all") as cassette:
            async with Client(mcp_transport(cassette, SERVER), mode="legacy") as client:
                await client.call_tool("add", {"a": 1, "b": 2})
                await client.call_tool("fail", {})
                await client.call_tool("add", {"a": 1, "b": 2})

    anyio.run(record)
    return path


async def use(transport: Any, timeout: float) -> list[object]:
    """What a client sees that adds, and adds again if that fails."""
    seen: list[object] = []
    async with Client(transport, mode="legacy") as client:
        while len(seen) < 2 and (not seen or isinstance(seen[0], tuple)):
            patience = LONG if seen else timeout
            try:
                result = await client.call_tool(
                    "add", {"a": 1, "b": 2}, read_timeout_seconds=patience
                )
            except MCPError as error:
                seen.append((error.code, error.message))
            else:
                seen.append(result.content[0].text)
    return seen


TIMED_OUT = (-32001, "Request 'tools/call' timed out")
CLOSED = (-32000, "Connection closed")

SEEN = [
    ("tools/call:add@1=error:-32000:out of order", [(-32000, "out of order"), "3"]),
    ("tools/call@1-1=error:7", [(7, "vcr-gen: a fault that was asked for"), "3"]),
    ("tools/call=error:-1:no", [(-1, "no"), (-1, "no")]),
    ("tools/call@2-=error:-1:no", ["3"]),
    ("tools/call:fail=disconnect", ["3"]),
    ("tools/call=delay:0.1", ["3"]),
    ("tools/call@1=timeout", [TIMED_OUT, "3"]),
    ("tools/call@1=malformed", [TIMED_OUT, "3"]),
    ("tools/call@1=disconnect", [CLOSED, CLOSED]),
    ("tools/call@1=crash", [CLOSED, CLOSED]),
]


@pytest.mark.parametrize(("fault", "seen"), SEEN)
def test_a_client_in_this_process(tape, fault, seen):
    async def run() -> list[object]:
        with Cassette(tape, "none", **mcp_matching(FREE)) as cassette:
            mcp = McpOnCassette(cassette)
            return await use(mcp.transport((), faults=[fault]), LONG)

    assert anyio.run(run) == seen


async def use_over_stdio(tape: Path, fault: str, timeout: float = LONG) -> list[object]:
    command = (*serving(tape), "--strategy", FREE, "--fault", fault)
    return await use(over_stdio(command), timeout)


@pytest.mark.parametrize(
    ("fault", "seen", "timeout"),
    [
        (*SEEN[0], LONG),
        ("tools/call@1=delay:300", [TIMED_OUT, "3"], 1.0),
        pytest.param("tools/call@1=timeout", [TIMED_OUT, "3"], 1.0, marks=pytest.mark.slow),
        pytest.param("tools/call@1=malformed", [TIMED_OUT, "3"], 1.0, marks=pytest.mark.slow),
        ("tools/call@1=disconnect", [CLOSED, CLOSED], LONG),
        pytest.param("tools/call@1=crash", [CLOSED, CLOSED], LONG, marks=pytest.mark.slow),
    ],
)
def test_a_client_of_a_process(tape, fault, seen, timeout):
    assert anyio.run(use_over_stdio, tape, fault, timeout) == seen


async def use_over(wire: str, tape: Path, fault: str, timeout: float) -> tuple[list[object], int]:
    command = (*serving(tape), "--strategy", FREE, "--fault", fault, f"--{wire}", "0")
    connect = {"http": streamable_http_client, "sse": sse_client}[wire]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as mock:
        assert mock.stderr
        url = mock.stderr.readline().split()[-1]
        try:
            seen = await use(connect(url), timeout)
        finally:
            mock.terminate()
    return seen, mock.returncode


@pytest.mark.parametrize(
    ("wire", "fault", "first", "timeout"),
    [
        pytest.param(
            "http", "tools/call@1=malformed", "Failed to parse SSE", LONG, marks=pytest.mark.slow
        ),
        ("http", "tools/call@1=disconnect", "SSE stream ended without a response", LONG),
        pytest.param("http", "tools/call@1=timeout", "timed out", 1.0, marks=pytest.mark.slow),
        pytest.param("sse", "tools/call@1=malformed", "timed out", 1.0, marks=pytest.mark.slow),
        pytest.param("sse", "tools/call@1=disconnect", CLOSED[1], LONG, marks=pytest.mark.slow),
    ],
)
def test_a_client_over_http(tape, wire, fault, first, timeout):
    seen, code = anyio.run(use_over, wire, tape, fault, timeout)
    assert first in seen[0][1]
    assert seen[1] == (CLOSED if (wire, first) == ("sse", CLOSED[1]) else "3")
    assert code == 0


def test_a_crash_has_an_exit_code_and_what_is_malformed_is_no_json(tape):
    faults = ("--fault", "tools/call@1=malformed", "--fault", "tools/call@2=crash:7")
    with client_of((*serving(tape), "--strategy", "sequential", *faults)) as client:
        client.ask("initialize")
        client.say(method="notifications/initialized")
        with pytest.raises(ValueError, match="Expecting"):
            client.ask("tools/call", name="add")
        assert client.ask("tools/call", name="fail") == []
        assert client.leave()[0] == 7


def test_a_dry_run_says_what_each_fault_hits(tape):
    faults = ("tools/call:add=delay:1", "tools/call@2-=timeout", "initialize=crash")
    options = [word for fault in faults for word in ("--fault", fault)]
    run = run_command("mcp", "serve", "tape.yaml", "--dry-run", *options, cwd=tape.parent)
    assert run.code == 0
    hit = [line.rpartition(": ")[2] for line in run.out.splitlines()]
    add, fail = "tools/call add", "tools/call fail"
    expected = [faults[0], add, add, faults[1], fail, add, faults[2], "initialize"]
    assert hit == expected
    assert "  tape.yaml:" in run.out


def test_a_dry_run_refuses_a_fault_that_hits_nothing(tape):
    fault = "tools/call@4=timeout"
    run = run_command("mcp", "serve", str(tape), "--dry-run", "--fault", fault, cwd=tape.parent)
    assert run.code == 2
    assert run.out == f"{fault}\n  hits nothing: the cassette has 3 of these requests\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--fault", "tools/call=eror:-1"], "expected METHOD[:NAME][@COUNT]=FAULT; did you mean"),
        (["--fault", "tools/call"], "expected METHOD[:NAME][@COUNT]=FAULT"),
        (["--fault", "tools/call=error"], "error needs a value"),
        (["--fault", "tools/call=delay:soon"], "unexpected value 'soon' of delay"),
        (["--fault", "tools/call=timeout:3"], "unexpected value '3' of timeout"),
        (["--fault", "tool/call=timeout"], "never asked for tool/call; did you mean `tools/call`?"),
        (["--fault", "notifications/initialized=timeout"], "never asked for notifications/"),
        (["--fault", "tools/call=crash:256"], "unexpected value '256' of crash"),
        (["--pace", "-1"], "expected a number that is not negative, such as 1.0; got '-1'"),
        (["--pace", "fast"], "expected a number that is not negative, such as 1.0; got 'fast'"),
        (["--fault", "tools/call@0=timeout"], "unexpected count '@0'"),
        (["--fault", "tools/call@3-1=timeout"], "unexpected count '@3-1'"),
        (["--fault", "tools/call:add#2=timeout"], "@2 is the second request"),
        (["--dry-run"], "add --fault"),
        (["--dry-run", "--fault", "tools/call=timeout", "--strategy", "any"], "unknown strategy"),
    ],
)
def test_a_fault_that_means_nothing_is_refused(tape, options, words):
    run = run_command("mcp", "serve", str(tape), *options, cwd=tape.parent)
    assert run.code == 2
    assert words in run.err


def test_a_fault_that_means_nothing_is_refused_in_python(tape):
    with Cassette(tape, "none", leftovers=True, order="lanes") as cassette:
        with pytest.raises(UsageError, match="faults are error:CODE"):
            mcp_transport(cassette, (), faults=["tools/call=breaks"])
        cassette.close(RuntimeError())
