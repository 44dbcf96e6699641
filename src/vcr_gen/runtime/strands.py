"""Lines of execution, named by where they were spawned.

A strand is a task, a thread or an inbound call. Names such as `0.2` (the second child of the root)
are the same in every run of the same program, unlike ids and the names that libraries give.
"""

import asyncio
import threading
from asyncio.events import _get_running_loop
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import final

from vcr_gen.runtime.events import ROOT_STRAND

__all__ = ["Strand", "Strands"]


@final
class Strand:
    """One line of execution in a session."""

    __slots__ = ("_children", "name", "owner", "parent", "within")

    def __init__(
        self, name: str, *, owner: object, parent: "Strand | None", within: int | None
    ) -> None:
        self.name = name
        self.owner = owner
        self.parent = parent
        self.within = within
        """The inbound call or callback that this strand works for."""
        self._children = 0

    def child(self, owner: object) -> "Strand":
        """A new strand that was spawned by this one."""
        self._children += 1
        return Strand(f"{self.name}.{self._children}", owner=owner, parent=self, within=self.within)


@final
class Strands:
    """Tells which strand the running code belongs to, for one session."""

    def __init__(self) -> None:
        self._root = Strand(ROOT_STRAND, owner=_owner(), parent=None, within=None)
        # A session's variable lives as long as the contexts that saw it: a few bytes a session.
        self._current: ContextVar[Strand] = ContextVar("vcr_gen_strand")
        self._threads: dict[int, Strand] = {}
        self._lock = threading.Lock()

    def here(self) -> Strand:
        """The strand of the running code; a task or thread seen for the first time gets its own."""
        owner = _owner()
        strand = self._current.get(None)
        if strand is None:
            if owner is self._root.owner:
                return self._root
            strand = self._root
        elif strand.owner is owner:
            return strand
        with self._lock:
            strand = strand.child(owner)
        self._current.set(strand)
        return strand

    @contextmanager
    def inside(self, call: int) -> Iterator[None]:
        """Run the body as the strand of an inbound call or callback."""
        strand = Strand(f"@{call}", owner=_owner(), parent=self._root, within=call)
        token = self._current.set(strand)
        try:
            yield
        finally:
            self._current.reset(token)


def _owner() -> object:
    """The task that runs, else the thread."""
    loop = _get_running_loop()
    if loop is not None:
        task = asyncio.current_task(loop)
        if task is not None:
            return task
    return threading.current_thread()
