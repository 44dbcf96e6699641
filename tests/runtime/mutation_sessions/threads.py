"""Sessions that work in pools, in threads and under a lock."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from sample.bridges import RealShell
from vcr_sample import VcrShell

from mutation_sessions.kinds import Outbound
from vcr_gen import DivergenceError, VcrError


def in_pool(*calls: str, workers: int = 2) -> Callable[[Any], Any]:
    """A job of a pool that makes these calls, and another beside it."""

    def step(shell: Any) -> Any:
        def job(keys: Sequence[str]) -> Any:
            return [shell.read(key) for key in keys]

        shell.tell(f"a pool for {calls[0]}")
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(job, [calls, ["beside", *calls[:1], "it"]]))

    return step


def in_threads(shell: Any) -> Any:
    seen: dict[str, list[Any]] = {}
    shell.tell("two threads")

    def work(name: str) -> None:
        with suppress(DivergenceError, VcrError):  # and the rest is not used
            seen[name] = [shell.read(f"{name} {number}") for number in range(2)]

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(seen.items())


def in_order(shell: Any) -> Any:
    """Jobs that come one after the other; the frozen tapes of this step have events of a lock."""
    seen: list[Any] = []
    shell.tell("a lock")

    def job(name: str) -> None:
        for _ in range(2):
            seen.append(shell.read(f"{name} {len(seen)}"))

    with ThreadPoolExecutor(1) as pool:
        list(pool.map(job, ["first", "second"]))
    return seen


THREADS = (
    Outbound(
        "threads",
        VcrShell,
        RealShell,
        (in_pool("a", "b", "c"), in_threads, in_pool("d", "e"), in_order),
    ),
)
