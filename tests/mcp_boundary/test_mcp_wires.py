"""What is recorded over one wire is served over another."""

import socket
from collections import defaultdict
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CreateMessageResult, TextContent
from tests.command_line import run_command
from tests.mcp_boundary.mcp_client_program import session
from tests.mcp_boundary.mcp_commands import SERVER, listening, over_stdio, recording, serving

from vcr_gen import Cassette

TO_URL = {"--http": streamable_http_client, "--sse": sse_client}


SLOW_ERAS = [pytest.param("auto", marks=pytest.mark.slow)]


def by_stream(seen: list[object]) -> dict[str, list[object]]:
    """What a client has seen: the answers to each request in order, and so on.

    Over HTTP each request has a stream of its own, and nothing orders one beside another.
    """
    streams = defaultdict(list)
    for each in seen:
        match each:
            case ("progress", _, total, _):
                streams[f"progress to {total}"].append(each)
            case ("log" | "count" as name, *_):
                streams[name] = sorted([*streams[name], each], key=repr)
            case (name, *_):
                streams[str(name)].append(each)
            case _:
                streams[str(each)].append(each)
    return dict(streams)


async def observed(
    transport: AbstractAsyncContextManager[Any], era: str
) -> dict[str, list[object]]:
    return by_stream(await session(transport, era))


@pytest.mark.parametrize("era", [*SLOW_ERAS, "legacy"])
def test_a_recording_over_stdio_is_served_over_http_and_sse(tmp_path, era):
    tape = tmp_path / "tape.yaml"
    speaks_first = (*SERVER, "--speak")
    recorded = anyio.run(observed, over_stdio(recording(tape, *speaks_first)), era)
    assert ("log", "ready") in recorded["log"]
    for option, client in TO_URL.items():
        with listening((*serving(tape), option, "0")) as url:
            assert recorded == anyio.run(observed, client(url), era)


async def consulted(transport: AbstractAsyncContextManager[Any]) -> str:
    """What a server hears of the progress of its client."""

    async def sample(context: Any, params: Any) -> CreateMessageResult:
        await context.session.send_progress_notification(context.meta["progress_token"], 0.5)
        content = TextContent(type="text", text="because")
        return CreateMessageResult(role="assistant", content=content, model="m")

    async with Client(transport, mode="legacy", sampling_callback=sample) as client:
        return str((await client.call_tool("consult")).content[0].text)


@pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")
def test_progress_of_a_client_is_recorded_and_heard_over_every_wire(tmp_path):
    tape = tmp_path / "tape.yaml"
    assert anyio.run(consulted, over_stdio(recording(tape))) == "[0.5]"
    assert anyio.run(consulted, over_stdio(serving(tape))) == "[0.5]"
    for option, client in TO_URL.items():
        with listening((*serving(tape), option, "0")) as url:
            assert anyio.run(consulted, client(url)) == "[0.5]"


@pytest.fixture
def empty_tape(tmp_path):
    """A session in which nothing was said."""
    path = tmp_path / "tape.yaml"
    with Cassette(path, "all"):
        pass
    return path


def test_a_second_client_of_an_event_stream_is_refused(empty_tape):
    with (
        listening((*serving(empty_tape), "--sse", "0")) as url,
        httpx2.stream("GET", url) as first,
    ):
        assert first.status_code == 200
        second = httpx2.get(url)
        assert second.status_code == 409
        assert second.text == "vcr-gen: the recorded session has a client"


@pytest.mark.parametrize("option", TO_URL)
def test_a_page_of_another_site_is_refused(empty_tape, option):
    with listening((*serving(empty_tape), option, "0")) as url:
        answer = httpx2.get(url, headers={"host": "rebound.example"})
        assert answer.status_code == 421
        answer = httpx2.get(url, headers={"origin": "https://site.example"})
        assert answer.status_code == 403


@pytest.mark.parametrize("option", TO_URL)
def test_a_port_that_is_taken(empty_tape, option):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        run = run_command("mcp", "serve", "tape.yaml", option, port, cwd=empty_tape.parent)
    assert run.code == 2
    assert run.err == f"vcr-gen: cannot listen on 127.0.0.1:{port}: Address already in use\n"


def test_a_port_that_does_not_exist(empty_tape):
    run = run_command("mcp", "serve", "tape.yaml", "--sse", "65536", cwd=empty_tape.parent)
    assert run.code == 2
    assert "argument --sse: invalid port value: '65536'" in run.err
