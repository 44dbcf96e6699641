"""Threaded programs of every shape: each replays to what it came to, and each change is caught."""

import _thread
import asyncio
import queue
import sched
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import pytest

from concurrency.thread_sessions import Program, caught, run_all, session
from vcr_gen import DivergenceError

SHAPES: dict[str, Program] = {}


@pytest.fixture(autouse=True)
def _nothing_keeps_the_process_alive() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    left = [each for each in set(threading.enumerate()) - before if not each.daemon]
    for thread in left:
        thread.join(30)
    assert [thread for thread in left if thread.is_alive()] == []


def shape(program: Program) -> Program:
    """List a program under its name."""
    SHAPES[program.__name__] = program
    return program


def in_threads(work: Callable[[int], Any], count: int) -> dict[int, Any]:
    """What each of some threads comes to.

    A divergence ends one of them; those that then wait for it must not keep the process alive.
    """
    results: dict[int, Any] = {}

    def run(number: int) -> None:
        results[number] = work(number)

    run_all([threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)])
    return results


@shape
def answers_as_they_come(world: Any) -> Any:
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(world.peek, f"page {number}") for number in range(8)]
        return sorted(job.result() for job in as_completed(jobs))


@shape
def the_first_answer_and_then_the_others(world: Any) -> Any:
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(world.peek, f"mirror {number}") for number in range(3)]
        wait(jobs, return_when=FIRST_COMPLETED)
        return [job.result() for job in jobs]


@shape
def a_pool_in_each_job_of_a_pool(world: Any) -> Any:
    def outer(site: int) -> list[str]:
        with ThreadPoolExecutor(2) as inner:
            return list(inner.map(world.peek, [f"{site}/{page}" for page in range(3)]))

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(outer, range(3)))


@shape
def every_way_of_a_thread_pool(world: Any) -> Any:
    def ask(key: str) -> Any:
        try:
            return world.peek(key)
        except DivergenceError as error:  # which would end the worker, and nobody would know
            return error

    with ThreadPool(3) as pool:
        return [
            pool.map(ask, [f"m{number}" for number in range(6)]),
            sorted(pool.imap_unordered(ask, ["x", "y", "z"]), key=str),
            pool.apply_async(ask, ("later",)).get(),
            pool.starmap(ask, [("s",), ("t",)]),
        ]


@shape
def threads_that_meet_at_a_barrier(world: Any) -> Any:
    barrier = threading.Barrier(3)

    def work(number: int) -> tuple[str, str]:
        before = world.peek(f"before {number}")
        barrier.wait()
        return before, world.peek(f"after {number}")

    return in_threads(work, 3)


@shape
def a_producer_that_notifies_a_consumer(world: Any) -> Any:
    changed, items = threading.Condition(), list[str]()

    def work(number: int) -> list[str]:
        return produce() if number == 0 else consume()

    def produce() -> list[str]:
        for number in range(5):
            item = world.peek(f"item {number}")
            with changed:
                items.append(item)
                changed.notify()
        return []

    def consume() -> list[str]:
        seen = []
        for _ in range(5):
            with changed:
                changed.wait_for(lambda: items)
                item = items.pop(0)
            seen.append(world.peek(f"for {item}"))
        return seen

    return in_threads(work, 2)


@shape
def two_at_a_time(world: Any) -> Any:
    gate = threading.Semaphore(2)

    def work(number: int) -> str:
        with gate:
            answer: str = world.peek(f"guarded {number}")
            return answer

    return in_threads(work, 6)


@shape
def a_hundred_threads(world: Any) -> Any:
    return in_threads(lambda number: world.peek(f"a{number}") + world.peek(f"b{number}"), 100)


@shape
def a_timer(world: Any) -> Any:
    heard: queue.Queue[str] = queue.Queue()
    threading.Timer(0.01, lambda: heard.put(world.peek("timer"))).start()
    return world.peek("main"), heard.get()


@shape
def a_schedule(world: Any) -> Any:
    seen: list[str] = []
    schedule = sched.scheduler()
    for number in range(3):
        schedule.enter(0.01 * (3 - number), 1, lambda at=number: seen.append(world.peek(f"{at}")))
    schedule.run()
    return seen


@shape
def threads_without_an_object(world: Any) -> Any:
    answers: queue.Queue[tuple[int, Any]] = queue.Queue()

    def work(number: int) -> None:
        try:
            answers.put((number, world.peek(f"raw {number}")))
        except DivergenceError as error:  # which Python would print
            answers.put((number, error))

    for number in range(3):
        _thread.start_new_thread(work, (number,))
    return sorted((answers.get() for _ in range(3)), key=lambda answer: answer[0])


@shape
def a_loop_in_a_thread_that_others_hand_work_to(world: Any) -> Any:
    loop = asyncio.new_event_loop()
    # After a divergence the main thread is interrupted, maybe before it stops the loop.
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def many() -> list[str]:
        return await asyncio.gather(*(world.fetch(f"many {number}") for number in range(4)))

    try:
        one = asyncio.run_coroutine_threadsafe(world.fetch("one"), loop).result()
        here = world.peek("here")
        return one, here, asyncio.run_coroutine_threadsafe(many(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@shape
def a_loop_in_each_thread(world: Any) -> Any:
    async def main(number: int) -> list[str]:
        return await asyncio.gather(*(world.fetch(f"{number} {part}") for part in range(3)))

    return in_threads(lambda number: asyncio.run(main(number)), 3)


@shape
def a_loop_that_works_in_threads(world: Any) -> Any:
    async def one(number: int) -> Any:
        return await world.fetch(await asyncio.to_thread(world.peek, f"{number}"))

    async def main() -> Any:
        return await asyncio.gather(*map(one, range(5)))

    return asyncio.run(main())


class Changed:
    """The world, for a program that makes its second call otherwise than it did."""

    def __init__(self, world: Any, change: str) -> None:
        self._world = world
        self._change = change
        self._calls = 0
        self._lock = threading.Lock()

    def _keys(self, key: str) -> list[str]:
        with self._lock:
            self._calls += 1
            if self._calls != 2:
                return [key]
        return {"drop": [], "alter": [f"{key}!"], "add": ["another", key]}[self._change]

    def peek(self, key: str) -> str:
        return "".join([self._world.peek(one) for one in self._keys(key)])

    async def fetch(self, key: str) -> str:
        return "".join([await self._world.fetch(one) for one in self._keys(key)])


@pytest.mark.parametrize("program", SHAPES.values(), ids=SHAPES)
def test_a_threaded_program_comes_to_the_same(program: Program, tape: Path) -> None:
    recorded = session(tape, "all", program)

    for _ in range(3):
        assert session(tape, "none", program) == recorded


@pytest.mark.parametrize("change", ["drop", "alter", "add"])
@pytest.mark.parametrize("program", SHAPES.values(), ids=SHAPES)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_changed_one_is_caught(program: Program, change: str, tape: Path) -> None:
    session(tape, "all", program)

    with caught():
        session(tape, "none", lambda world: program(Changed(world, change)), patience=0.5)
