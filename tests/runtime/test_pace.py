"""A replay in which the environment takes the time that it took."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from sample.bridges import RealShell
from sample.models import Result
from vcr_sample import VcrFeed, VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import UsageError

SLOW = 0.3


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    began = time.monotonic()
    result = run()
    return result, time.monotonic() - began


async def in_tasks(shell: Any) -> list[Any]:
    first = await shell.arun("a", SLOW)
    return [first, *await asyncio.gather(shell.arun("b", SLOW), shell.arun("c", 2 * SLOW))]


def one_by_one(shell: Any) -> list[int]:
    return [shell.read(number) for number in range(3)]


def in_threads(shell: Any) -> list[Any]:
    answers: dict[int, Any] = {}

    def work(number: int) -> None:
        answers[number] = shell.read(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    return sorted(answers.items())


class SlowShell(RealShell):
    def read(self, what: Any, *, twice: bool = False) -> Any:
        time.sleep(SLOW)
        return super().read(what, twice=twice)


@pytest.mark.parametrize("program", [in_tasks, one_by_one, in_threads])
def test_answers_come_no_earlier_than_recorded(program: Any, tape: Any) -> None:
    recorded = tape.record(VcrShell, SlowShell, program)
    replay = tape.replay

    replayed, seconds = timed(lambda: replay(VcrShell, program, pace=1.0, patience=0.1))
    assert replayed == recorded
    assert seconds >= 3 * SLOW * 0.99

    replayed, seconds = timed(lambda: replay(VcrShell, program, pace=0.5, patience=0.1))
    assert replayed == recorded
    assert seconds >= 3 * SLOW * 0.49

    assert replay(VcrShell, program) == recorded


class SlowFeed:
    async def alines(self, name: str) -> AsyncIterator[str]:
        for number in range(3):
            await asyncio.sleep(SLOW)
            yield f"{name} {number}"


def test_so_do_the_items_of_a_stream(tape: Any) -> None:
    async def program(feed: Any) -> tuple[list[str], list[float]]:
        began, times, items = time.monotonic(), [], []
        async for item in feed.alines("x"):
            items.append(item)
            times.append(time.monotonic() - began)
        return items, times

    items, _ = tape.record(VcrFeed, SlowFeed, program)
    replayed, times = tape.replay(VcrFeed, program, pace=1.0)
    assert replayed == items
    assert all(at >= number * SLOW * 0.99 for number, at in enumerate(times, start=1))


def test_the_time_that_the_program_takes_is_its_own(tape: Any) -> None:
    """A program that is slower than in the recording gets its answer no later for that."""

    async def program(shell: Any, pause: float) -> tuple[Result, float]:
        await shell.arun("a")
        time.sleep(pause)
        began = time.monotonic()
        return await shell.arun("b", SLOW), time.monotonic() - began

    recorded, _ = tape.record(VcrShell, RealShell, lambda shell: program(shell, 0.0))
    replayed, took = tape.replay(VcrShell, lambda shell: program(shell, 1.0), pace=1.0)
    assert replayed == recorded
    assert took >= SLOW * 0.99


def test_a_negative_pace_is_refused(tmp_path: Any) -> None:
    with pytest.raises(UsageError, match="pace"):
        Cassette(tmp_path / "tape.yaml", pace=-1.0)
