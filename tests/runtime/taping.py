"""Recording a program and replaying it, for tests that claim both come to the same."""

import asyncio
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tape_data import read_tape

from vcr_gen import Cassette, Driver


def forbidden() -> Any:
    raise AssertionError("a replay built the real thing")


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a program, in an event loop of its own where it is asynchronous."""
    result = function(*arguments)
    if inspect.isawaitable(result):

        async def wait() -> Any:
            return await result

        return asyncio.run(wait())
    return result


@dataclass(frozen=True)
class Tape:
    """A cassette's place, and what a test does with it."""

    path: Path

    def record(self, wrapper: Any, real: Callable[[], Any], program: Any, **options: Any) -> Any:
        """What `program(wrapper)` returns while it is recorded."""
        with Cassette(self.path, "all", **options) as cassette:
            return run(program, wrapper.attach(cassette, real))

    def replay(self, wrapper: Any, program: Any, **options: Any) -> Any:
        """What it returns in a replay, where nothing real exists."""
        with Cassette(self.path, "none", **options) as cassette:
            return run(program, wrapper.attach(cassette, forbidden))

    def same(self, wrapper: Any, real: Callable[[], Any], program: Any) -> Any:
        """Record, replay, and insist that the program saw the same."""
        recorded = self.record(wrapper, real, program)
        replayed = self.replay(wrapper, program)
        assert recorded == replayed
        return replayed

    def record_served(self, wrapper: Any, application: Any, environment: Any) -> None:
        """Let `environment(wrapper)` call the application and record it."""
        with Cassette(self.path, "all") as cassette:
            run(environment, wrapper(cassette=cassette, inner=application))

    def replay_served(self, wrapper: Any, application: Any, *, sync: bool) -> None:
        """Let the driver call it."""
        with Cassette(self.path, "none") as cassette:
            driver = Driver(cassette, wrapper(cassette=cassette, inner=application))
            if sync:
                driver.run_sync()
            else:
                asyncio.run(driver.run())

    def served(self, wrapper: Any, build: Callable[[], Any], environment: Any) -> list[Any]:
        """Record, drive, and insist that the application saw the same; its `log`."""
        recorded, replayed = build(), build()
        self.record_served(wrapper, recorded, environment)
        sync = not inspect.iscoroutinefunction(environment)
        self.replay_served(wrapper, replayed, sync=sync)
        assert recorded.log == replayed.log
        assert recorded.log
        return list(replayed.log)

    def words(self) -> list[str]:
        """The kind of each entry, in order."""
        return [next(iter(entry)) for entry in read_tape(self.path)]
