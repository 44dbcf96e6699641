"""One session of an agent with the server, recorded or replayed.

    python tests/session.py record CASSETTE WORKSPACE
    python tests/session.py replay CASSETTE WORKSPACE

Only this file knows the wrappers, the application and the real environment at once.
"""

import asyncio
import sys
from pathlib import Path

from vcr_gen import Cassette, Driver

from agent_server.bridges import DiskFiles, ShellStepRunner, SystemClock
from agent_server.ports import ScriptServer
from agent_server.scripts import ScriptError
from agent_server.server import Server
from vcr_agent_server import VcrClock, VcrFiles, VcrScriptServer, VcrStepRunner


async def run_session(path: Path, *, workspace: Path, mode: str | None = None) -> None:
    """Let the agent talk to the server, or the tape in its place."""
    with Cassette(
        path,
        mode,
        initial_state={"workspace": workspace},
        anchors={"workspace": workspace},
    ) as cassette:
        application = Server(
            runner=VcrStepRunner.attach(cassette, ShellStepRunner),
            files=VcrFiles.attach(cassette, DiskFiles),
            clock=VcrClock.attach(cassette, SystemClock),
            workspace=cassette.initial_state["workspace"],
        )
        server = VcrScriptServer(cassette=cassette, inner=application)
        if cassette.calls_real:
            await agent(server)
        else:
            await Driver(cassette, server).run()


async def agent(server: ScriptServer) -> None:
    """What the agent does; in a replay the tape does it."""
    server.status()
    try:
        await server.start("relaese")
    except ScriptError:
        pass
    starting = asyncio.create_task(server.start("release", arguments="v1.2"))
    await asyncio.sleep(0.15)
    server.status()
    await starting
    await server.continue_script("Steps can no longer hang, and every run leaves a report.")
    server.status()
    await server.finish()
    await server.start("broken")
    await server.finish()


def main(action: str, cassette: str, workspace: str) -> None:
    """Record or replay a session."""
    mode = {"record": "all", "replay": "none"}[action]
    asyncio.run(run_session(Path(cassette), workspace=Path(workspace).absolute(), mode=mode))


if __name__ == "__main__":
    main(*sys.argv[1:])
