"""What a program sees over WebSockets is the same live, recorded, and without the server."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from websocket_programs import ASYNC, SYNC, AsyncProgram, Connect, Log, SyncProgram
from websocket_server import Server, serving
from websockets.asyncio.client import connect as live_connect
from websockets.sync.client import connect as sync_live_connect

from vcr_gen import Cassette
from vcr_gen.boundaries.http import sync_websocket_connect, websocket_connect


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


def run(program: AsyncProgram, connect: Connect, server: Server) -> Log:
    log: Log = []
    asyncio.run(program(connect, server, log))
    return log


def run_on(tape: Path, mode: str, program: AsyncProgram, server: Server) -> Log:
    log: Log = []

    async def session() -> None:
        with Cassette(tape, mode) as cassette:
            await program(websocket_connect(cassette), server, log)

    asyncio.run(session())
    return log


def run_sync_on(tape: Path, mode: str, program: SyncProgram, server: Server) -> Log:
    log: Log = []
    with Cassette(tape, mode) as cassette:
        program(sync_websocket_connect(cassette), server, log)
    return log


TIMED = {"pushes_while_sending", "many_at_once"}
"""Programs whose log depends on timing; only the replay has that of the recording."""


@pytest.mark.parametrize("name", ASYNC)
def test_tasks_see_the_same_live_recorded_and_replayed(tmp_path: Path, name: str) -> None:
    program, tape = ASYNC[name], tmp_path / "tape.yaml"
    with serving() as server:
        live = run(program, live_connect, server)
        recorded = run_on(tape, "all", program, server)
    if name not in TIMED:
        assert live == recorded
    for _ in range(2):
        assert run_on(tape, "none", program, server) == recorded


@pytest.mark.parametrize("name", SYNC)
def test_threads_see_the_same_live_recorded_and_replayed(tmp_path: Path, name: str) -> None:
    program, tape, live = SYNC[name], tmp_path / "tape.yaml", []
    with serving() as server:
        program(sync_live_connect, server, live)
        recorded = run_sync_on(tape, "all", program, server)
    assert live == recorded
    for _ in range(2):
        assert run_sync_on(tape, "none", program, server) == recorded
