"""Jobs that equal threads share are done as they were, whichever thread takes them."""

import queue
import random
import threading
from collections import deque
from collections.abc import Callable, Iterator
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


def pool(way: str, do: Do, jobs: list[Any], *, workers: int = 4) -> Callable[..., Any]:
    """A program of a few workers that share jobs, and are slow at random."""

    def program(world: Any) -> Any:
        shared = Jobs(jobs)
        done: dict[str, Any] = {}
        chance = random.SystemRandom()

        def do_job(job: Any) -> None:
            threading.Event().wait(chance.random() / 500)
            done[str(job)] = do(world, job)

        work = getattr(shared, way)
        run_all(
            [
                threading.Thread(target=work, args=(number, do_job), name=f"worker-{number}")
                for number in range(workers)
            ]
        )
        return done

    return program


def two_calls(world: Any, job: Any) -> list[str]:
    return [world.peek(key) for key in (f"get {job}", f"put {job}")]


@WAYS
def test_it_does_not_matter_which_worker_takes_which_job(way: str, tape: Path) -> None:
    for _ in range(3):
        program = pool(way, two_calls, JOBS)
        recorded = session(tape, "all", program)
        for _ in range(3):
            assert session(tape, "none", program) == recorded


@WAYS
def test_a_worker_that_got_nothing_to_do_in_the_recording_may_get_something(
    way: str, tape: Path
) -> None:
    session(tape, "all", pool(way, two_calls, JOBS, workers=2))
    for _ in range(5):
        session(tape, "none", pool(way, two_calls, JOBS, workers=4))


def changed(world: Any, job: Any, *keys: str) -> Any:
    return [world.peek(key) for key in (keys if job == "job 5" else (f"get {job}", f"put {job}"))]


@WAYS
@pytest.mark.parametrize(
    "keys",
    [
        ("put job 5", "get job 5"),
        ("get job 5",),
        ("get job 5", "put job 5", "more"),
        ("get job 5", "set job 5"),
    ],
    ids=["reordered", "dropped", "added", "altered"],
)
def test_a_worker_that_does_its_job_otherwise_is_caught(
    keys: tuple[str, ...], way: str, tape: Path
) -> None:
    session(tape, "all", pool(way, two_calls, JOBS))

    with caught():
        other = pool(way, lambda world, job: changed(world, job, *keys), JOBS)
        session(tape, "none", other, patience=0.2)
