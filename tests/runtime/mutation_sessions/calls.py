"""Sessions of single calls, sync and async."""

import asyncio
from pathlib import Path
from typing import Any

from sample.bridges import RealShell
from sample.models import Level, Step
from vcr_sample import VcrShell

from mutation_sessions.kinds import Outbound, attempt, facts


async def gathered(shell: Any) -> Any:
    done: list[Any] = []

    async def one(name: str, delay: float) -> None:
        done.append(await shell.arun(name, delay))

    await asyncio.gather(one("slow", 0.005), one("fast", 0.001))
    return done


async def expired(shell: Any) -> Any:
    try:
        async with asyncio.timeout(0.004):
            await shell.hang()
    except TimeoutError:
        return "expired"


async def failed(shell: Any) -> Any:
    try:
        await shell.afail("notes")
    except Exception as error:
        return facts(error)


async def awaited(shell: Any) -> Any:
    return [await shell.later("later"), await shell.maybe("maybe", True)]


CALLS = (
    Outbound(
        "calls",
        VcrShell,
        RealShell,
        (
            lambda shell: shell.run(
                Step("build", ("a", "b"), {"cpu": 2, "disk": None}, Level.HIGH), cwd=Path("/proj/x")
            ),
            lambda shell: [shell.read(3), shell.read("ab", twice=True)],
            lambda shell: shell.join("a", "b", n=1),
            lambda shell: shell.grep("x"),
            lambda shell: len(shell.login("me", "hunter2")) > 0,
            lambda shell: shell.stamp(1.5, "Name"),
            lambda shell: shell.store([1, {"deep": [2.5, b"\xff", None]}, True]),
            lambda shell: attempt(shell.fail, "boom"),
            lambda shell: attempt(shell.fail, "cause"),
        ),
    ),
    Outbound("async calls", VcrShell, RealShell, (gathered, expired, failed, awaited)),
)
