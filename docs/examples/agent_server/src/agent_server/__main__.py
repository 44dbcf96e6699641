"""`python -m agent_server WORKSPACE`: serves an agent over standard input and output.

Each line is a JSON object: `{"call": "start", "name": "release", "arguments": "v1.2"}`.
"""

import asyncio
import json
import sys
from pathlib import Path

from agent_server.bridges import DiskFiles, ShellStepRunner, SystemClock
from agent_server.ports import ScriptServer
from agent_server.scripts import ScriptError
from agent_server.server import Server


async def answer(server: ScriptServer, line: str) -> dict[str, str]:
    """Make the call that a line asks for."""
    try:
        match json.loads(line):
            case {"call": "start", "name": str(name), **rest}:
                return {"result": await server.start(name, str(rest.get("arguments", "")))}
            case {"call": "continue_script", "answer": str(text)}:
                return {"result": await server.continue_script(text)}
            case {"call": "finish"}:
                return {"result": await server.finish()}
            case {"call": "status"}:
                return {"result": server.status()}
            case _:
                return {"error": "expected start, continue_script, finish or status"}
    except (ScriptError, ValueError) as error:
        return {"error": str(error)}


async def serve(workspace: Path) -> None:
    """Answer line by line until the input ends."""
    server = Server(
        runner=ShellStepRunner(), files=DiskFiles(), clock=SystemClock(), workspace=workspace
    )
    while line := await asyncio.to_thread(sys.stdin.readline):
        print(json.dumps(await answer(server, line), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]).absolute()))
