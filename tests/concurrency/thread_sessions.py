"""Recording a program of threads and replaying it, with no loop around it and under a watchdog."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import watchdog
from vcr_gen import Cassette, DivergenceError
from vcr_gen.errors import UnusedEventsError

Program = Callable[[Any], Any]
"""What is done with the world."""


def session(path: Path, mode: str, program: Program, **options: Any) -> Any:
    """What the program comes to in a mode."""
    with watchdog(30), Cassette(path, mode, **options) as cassette:
        return program(VcrWorld.attach(cassette, RealWorld))


def same(path: Path, program: Program) -> Any:
    """Record, replay, and insist that both come to the same."""
    recorded = session(path, "all", program)
    replayed = session(path, "none", program)
    assert recorded == replayed
    return replayed


def caught() -> Any:
    """Insist that a replay fails."""
    return pytest.raises((DivergenceError, UnusedEventsError))


def run_all(threads: Sequence[threading.Thread]) -> None:
    """Start the threads, and wait for the end of each."""
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
