"""Random programs of threads come to what they came to."""

import queue
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from concurrency.thread_sessions import run_all, session

PROGRAMS = 50

Made = Callable[[Any], dict[str, list[str]]]


def work(world: Any, name: str, chance: random.Random) -> list[str]:
    """A few calls, some of them equal to those of other threads, with pauses."""
    seen: list[str] = []
    for number in range(chance.randint(1, 8)):
        if chance.random() < 0.3:
            time.sleep(chance.random() / 500)
        key = "same" if chance.random() < 0.3 else f"{name}{number}"
        answer = world.peek(key)
        seen.append(key if key == "same" else answer)
    return seen


def threads(seed: int) -> Made:
    """Threads, or the jobs of a pool, that have nothing in common."""

    def program(world: Any) -> dict[str, list[str]]:
        chance = random.Random(seed)
        seen: dict[str, list[str]] = {}

        def run(name: str, number: int) -> None:
            seen[name] = work(world, name, random.Random(number))

        plans = [(name, chance.getrandbits(32)) for name in "abcdefgh"[: chance.randint(2, 8)]]
        if chance.random() < 0.5:
            with ThreadPoolExecutor(chance.randint(1, 4)) as pool:
                list(pool.map(lambda plan: run(*plan), plans))
        else:
            run_all([threading.Thread(target=run, args=plan) for plan in plans])
        return seen

    return program


def workers(seed: int) -> Made:
    """Numbered threads that take jobs from a queue."""

    def program(world: Any) -> dict[str, list[str]]:
        chance = random.Random(seed)
        jobs: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
        for job in range(chance.randint(3, 12)):
            jobs.put((f"job {job}", chance.randint(1, 4)))
        seen: dict[str, list[str]] = {}

        def take(number: int) -> None:
            while True:
                try:
                    job, calls = jobs.get_nowait()
                except queue.Empty:
                    return
                time.sleep(random.SystemRandom().random() / 500)
                seen[job] = [world.peek(f"{job}.{call}") for call in range(calls)]

        run_all(
            [threading.Thread(target=take, args=(n,)) for n in range(chance.randint(2, 5))],
        )
        return seen

    return program


def locked(seed: int) -> Made:
    """Threads that make each call while they hold one of two locks."""

    def program(world: Any) -> dict[str, list[str]]:
        chance = random.Random(seed)
        locks = [threading.Lock(), threading.Lock()]
        seen: dict[str, list[str]] = {}

        def run(name: str, number: int) -> None:
            own = random.Random(number)
            seen[name] = []
            for call in range(own.randint(1, 4)):
                with own.choice(locks):
                    seen[name].append(world.peek(f"{name}{call}"))

        plans = [(name, chance.getrandbits(32)) for name in "abcd"[: chance.randint(2, 4)]]
        run_all([threading.Thread(target=run, args=plan) for plan in plans])
        return seen

    return program


@pytest.mark.parametrize("kind", [threads, workers, locked])
def test_random_programs_of_threads_come_to_the_same(
    kind: Callable[[int], Made], tape: Path
) -> None:
    for seed in range(PROGRAMS):
        program = kind(seed)
        recorded = session(tape, "all", program)
        assert session(tape, "none", program) == recorded, seed
