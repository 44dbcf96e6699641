"""Calls from many threads are recorded without loss, and each thread replays what it saw."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tape_data import read_tape

from concurrency.thread_sessions import run_all, same, session
from vcr_gen.runtime.tape.window import REACH

Log = dict[str, list[str]]
THREADS, CALLS = 8, 40


def work(world: Any, name: str, calls: int = CALLS) -> list[str]:
    return [world.peek(f"{name}.{number}") for number in range(calls)]


def in_threads(world: Any, *, daemon: bool = False) -> Log:
    log: Log = {}

    def run(name: str) -> None:
        log[name] = work(world, name)

    names = [f"t{number}" for number in range(THREADS)]
    run_all([threading.Thread(target=run, args=(name,), daemon=daemon) for name in names])
    return log


def test_eight_threads_of_forty_calls_are_recorded_without_loss(tape: Path) -> None:
    session(tape, "all", in_threads)

    calls = [entry["args"]["key"] for entry in read_tape(tape) if "call" in entry]
    assert sorted(calls) == sorted(f"t{t}.{n}" for t in range(THREADS) for n in range(CALLS))


def test_each_thread_replays_what_it_saw(tape: Path) -> None:
    log = same(tape, in_threads)

    assert [len(seen) for seen in log.values()] == [CALLS] * THREADS


def test_daemon_threads_do_too(tape: Path) -> None:
    same(tape, lambda world: in_threads(world, daemon=True))


def test_the_jobs_of_a_pool_do_whichever_worker_takes_them(tape: Path) -> None:
    def program(world: Any) -> Log:
        with ThreadPoolExecutor(4) as pool:
            names = [f"job{number}" for number in range(12)]
            return dict(zip(names, pool.map(lambda name: work(world, name, 5), names), strict=True))

    same(tape, program)


def test_a_lock_held_across_a_call_is_no_deadlock(tape: Path) -> None:
    def program(world: Any) -> Log:
        lock = threading.Lock()
        seen: Log = {}

        def run(name: str) -> None:
            mine = seen.setdefault(name, [])
            for number in range(5):
                with lock:
                    mine.append(world.peek(f"{name}.{number}"))
                mine.append(world.peek(f"{name}.{number} free"))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(run, "abcd"))
        return seen

    same(tape, program)


def test_what_is_local_to_a_thread_stays_so(tape: Path) -> None:
    def program(world: Any) -> Log:
        local = threading.local()
        log: Log = {}

        def run(name: str) -> None:
            local.name = name
            seen = []
            for number in range(10):
                answer = world.peek(f"{name}.{number}")
                seen.append(f"{local.name}: {answer}")
            log[name] = seen

        run_all([threading.Thread(target=run, args=(name,)) for name in "abcd"])
        return log

    same(tape, program)


def test_a_racy_program_replays_the_same_for_each_of_its_threads(tape: Path) -> None:
    def program(world: Any) -> Log:
        turns: list[str] = []
        log: Log = {}

        def run(name: str) -> None:
            log[name] = []
            for number in range(10):
                log[name].append(world.peek(f"{name}.{number}"))
                turns.append(name)  # who comes first is the program's own race

        run_all([threading.Thread(target=run, args=(name,)) for name in "abcd"])
        assert len(turns) == 40
        return log

    same(tape, program)


def test_threads_beside_a_loop_replay_with_it(tape: Path) -> None:
    def program(world: Any) -> Log:
        log: Log = {}

        async def tasks() -> None:
            async def run(name: str) -> None:
                log[name] = [await world.fetch(f"{name}.{number}") for number in range(5)]

            await asyncio.gather(run("x"), run("y"))

        def run(name: str) -> None:
            log[name] = work(world, name, 5)

        threads = [threading.Thread(target=run, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        asyncio.run(tasks())
        for thread in threads:
            thread.join()
        return log

    same(tape, program)


def test_two_loops_in_two_threads_share_a_cassette(tape: Path) -> None:
    def program(world: Any) -> Log:
        log: Log = {}

        async def run(name: str) -> None:
            log[name] = [await world.fetch(f"{name}.{number}") for number in range(5)]

        run_all([threading.Thread(target=lambda n=n: asyncio.run(run(n))) for n in "ab"])
        return log

    same(tape, program)


@pytest.mark.parametrize("attempt", range(5))
def test_shared_state_behind_a_lock_comes_to_the_same(attempt: int, tape: Path) -> None:
    def program(world: Any) -> Log:
        lock = threading.Lock()
        total: dict[str, int] = {"letters": 0}

        def run(name: str) -> None:
            for number in range(8):
                answer = world.peek(f"{name}.{number}")
                with lock:
                    total["letters"] += len(answer)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(run, "abcdefgh"))
        return {"total": [str(total["letters"])]}

    same(tape, program)


def test_jobs_that_go_on_where_the_tape_ends_are_recorded_as_who_they_were(tape: Path) -> None:
    def program(names: str, calls: int) -> Callable[[Any], Log]:
        def run(world: Any) -> Log:
            log: Log = {}
            together = threading.Barrier(len(names))

            def one(name: str) -> None:
                log[name] = [world.peek(f"{name} 0")]
                together.wait()  # the tape is used up: from here on it is recorded
                log[name] += work(world, f"{name} more", calls)

            with ThreadPoolExecutor(len(names)) as pool:
                for name in names:
                    pool.submit(one, name)
                    time.sleep(0.02)  # so that they begin in this order
            return log

        return run

    session(tape, "all", program("xyz", 0))
    continued = session(tape, "new_episodes", program("zyx", 2))

    assert session(tape, "none", program("xyz", 2)) == continued


def in_pool(late: Callable[[], Any], busy: Callable[[], Any]) -> None:
    with ThreadPoolExecutor(2) as pool:
        for job in [pool.submit(late), pool.submit(busy)]:
            job.result()


def in_plain_threads(late: Callable[[], Any], busy: Callable[[], Any]) -> None:
    run_all([threading.Thread(target=late), threading.Thread(target=busy)])


@pytest.mark.parametrize("run", [in_pool, in_plain_threads])
def test_a_thread_finds_its_call_however_far_others_got_ahead_of_it(
    run: Callable[..., None], tape: Path
) -> None:
    def program(others_are_far: threading.Event) -> Callable[[Any], Log]:
        def both(world: Any) -> Log:
            log: Log = {}

            def late() -> None:
                first = world.peek("first")
                others_are_far.wait()
                log["late"] = [first, world.peek("late")]

            def busy() -> None:
                log["busy"] = work(world, "busy", REACH)
                others_are_far.set()

            run(late, busy)
            return log

        return both

    at_once = threading.Event()
    at_once.set()
    recorded = session(tape, "all", program(threading.Event()))

    assert session(tape, "none", program(at_once)) == recorded
