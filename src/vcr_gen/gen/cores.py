"""Spreads work over the cores of the machine; the one module that knows processes."""

import gc
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.context import BaseContext
from typing import TypeVar

__all__ = ["shares", "spread"]

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def shares(items: Sequence[_Task], jobs: int, *, worth: int) -> list[Sequence[_Task]]:
    """The items in one share per process, of at least `worth` items: a process costs too."""
    count = max(1, min(jobs, len(items) // worth))
    return [items[start::count] for start in range(count)]


def spread(
    work: Callable[[_Task], _Result], tasks: Sequence[_Task], *, jobs: int
) -> Iterator[_Result]:
    """The results in the order of the tasks; one process does them all if only one is asked for."""
    workers = min(jobs, len(tasks))
    if workers < 2:
        yield from map(work, tasks)
        return
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(workers, mp_context=_context()) as pool:
        yield from pool.map(work, tasks)


def _context() -> BaseContext:
    """Forked processes start at once with everything imported; where that is safe."""
    alone = threading.active_count() == 1  # a lock that another thread holds is never released
    if sys.platform == "linux" and alone:
        gc.collect()  # what is left is shared with the children until somebody touches it
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")
