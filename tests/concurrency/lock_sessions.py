"""Sessions of programs whose threads share locks."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import watchdog
from concurrency.thread_sessions import run_all
from vcr_gen import Cassette, DivergenceError

PATIENCE = 6.0
"""Longer than any of these replays may take: so none of them went on by waiting it out."""


class Shared:
    """What the threads of a program have in common."""

    def __init__(self) -> None:
        self.locks = [threading.Lock() for _ in range(3)]
        self.one, self.two, self.three = self.locks
        self.again = threading.RLock()
        self.gate = threading.Semaphore(2)
        self.changed = threading.Condition()
        self.work: queue.Queue[str] = queue.Queue()
        self.log: list[str] = []
        """What happened while a lock was held: in the order in which it did."""
        self.logs: list[list[str]] = [[], [], [], []]
        """The same for each lock."""

    def lock(self, number: int) -> Any:
        return (self.one, self.two, self.three, self.again)[number]


Program = Callable[[Any, Shared], Any]


def session(path: Path, mode: str, program: Program, *, watch: bool = True, **options: Any) -> Any:
    """What the program comes to in a mode, and what it logged under its locks."""
    shared = Shared()
    options = {"patience": PATIENCE, **options}
    with watchdog(20), Cassette(path, mode, **options) as cassette:
        if watch:
            cassette.watch_locks(shared)
        answer = program(VcrWorld.attach(cassette, RealWorld), shared)
    return answer, shared.log


def same(path: Path, program: Program) -> Any:
    """Record, replay twice, and insist that all come to the same before the patience is over."""
    recorded = session(path, "all", program)
    began = time.monotonic()
    for _ in range(2):
        assert session(path, "none", program) == recorded
    assert time.monotonic() - began < PATIENCE
    return recorded


def in_threads(*works: Callable[[], Any]) -> None:
    """Do each in a thread of its own."""

    def run(work: Callable[[], Any]) -> None:
        with suppress(DivergenceError):  # the session keeps it
            work()

    run_all([threading.Thread(target=run, args=(work,)) for work in works])


def in_turns(world: Any, shared: Shared) -> Any:
    """A program of two threads that make each of their calls under one lock."""

    def work(name: str) -> None:
        for number in range(4):
            with shared.one:
                world.peek(f"{name}{number}")

    in_threads(*(lambda name=name: work(name) for name in "ab"))
