"""Threads that call the application in a replay, in the place of the environment's own."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TypeAlias, final

__all__ = ["EnvironmentThreads"]

Work: TypeAlias = Callable[[], None]

_MOST = 32
"""How many of them are kept for more; a pool of the environment's is a strand for each job."""

_SECONDS_TO_END = 1.0
"""How long one of them is waited for that is still in the application when all is over."""


@final
class _Caller:
    """One thread, which does what it is given until there is no more."""

    def __init__(self, name: str) -> None:
        self._work: SimpleQueue[Work | None] = SimpleQueue()
        self.given = self.begun = 0
        self.thread = threading.Thread(target=self._run, name=name, daemon=True)
        self.thread.start()

    def give(self, work: Work | None) -> None:
        self.given += 1
        self._work.put(work)

    def _run(self) -> None:
        while (work := self._next()) is not None:
            self.begun += 1
            work()

    def _next(self) -> Work | None:
        """Wait for something to do; a thread that stands here is known to be idle."""
        return self._work.get()


@final
class EnvironmentThreads:
    """One thread for each strand of the environment.

    What came from one thread comes from one thread: the application may keep something for it, as
    `threading.local` and `sqlite3` do.
    """

    def __init__(self) -> None:
        self._callers: dict[str, _Caller] = {}

    def run(self, strand: str, work: Work) -> None:
        """Do something in the thread that stands for a strand."""
        caller = self._callers.pop(strand, None) or _Caller(f"environment {strand}")
        self._callers[strand] = caller  # the last used is the last to go
        caller.give(work)
        while len(self._callers) > _MOST:
            self._callers.pop(next(iter(self._callers))).give(None)

    @property
    def begin_soon(self) -> bool:
        """Whether one of them has something to do, and has not begun."""
        return any(caller.given > caller.begun for caller in self._callers.values())

    def close(self) -> None:
        """End them all; one that is held up in the application is not waited for any longer."""
        here = threading.current_thread()
        for caller in self._callers.values():
            caller.give(None)
        for caller in self._callers.values():
            if caller.thread is not here:
                caller.thread.join(_SECONDS_TO_END)
        self._callers.clear()
