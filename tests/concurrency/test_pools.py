"""Jobs of thread pools: each is a strand of its own, whichever worker takes it."""

import threading
import time
import weakref
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tape_data import read_tape

from concurrency.thread_sessions import Program, caught, session
from vcr_gen import DivergenceError
from vcr_gen.runtime.tape.window import REACH

Calls = tuple[str, ...]
Jobs = list[Calls]
"""What each job calls, in order."""


def in_executor(jobs: Jobs, workers: int = 1) -> Program:
    def program(world: Any) -> Any:
        def job(calls: Calls) -> list[str]:
            return [world.peek(key) for key in calls]

        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(job, jobs))

    return program


CHANGES: dict[str, tuple[Jobs, Jobs]] = {
    "two calls of one job": ([("a", "b")], [("b", "a")]),
    "the last two calls": ([("a", "b", "c")], [("a", "c", "b")]),
    "two calls of two jobs": ([("a", "b"), ("c", "d")], [("a", "c"), ("b", "d")]),
    "the ends of two jobs": ([("a", "b"), ("c", "d")], [("a", "d"), ("c", "b")]),
    "the ends of two jobs that begin alike": (
        [("a", "b", "x"), ("a", "c", "y")],
        [("a", "b", "y"), ("a", "c", "x")],
    ),
    "a call of one job made by the next": ([("a", "b"), ("c",)], [("a",), ("b", "c")]),
    "two jobs made one": ([("a",), ("b",)], [("a", "b")]),
    "one call less": ([("a", "b")], [("a",)]),
    "one call more": ([("a",)], [("a", "b")]),
    "another call": ([("a", "b")], [("a", "c")]),
}


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_job_that_calls_in_another_order_is_caught(
    change: tuple[Jobs, Jobs], workers: int, tape: Path
) -> None:
    before, after = change
    session(tape, "all", in_executor(before, workers))

    with caught():
        session(tape, "none", in_executor(after, workers))


def test_jobs_may_come_in_another_order(tape: Path) -> None:
    jobs: Jobs = [("a", "b"), ("c", "d"), ("e",)]
    recorded = session(tape, "all", in_executor(jobs))

    assert session(tape, "none", in_executor(jobs[::-1])) == recorded[::-1]


@pytest.mark.parametrize("attempt", range(5))
def test_jobs_that_begin_with_equal_calls_find_their_own(attempt: int, tape: Path) -> None:
    jobs: Jobs = [("login", "whoami", f"{number}", f"{number}'") for number in range(12)]
    recorded = session(tape, "all", in_executor(jobs, 4))

    replayed = session(tape, "none", in_executor(jobs, 4))

    assert [answers[2:] for answers in recorded] == [answers[2:] for answers in replayed]


def test_jobs_that_begin_far_ahead_on_the_tape_find_their_own(tape: Path) -> None:
    def program(is_replay: threading.Event) -> Program:
        def run(world: Any) -> Any:
            begun = [threading.Event() for _ in range(3)]  # in this order while recording

            def busy() -> None:
                for number in range(REACH):
                    world.peek(f"busy {number}")
                begun[0].set()

            def job(number: int) -> list[str]:
                if is_replay.is_set():
                    time.sleep(0.02 * (2 - number))  # in the opposite order
                else:
                    begun[number - 1].wait()
                same = world.peek("same")
                begun[number].set()
                return [same, world.peek(f"job {number}")]

            with ThreadPoolExecutor(3) as pool:
                pool.submit(busy)
                return list(pool.map(job, (1, 2)))

        return run

    is_replay = threading.Event()
    recorded = session(tape, "all", program(is_replay))
    is_replay.set()

    assert session(tape, "none", program(is_replay)) == recorded


def test_another_number_of_workers_changes_nothing(tape: Path) -> None:
    jobs: Jobs = [(f"{number}", f"{number}'") for number in range(12)]
    recorded = session(tape, "all", in_executor(jobs, 4))

    for workers in (1, 2, 8):
        assert session(tape, "none", in_executor(jobs, workers)) == recorded


