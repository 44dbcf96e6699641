"""A client sees the same live, while recording, and without the server."""

import gc
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp.client import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCRequest
from tests.mcp_boundary.mcp_client_program import ERAS, session
from tests.mcp_boundary.mcp_commands import PLAIN, SERVER, over_stdio, recording, served, serving
from tests.mcp_boundary.mcp_server_program import server
from tests.mcp_boundary.plain_client import client_of
from tests.mcp_boundary.plain_http_server import plain_http_server

from vcr_gen import Cassette, DivergenceError
from vcr_gen.boundaries.http import async_http_transport
from vcr_gen.boundaries.mcp import mcp_transport
from vcr_gen.boundaries.mcp.sdk_streams import StreamWire


async def in_process(
    cassette: Path,
    mode: str,
    era: str,
    server: Sequence[str] | str | AbstractAsyncContextManager[Any] = SERVER,
    **options: Any,
) -> list[object]:
    with Cassette(cassette, mode, **options) as tape:
        return await session(mcp_transport(tape, server), era)


async def outside(command: tuple[str, ...], era: str) -> list[object]:
    return await session(over_stdio(command), era)


def without_order(seen: list[object]) -> list[str]:
    return sorted(map(repr, seen))


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_client_in_this_process(tmp_path, era, backend):
    tape = tmp_path / "tape.yaml"
    live = anyio.run(outside, SERVER, era, backend=backend)
    recorded = anyio.run(in_process, tape, "all", era, backend=backend)
    assert without_order(live) == without_order(recorded)
    for _ in range(3):
        assert recorded == anyio.run(in_process, tape, "none", era, backend=backend)


@pytest.mark.parametrize("era", ERAS)
def test_one_recording_of_the_proxy_serves_a_process_and_a_test(tmp_path, era):
    tape = tmp_path / "tape.yaml"
    recorded = anyio.run(outside, recording(tape), era)
    for _ in range(2):
        assert recorded == anyio.run(outside, serving(tape), era)
    assert recorded == anyio.run(in_process, tape, "none", era)


def test_a_model_over_http_shares_the_cassette_with_a_server(tmp_path):
    async def agent(mode: str, url: str, question: str) -> list[object]:
        """Ask a model, and what it says the server; twice, the second time both at once."""
        seen: list[object] = []
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            async with (
                httpx.AsyncClient(transport=async_http_transport(cassette)) as model,
                Client(mcp_transport(cassette, SERVER), mode="legacy") as client,
            ):

                async def think() -> None:
                    response = await model.post(url, json={"messages": [question, *map(str, seen)]})
                    seen.append(response.json())

                async def act(number: int) -> None:
                    sum_ = await client.call_tool("add", {"a": number, "b": 1})
                    seen.append(sum_.structured_content)

                await think()
                await act(1)
                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(act, 2)
                    tasks.start_soon(think)
        return seen

    with plain_http_server("/v1/chat") as model:
        model.headers = {"Content-Type": "application/json"}
        model.pieces = (b'{"say": "add"}',)
        recorded = anyio.run(agent, "all", model.url, "How many?")
        asked = len(model.came)
        for _ in range(3):
            assert anyio.run(agent, "none", model.url, "How many?") == recorded
        assert len(model.came) == asked == 2
        with pytest.raises(DivergenceError, match=r"request\.body\.json\.messages\[0\]"):
            anyio.run(agent, "none", model.url, "How much?")


def test_several_servers_on_one_cassette(tmp_path):
    async def sessions(mode: str, names: Sequence[str]) -> dict[str, list[object]]:
        seen = {}

        async def run(name: str) -> None:
            seen[name] = await session(mcp_transport(tape, SERVER, name=name), ERAS[len(name) % 2])

        with Cassette(tmp_path / "tape.yaml", mode) as tape:
            async with anyio.create_task_group() as tasks:
                for name in names:
                    tasks.start_soon(run, name)
            seen["again"] = await session(mcp_transport(tape, SERVER, name=names[0]), "legacy")
        return seen

    recorded = anyio.run(sessions, "all", ["a", "bb"])
    assert recorded == anyio.run(sessions, "none", ["a", "bb"])


def test_a_server_may_have_the_last_word(tmp_path):
    tape = tmp_path / "tape.yaml"
    with client_of(recording(tape, *PLAIN)) as client:
        client.ask("part")
        assert client.hear()["params"]["data"] == "farewell"
        client.leave()

    async def part() -> None:
        frame = JSONRPCRequest(jsonrpc="2.0", id=1, method="part")
        async with mcp_transport(cassette, SERVER) as (reads, writes):
            await writes.send(SessionMessage(frame))
            assert (await reads.receive()).message.result == {}

    with Cassette(tape, "none") as cassette:
        anyio.run(part)


def test_a_recording_of_a_test_is_served_to_a_process(tmp_path):
    tape = tmp_path / "tape.yaml"
    anchors = {"project": Path.cwd(), "tmp": tmp_path}  # as the fixtures of pytest have
    recorded = anyio.run(partial(in_process, tape, "all", "auto", anchors=anchors))
    assert recorded == anyio.run(outside, serving(tape), "auto")


@pytest.mark.parametrize("era", ERAS)
def test_a_server_over_http(tmp_path, era):
    tape = tmp_path / "tape.yaml"
    with served(server.streamable_http_app()) as origin:
        recorded = anyio.run(in_process, tape, "all", era, f"{origin}/mcp")
        live = anyio.run(session, streamable_http_client(f"{origin}/mcp"), era)
    assert without_order(live) == without_order(recorded)
    assert recorded == anyio.run(in_process, tape, "none", era, f"{origin}/mcp")


def test_a_server_over_http_and_sse(tmp_path):
    tape = tmp_path / "tape.yaml"
    with served(server.sse_app()) as origin:
        recorded = anyio.run(in_process, tape, "all", "legacy", sse_client(f"{origin}/sse"))
    assert recorded == anyio.run(in_process, tape, "none", "legacy", sse_client(f"{origin}/sse"))


def test_a_cancelled_reader_leaves_nothing_to_the_garbage_collector():
    class Busy:
        async def receive(self, frame: object, metadata: object) -> None:
            reading.set()
            await anyio.sleep_forever()

    async def leave() -> None:
        says, reads = anyio.create_memory_object_stream[SessionMessage](1)
        with says, reads:
            await says.send(SessionMessage(JSONRPCRequest(jsonrpc="2.0", id=1, method="ping")))
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(StreamWire(reads, says).pass_to, Busy())
                await reading.wait()
                tasks.cancel_scope.cancel()
        gc.collect()  # trio would warn of a generator
        await anyio.lowlevel.checkpoint()

    reading = anyio.Event()
    anyio.run(leave, backend="trio")
