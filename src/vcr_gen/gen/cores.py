"""Spreads work over the cores of the machine; the one module that knows processes."""

import gc
import multiprocessing
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from multiprocessing.context import BaseContext
from typing import Any, TypeVar

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

    context = _context()
    if context.get_start_method() != "fork":
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            yield from pool.map(work, tasks)
        return
    # Forked processes have the tasks already: sending them costs as much as a tenth of the work.
    begin = partial(_inherit, work, tasks)
    with ProcessPoolExecutor(workers, mp_context=context, initializer=begin) as pool:
        yield from pool.map(_inherited_task, range(len(tasks)))


_inherited: list[tuple[Callable[[Any], Any], Sequence[Any]]] = []
"""In a forked process: its work and the tasks."""


def _inherit(work: Callable[[Any], Any], tasks: Sequence[Any]) -> None:
    gc.freeze()  # what the parent made is no garbage: looking through it would copy it
    _inherited.append((work, tasks))


def _inherited_task(number: int) -> Any:
    work, tasks = _inherited[-1]
    return work(tasks[number])


def _context() -> BaseContext:
    """Forked processes start at once with everything imported; where that is safe."""
    alone = threading.active_count() == 1  # a lock that another thread holds is never released
    if sys.platform == "linux" and alone:
        gc.collect()  # what is left is shared with the children until somebody touches it
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")