def test_each_job_is_a_strand_of_its_own(tape: Path) -> None:
    session(tape, "all", in_executor([("a", "b"), ("c", "d")]))

    strands = [entry["strand"] for entry in read_tape(tape) if "call" in entry]
    assert strands[0] == strands[1] != strands[2] == strands[3]


def test_jobs_of_jobs_are_strands_too(tape: Path) -> None:
    def program(outer_calls: Calls, inner_calls: Calls) -> Program:
        def run(world: Any) -> Any:
            def inner() -> list[str]:
                return [world.peek(key) for key in inner_calls]

            def outer(pool: ThreadPoolExecutor) -> Any:
                first = world.peek(outer_calls[0])
                return [first, pool.submit(inner).result(), world.peek(outer_calls[1])]

            with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
                return one.submit(outer, other).result()

        return run

    recorded = session(tape, "all", program(("a", "b"), ("c", "d")))

    assert session(tape, "none", program(("a", "b"), ("c", "d"))) == recorded
    for calls in [(("b", "a"), ("c", "d")), (("a", "b"), ("d", "c"))]:
        with pytest.raises(DivergenceError):
            session(tape, "none", program(*calls))


def test_what_a_job_does_when_it_is_over_belongs_to_it(tape: Path) -> None:
    def program(calls: Calls) -> Program:
        def run(world: Any) -> Any:
            seen: list[str] = []
            expected = threading.Event()

            def job() -> None:
                expected.wait()
                seen.append(world.peek(calls[0]))

            def ended(_: Future[None]) -> None:
                seen.extend(world.peek(key) for key in calls[1:])

            with ThreadPoolExecutor(1) as pool:
                pool.submit(job).add_done_callback(ended)
                expected.set()
            return seen

        return run

    recorded = session(tape, "all", program(("a", "b", "c")))

    assert session(tape, "none", program(("a", "b", "c"))) == recorded
    with pytest.raises(DivergenceError):
        session(tape, "none", program(("a", "c", "b")))


def test_what_a_pool_does_for_each_worker_is_its_own_strand(tape: Path) -> None:
    def program(world: Any) -> Any:
        local = threading.local()

        def prepare() -> None:
            local.name = world.peek("worker")

        def job(key: str) -> str:
            return str(world.peek(key)) if local.name else ""

        with ThreadPoolExecutor(1, initializer=prepare) as pool:
            return list(pool.map(job, "abc"))

    recorded = session(tape, "all", program)

    assert session(tape, "none", program) == recorded


def test_a_session_does_not_keep_the_jobs_of_a_pool_alive(tape: Path) -> None:
    class Big:
        pass

    def program(world: Any) -> Any:
        def job(big: Big) -> None:
            world.peek("a")

        with ThreadPoolExecutor(1) as pool:
            big = Big()
            held = weakref.ref(big)
            pool.submit(job, big).result()
            del big
            pool.submit(int).result()
            return held() is None

    assert session(tape, "all", program)
    assert session(tape, "none", program)


def test_a_job_that_calls_otherwise_is_compared_with_what_it_did_itself(tape: Path) -> None:
    def program(endings: list[str]) -> Program:
        is_told = threading.Event()

        def job(world: Any, key: str) -> Any:
            if key == ("first" if endings else "second"):  # so the other is the first to call
                is_told.wait(5)
            try:
                return world.peek("".join((key, *endings)))
            finally:
                is_told.set()

        def run(world: Any) -> Any:
            with ThreadPoolExecutor(2) as pool:
                return list(pool.map(job, (world, world), ("first", "second")))

        return run

    session(tape, "all", program([]))
    with pytest.raises(DivergenceError) as failed:
        session(tape, "none", program(["!"]))
    assert 'recorded   World.peek(key="second")\n' in str(failed.value)
    assert 'actual     World.peek(key="second!")\n' in str(failed.value)
