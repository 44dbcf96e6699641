"""Lines of execution, named by where they were spawned.

A strand is a task, a thread, a job of a pool or an inbound call. Names such as `0.2` (the second
child of the root) are the same in every run of the same program, unlike ids and the names that
libraries give.
"""

import threading
from collections.abc import Callable, Collection, Generator
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeVar, final

from vcr_gen.runtime.context_blocks import block, setting
from vcr_gen.runtime.loops.backends import in_environment, in_inbound_call, library_here
from vcr_gen.runtime.strands.labels import Work, label_of, threads_made, work_here
from vcr_gen.runtime.tape.events import ROOT_STRAND

if TYPE_CHECKING:
    import asyncio

_T = TypeVar("_T")


@final
class Strand:
    """One line of execution in a session."""

    __slots__ = (
        "__weakref__",
        "_children",
        "begun",
        "job_number",
        "label",
        "name",
        "owner",
        "parent",
        "threaded",
        "within",
        "work",
    )

    def __init__(
        self, name: str, *, owner: object, parent: "Strand | None", within: int | None
    ) -> None:
        self.name = name
        self.owner = owner
        self.parent = parent
        self.within = within
        """The inbound call or callback that this strand works for."""
        self.job_number = 0
        """The number of the executor job that this strand is, if it is one."""
        self.work: Work | None = None
        """The job of a thread pool that this strand is, if it is one."""
        self.threaded = False
        """Whether it is a thread or the job of one."""
        self.begun = False
        """Whether it has made a call."""
        self.label = ""
        """Identifies a thread or the job of a pool: the same in every run."""
        self._children = 0

    def begin(self) -> str:
        """Note that the strand makes a call; returns its label if the call is its first."""
        first, self.begun = not self.begun, True
        return self.label if first else ""

    @property
    def is_over(self) -> bool:
        """Whether its task, thread or job has ended."""
        if self.work is not None:
            return self.work.is_over
        if isinstance(self.owner, threading.Thread):
            return not self.owner.is_alive()
        done = getattr(self.owner, "done", None)  # of a task of asyncio
        if done is not None:
            return bool(done())
        coroutine = getattr(self.owner, "coro", None)  # of a task of trio
        return coroutine is not None and coroutine.cr_frame is None

    def child(self, owner: object) -> "Strand":
        """A new strand, spawned by this one."""
        self._children += 1
        return Strand(f"{self.name}.{self._children}", owner=owner, parent=self, within=self.within)

    def job(self, number: int) -> "Strand":
        """The strand of an executor job that this one submits."""
        strand = Strand(f"@{number}", owner=None, parent=self, within=self.within)
        strand.job_number = number
        return strand


@final
class Strands:
    """Finds the strand of the running code, for one session."""

    def __init__(self) -> None:
        self._root = Strand(ROOT_STRAND, owner=_owner(), parent=None, within=None)
        # A context variable, because a task inherits the strand that spawned it: nothing else in
        # Python records that. It lives as long as the contexts that saw it: a few bytes a session.
        self._current: ContextVar[Strand] = ContextVar("vcr_gen_strand")
        self._threads_before = threads_made()
        self._jobs: dict[int, Strand] = {}
        self._spawned: set[Strand] = set()
        self._returning: set[Strand] = set()
        self._aside: set[Strand] = set()
        self._lock = threading.Lock()

    def here(self) -> Strand:
        """The strand of the running code; a task or thread seen for the first time gets its own."""
        owner = _owner()
        strand = self._current.get(None)
        if strand is None:
            strand = self._root
        thread = owner if isinstance(owner, threading.Thread) else None
        known: Work | None = None
        if strand.owner is owner:
            if thread is None or not strand.threaded or strand.parent is None:
                return strand
            known = strand.work
        else:
            # A job runs in the context of the code that submitted it, or in none: ask its thread.
            job = self._jobs.get(threading.get_ident())
            if job is not None and job.owner is owner:
                return job
        work = None if thread is None else work_here(thread, known)
        if strand.owner is owner:
            if work is known or strand.parent is None:
                return strand
            strand = strand.parent  # its thread has gone on to another job
        with self._lock:
            strand = strand.child(owner)
        strand.work = work
        if thread is not None:
            strand.threaded = True
            strand.label = label_of(thread, self._threads_before) if work is None else work.label
        self._current.set(strand)
        return strand

    def spawn(self, parent: Strand, job: int) -> Strand:
        """The strand of an executor job, named by the job's number where the tape has it."""
        with self._lock:
            strand = parent.job(job) if job else parent.child(None)
            self._spawned.add(strand)
            return strand

    def done(self, strand: Strand) -> None:
        """Note that an executor job has ended, and that its loop has the result."""
        self._spawned.discard(strand)
        self._returning.discard(strand)

    def expect_no_more(self) -> None:
        """Expect no more results: no loop runs that could get them."""
        self._returning.clear()

    def aside(self, strand: Strand, work: "asyncio.Future[_T]") -> "asyncio.Future[_T]":
        """Remember a job that is not on the tape until the loop has its result."""
        self._aside.add(strand)
        work.add_done_callback(lambda _: self._aside.discard(strand))
        return work

    def works_aside(self, waiting: Callable[[], Collection[threading.Thread]]) -> bool:
        """Whether a job that is not on the tape runs outside of these threads."""
        if not self._aside:
            return False
        threads = waiting()
        return any(strand.owner not in threads for strand in self._aside)

    def jobs_besides(self, threads: Collection[threading.Thread]) -> bool:
        """Whether an executor job is under way in a thread other than these."""
        known = sum(1 for thread in threads if thread.ident in self._jobs)
        return len(self._spawned) > known or bool(self._returning)

    @block
    def running(self, strand: Strand) -> Generator[None, None, None]:
        """Run the body in this thread as a spawned strand."""
        strand.owner = threading.current_thread()
        self._jobs[threading.get_ident()] = strand
        try:
            yield
        finally:
            if strand.job_number:
                self._returning.add(strand)  # under way until the loop has the result
            del self._jobs[threading.get_ident()]
            self._spawned.discard(strand)

    @block
    def inside(self, call: int) -> Generator[None, None, None]:
        """Run the body as the strand of an inbound call or callback."""
        strand = Strand(f"@{call}", owner=_owner(), parent=self._root, within=call)
        with (
            setting(self._current, strand),
            setting(in_environment, False),
            setting(in_inbound_call, True),
        ):
            yield


def _owner() -> object:
    """The running task, or else the running thread."""
    library = library_here()
    task = None if library is None else library.task()
    return threading.current_thread() if task is None else task
