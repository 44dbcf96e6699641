"""Shares work out to the cores of the machine."""

import gc
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeAlias, TypeVar

__all__ = ["Advance", "Rounds", "processes", "rare_garbage_collection", "shares", "work_together"]

_Item = TypeVar("_Item")
_Share = TypeVar("_Share")
_News = TypeVar("_News")
_Result = TypeVar("_Result")

Advance: TypeAlias = Callable[[int], None]
"""Told how much more is done."""
Rounds: TypeAlias = Generator[_News, Sequence[_News], _Result]
"""Yields what it found out, and is sent what all found out in that round."""


_RARELY: Final = (100_000, 50, 100)


def processes(asked: int) -> int:
    """How many processes to use: as many as asked for; for 0, one per core that we may use."""
    if asked:
        return asked
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def shares(items: Sequence[_Item], jobs: int, *, worth: int) -> list[Sequence[_Item]]:
    """The items in one share per process, of at least `worth` items: a process costs too."""
    count = max(1, min(jobs, len(items) // worth))
    return [items[start::count] for start in range(count)]


def work_together(
    work: Callable[[_Share, Advance], Rounds[_News, _Result]],
    given: Sequence[_Share],
    *,
    advance: Advance,
) -> list[_Result]:
    """The result of each share; in one process each, or in this one if there is one share only.

    All do the same number of rounds. What one raises is raised here.
    """
    if len(given) > 1:
        from vcr_gen.gen.processes.team import work_in_processes  # most runs need no second process

        return work_in_processes(work, given, advance=advance)
    with rare_garbage_collection():
        return [_alone(work(share, advance)) for share in given]


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Look for garbage less often: the work makes millions of objects, few of them in circles.

    A tenth of the time of reading and rendering, and a third of black's, went into looking.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _alone(rounds: Rounds[_News, _Result]) -> _Result:
    try:
        news = next(rounds)
        while True:
            news = rounds.send([news])
    except StopIteration as end:
        result: _Result = end.value
        return result
