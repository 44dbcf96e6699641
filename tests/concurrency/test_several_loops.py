"""One cassette is used on event loops in several threads."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import watchdog
from vcr_gen import Cassette
from vcr_gen.runtime.loops.clock import Clock
from vcr_gen.runtime.record.recording_turns import RecordingTurns


class PromptWorld(RealWorld):
    """A world that answers through a thread, so that nothing else wakes the loop."""

    async def _pause(self, seconds: float) -> None:
        await asyncio.get_running_loop().run_in_executor(None, lambda: None)


@pytest.fixture(autouse=True)
def _restless_threads() -> Iterator[None]:
    """Let threads take turns often, also between the lines that hand an answer back."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _run(tape: Path, mode: str, *, pause: float | None) -> dict[str, list[str]]:
    logs: dict[str, list[str]] = {}

    async def fetch_some(world: Any, name: str) -> None:
        log = logs[name] = []
        for number in range(60):
            log.append(await world.fetch(f"{name} {number}"))
            if pause is not None:
                await asyncio.sleep(pause)
            both = (world.fetch(f"{name} {number} {side}") for side in ("left", "right"))
            log += await asyncio.gather(*both)

    with watchdog(30), Cassette(tape, mode) as cassette:
        world = VcrWorld.attach(cassette, PromptWorld)
        threads = [
            threading.Thread(target=lambda name=name: asyncio.run(fetch_some(world, name)))
            for name in ("one", "other")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return logs


@pytest.mark.parametrize("pause", [None, 0.002])
def test_loops_in_two_threads_get_their_own_answers(pause: float | None, tape: Path) -> None:
    recorded = _run(tape, "all", pause=pause)

    assert recorded == _run(tape, "none", pause=pause)


def test_an_answer_enters_in_the_loop_that_waits_for_it() -> None:
    turns, entered = RecordingTurns(Clock()), list[str]()
    idle = asyncio.new_event_loop()
    try:
        turns.queue(lambda: True, lambda: entered.append("elsewhere"), idle)

        async def another_loop() -> float | None:
            return turns.idle(None, hears=False)

        assert asyncio.run(another_loop()) is None
        assert entered == []
    finally:
        idle.close()
