"""Recording a program and replaying it, in a loop of its own and under a watchdog."""

from __future__ import annotations

import asyncio
import faulthandler
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
from vcr_world.ports import VcrWorld
from world.real import AnyWorld, RealWorld

from vcr_gen import Cassette

Program = Callable[[Any], Awaitable[Any]]
"""What is done with the world."""

LoopFactory = Callable[[], asyncio.AbstractEventLoop]

BOUND = 30.0
"""Seconds in which every replay ends, whatever the program does."""


class HungError(BaseException):
    """A replay did not come to its end: not to be caught by any program."""


@contextmanager
def watchdog(seconds: float = 2 * BOUND) -> Iterator[None]:
    """Fail the test when its body hangs; when even that cannot be, end the process."""

    def hung(*_: object) -> None:
        raise HungError(f"not over after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, hung)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    faulthandler.dump_traceback_later(seconds + 20, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def record(path: Path, program: Program, **options: Any) -> Any:
    """What the program comes to in the real world."""
    return _session(path, "all", program, options)


def replay(path: Path, program: Program, **options: Any) -> Any:
    """What it comes to in a replay."""
    return _session(path, "none", program, options)


def run_on(backend: str, path: Path, mode: str, program: Program, **options: Any) -> Any:
    """The same for a program that uses anyio, on the library of that name."""

    async def main() -> Any:
        with Cassette(path, mode, **options) as cassette:
            return await program(VcrWorld.attach(cassette, AnyWorld))

    with watchdog():
        return anyio.run(main, backend=backend)


def same(path: Path, program: Program) -> Any:
    """Record, replay, and insist that both come to the same."""
    recorded = record(path, program)
    replayed = replay(path, program)
    assert recorded == replayed
    return replayed


def _session(
    path: Path,
    mode: str,
    program: Program,
    options: dict[str, Any],
) -> Any:
    loop_factory: LoopFactory | None = options.pop("loop_factory", None)

    async def main() -> Any:
        with Cassette(path, mode, **options) as cassette:
            return await program(VcrWorld.attach(cassette, RealWorld))

    with watchdog(), asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(main())
