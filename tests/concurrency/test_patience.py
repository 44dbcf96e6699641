"""How long a replay waits for threads: as long as the tape says, and `patience` on top."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import record, replay, watchdog
from concurrency.thread_sessions import run_all, session
from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError

WORK = 0.9
PATIENCE = 0.3


async def job_beside_a_call(world: Any) -> list[str]:
    def job() -> str:
        time.sleep(WORK)
        return str(world.peek("job"))

    return list(await asyncio.gather(asyncio.to_thread(job), world.fetch("beside")))


async def job_without_calls(world: Any) -> list[str]:
    first = await world.fetch("first")
    await asyncio.to_thread(time.sleep, WORK)
    return [first, await world.fetch("then")]


@pytest.mark.parametrize("program", [job_beside_a_call, job_without_calls])
def test_a_program_that_did_not_change_replays(program: Any, tape: Path) -> None:
    recorded = record(tape, program)

    assert recorded == replay(tape, program, patience=PATIENCE)


class SlowWorld(RealWorld):
    def peek(self, key: str) -> str:
        time.sleep(1.5 * WORK if key == "slow" else 0)
        return super().peek(key)


def test_so_does_a_thread_at_work_while_another_waits_for_a_later_answer(tape: Path) -> None:
    def program(world: Any) -> list[str]:
        log: list[str] = []

        def work() -> None:
            time.sleep(WORK)
            log.append(world.peek("worked"))

        def wait() -> None:
            log.append(world.peek("slow"))

        run_all([threading.Thread(target=target) for target in (work, wait)])
        return log

    def run(mode: str) -> list[str]:
        with watchdog(), Cassette(tape, mode, patience=PATIENCE) as cassette:
            return program(VcrWorld.attach(cassette, SlowWorld))

    assert run("all") == run("none")


def test_a_failure_beside_a_thread_at_work_names_patience(tape: Path) -> None:
    async def program(world: Any, seconds: float) -> str:
        await asyncio.to_thread(time.sleep, seconds)
        return str(await world.fetch("then"))

    record(tape, lambda world: program(world, 0.01))

    with pytest.raises(DivergenceError, match=r"slower than 0\.3 s, pass a larger patience="):
        replay(tape, lambda world: program(world, 2), patience=PATIENCE)


def _wait_for_event(answers: "queue.Queue[str]", seconds: float) -> None:
    threading.Event().wait(seconds)


def _wait_for_queue(answers: "queue.Queue[str]", seconds: float) -> None:
    with suppress(queue.Empty):
        answers.get(timeout=seconds)


def _wait_for_future(answers: "queue.Queue[str]", seconds: float) -> None:
    with suppress(TimeoutError):
        Future[str]().result(seconds)


@pytest.mark.parametrize("wait", [_wait_for_event, _wait_for_queue, _wait_for_future])
def test_a_dropped_call_is_reported_before_the_programs_own_time_out(
    wait: Callable[["queue.Queue[str]", float], None], tape: Path
) -> None:
    def program(world: Any, *, drops: bool) -> None:
        answers: queue.Queue[str] = queue.Queue()

        def work() -> None:
            world.peek("before")
            if not drops:
                answers.put(world.peek("dropped"))

        thread = threading.Thread(target=work)
        thread.start()
        if drops:
            wait(answers, 3600)
        else:
            answers.get()
        world.peek("after")

    session(tape, "all", lambda world: program(world, drops=False))

    with pytest.raises(DivergenceError, match=r"never made the call World.peek\(key=\"dropped\"\)"):
        session(tape, "none", lambda world: program(world, drops=True), patience=PATIENCE)


def test_a_time_out_that_expired_in_the_recording_may_expire_again(tape: Path) -> None:
    def program(world: Any) -> list[str]:
        thread = threading.Thread(target=world.peek, args=("thread",))
        thread.start()
        thread.join()
        threading.Event().wait(WORK)
        return [world.peek("after")]

    recorded = session(tape, "all", program)

    assert recorded == session(tape, "none", program, patience=PATIENCE)
