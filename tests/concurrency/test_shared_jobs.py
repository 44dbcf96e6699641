"""Jobs that threads share are done as they were, whichever thread takes them."""

import queue
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from concurrency.thread_sessions import caught, run_all, session

pytestmark = pytest.mark.usefixtures("quiet_threads")

JOBS = [f"job {number}" for number in range(12)]


class Jobs:
    """Where the workers of a program of its own find what to do, each in another way."""

    def __init__(self, jobs: list[Any]) -> None:
        self.queue: queue.Queue[Any] = queue.Queue()
        for job in jobs:
            self.queue.put(job)
        self.deque = deque(jobs)
        self.iterator: Iterator[Any] = iter(jobs)
        self.lock = threading.Lock()

    def another(self) -> Any:
        with self.lock:
            return next(self.iterator, None)

    def from_queue(self, number: int, do: Callable[[Any], None]) -> None:
        while True:
            try:
                job = self.queue.get(timeout=0)
            except queue.Empty:
                return
            do(job)

    def from_deque(self, number: int, do: Callable[[Any], None]) -> None:
        while self.deque:
            try:
                job = self.deque.popleft()
            except IndexError:
                return
            do(job)

    def from_method(self, number: int, do: Callable[[Any], None]) -> None:
        while (job := self.another()) is not None:
            do(job)


WAYS = pytest.mark.parametrize("way", ["from_queue", "from_deque", "from_method"])
Do = Callable[[Any, Any], Any]


def pool(
    way: str, do: Do, jobs: list[Any], *, workers: int = 4, executor: bool = False
) -> Callable[[Any], Any]:
    """A program of a few workers who share jobs, and are slow at random."""

    def program(world: Any) -> Any:
        shared = Jobs(jobs)
        done: dict[str, Any] = {}
        chance = random.SystemRandom()

        def one(job: Any) -> None:
            threading.Event().wait(chance.random() / 500)
            done[str(job)] = do(world, job)

        work = getattr(shared, way)
        if executor:
            with ThreadPoolExecutor(workers) as threads:
                for number in range(workers):
                    threads.submit(work, number, one)
            return done
        run_all(
            [
                threading.Thread(target=work, args=(number, one), name=f"worker-{number}")
                for number in range(workers)
            ]
        )
        return done

    return program


def three_calls(world: Any, job: Any) -> list[str]:
    return [world.peek(key) for key in ("login", f"get {job}", f"put {job}")]


@WAYS
@pytest.mark.parametrize("executor", [False, True])
def test_it_does_not_matter_which_worker_takes_which_job(
    executor: bool, way: str, tape: Path
) -> None:
    for _ in range(3):
        program = pool(way, three_calls, JOBS, executor=executor)
        recorded = session(tape, "all", program)
        for _ in range(3):
            replayed = session(tape, "none", program)
            assert {job: calls[1:] for job, calls in replayed.items()} == {
                job: calls[1:] for job, calls in recorded.items()
            }


@WAYS
def test_jobs_that_are_equal_or_objects_of_the_programs_own_are_found_too(
    way: str, tape: Path
) -> None:
    class Job:
        pass

    for jobs in (["same"] * 12, [Job() for _ in range(12)]):
        program = pool(way, lambda world, _: [world.peek("a"), world.peek("b")], jobs)
        session(tape, "all", program)
        for _ in range(5):
            session(tape, "none", program)


@WAYS
def test_a_worker_that_got_nothing_to_do_in_the_recording_may_get_something(
    way: str, tape: Path
) -> None:
    def two_calls(world: Any, _: Any) -> list[str]:
        return [world.peek("a"), world.peek("b")]

    session(tape, "all", pool(way, two_calls, ["same"] * 12, workers=2))
    for _ in range(5):
        session(tape, "none", pool(way, two_calls, ["same"] * 12, workers=4))


def changed(world: Any, job: Any, *keys: str) -> Any:
    return [world.peek(key) for key in (keys if job == "job 5" else ("login", f"get {job}"))]


@WAYS
@pytest.mark.parametrize(
    "keys",
    [
        ("get job 5", "login"),
        ("login",),
        ("login", "get job 5", "more"),
        ("login", "got job 5"),
    ],
    ids=["reordered", "dropped", "added", "altered"],
)
def test_a_worker_that_does_its_job_otherwise_is_caught(
    keys: tuple[str, ...], way: str, tape: Path
) -> None:
    usual = pool(way, lambda world, job: changed(world, job, "login", "get job 5"), JOBS)
    session(tape, "all", usual)
    session(tape, "none", usual)

    with caught():
        other = pool(way, lambda world, job: changed(world, job, *keys), JOBS)
        session(tape, "none", other, patience=0.2)


def test_two_jobs_that_exchange_calls_are_caught(tape: Path) -> None:
    def exchanged(world: Any, job: str) -> None:
        other = {"job 4": "job 5", "job 5": "job 4"}.get(job, job)
        for key in (f"get {job}", f"put {other}"):
            world.peek(key)

    usual = pool("from_queue", lambda w, job: [w.peek(f"get {job}"), w.peek(f"put {job}")], JOBS)
    session(tape, "all", usual)
    session(tape, "none", usual)

    with caught():
        session(tape, "none", pool("from_queue", exchanged, JOBS), patience=0.2)
