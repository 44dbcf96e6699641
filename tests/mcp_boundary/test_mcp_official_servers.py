"""The official client with official servers: live, recorded, replayed, served, and driven."""

import shutil
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import pytest
from tests.mcp_boundary.mcp_client_program import ERAS, session
from tests.mcp_boundary.mcp_commands import SERVER, driving, over_stdio, recording, serving
from tests.mcp_boundary.node_packages import server_command
from tests.mcp_boundary.npm_sessions import everything, filesystem

from vcr_gen import Cassette
from vcr_gen.boundaries.mcp import mcp_transport

pytestmark = pytest.mark.slow

Session: TypeAlias = Callable[[AbstractAsyncContextManager[Any], str], Awaitable[list[object]]]


def observed(run: Session, command: tuple[str, ...], era: str) -> list[object]:
    return anyio.run(lambda: run(over_stdio(command), era))


def observed_in_process(run: Session, cassette: Path, era: str) -> list[object]:
    async def replay() -> list[object]:
        with Cassette(cassette, "none") as tape:
            return await run(mcp_transport(tape, ["no-such-server"]), era)

    return anyio.run(replay)


def without_order(seen: list[object]) -> list[str]:
    return sorted(map(repr, seen))


def check(
    folder: Path,
    era: str,
    run: Session,
    server: Callable[[], tuple[str, ...]],
) -> None:
    """One recording serves all its uses; `server` makes a new server in a new state."""
    tape = folder / "tape.yaml"
    live = observed(run, server(), era)
    recorded = observed(run, recording(tape, *server()), era)
    assert without_order(live) == without_order(recorded)
    shutil.rmtree(folder / "server", ignore_errors=True)
    shutil.rmtree(folder / "files", ignore_errors=True)
    before = tape.read_bytes()
    for _ in range(3):
        assert recorded == observed(run, serving(tape), era)
        assert recorded == observed_in_process(run, tape, era)
    driven = subprocess.run(driving(tape, *server()), capture_output=True, text=True, check=False)
    assert driven.returncode == 0, driven.stdout
    assert before == tape.read_bytes()


@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
@pytest.mark.parametrize("era", ERAS)
def test_everything(tmp_path, era):
    check(tmp_path, era, everything, lambda: server_command("everything", tmp_path / "server"))


@pytest.mark.parametrize("era", ERAS)
def test_filesystem(tmp_path, era):
    files = tmp_path / "files"

    def server() -> tuple[str, ...]:
        shutil.rmtree(files, ignore_errors=True)
        files.mkdir()
        return server_command("filesystem", tmp_path / "server", str(files))

    async def run(transport: AbstractAsyncContextManager[Any], era: str) -> list[object]:
        return await filesystem(transport, era, files)

    check(tmp_path, era, run, server)


@pytest.mark.parametrize("era", ERAS)
def test_a_server_of_the_python_sdk(tmp_path, era):
    folder = tmp_path / "server"

    def server() -> tuple[str, ...]:
        folder.mkdir(exist_ok=True)
        return SERVER[0], shutil.copy(SERVER[1], folder)

    check(tmp_path, era, session, server)
