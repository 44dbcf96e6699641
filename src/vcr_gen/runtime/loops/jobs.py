"""Executor jobs: a loop hands work to a thread, and receives the result at the recorded moment.

A job is not a boundary, so a replay does not assert it: a program may submit more or fewer jobs
than in the recording. But what happens next depends on when the result comes back. So the tape has
that moment, like the end of a call.
"""

import asyncio
import sys
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol, final

from vcr_gen.runtime.context_blocks import setting
from vcr_gen.runtime.loops.backends import in_environment

if TYPE_CHECKING:
    from vcr_gen.runtime.strands.strands import Strand, Strands


class JobGate(Protocol):
    """The decisions of a session about jobs."""

    strands: "Strands"

    def job_begins(self) -> int:
        """Note that a job is submitted; returns its number, or 0 if it is not on the tape."""

    def job_may_run(self, job: int) -> bool:
        """Whether it runs; a job that was cancelled before it ran does not run in a replay."""

    def job_may_be_dropped(self, job: int) -> bool:
        """Whether to skip a job that the application cancelled before it ran."""

    def job_is_over(
        self, job: int, wanted: Callable[[], bool], hand_back: Callable[[], None]
    ) -> None:
        """Deliver the result of a finished job at its turn, if the program still wants it."""


def run_job(
    gate: JobGate,
    submit: Callable[..., "asyncio.Future[Any]"],
    executor: Any,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    *,
    shares: bool,
) -> "asyncio.Future[Any]":
    """Hand a job to its executor; the future that comes back is done in the job's turn.

    If the loop `shares` its turns with another session, `submit` hands the job to that one.
    """
    if in_environment.get():
        return submit(executor, function, *arguments)
    parent = gate.strands.here()
    number = gate.job_begins()
    strand = gate.strands.spawn(parent, job=number)
    job = _Job(gate, number, strand, partial(function, *arguments))
    # A job in another process makes no calls of this session, and cannot take the session along.
    work_of = partial(function, *arguments) if _is_process_pool(executor) else job.run
    if not number:
        return gate.strands.aside(strand, submit(executor, work_of))
    outer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    outer.add_done_callback(job.outer_is_done)
    if not gate.job_may_run(number):
        gate.strands.done(strand)
        return outer
    with setting(in_environment, not shares):  # the loop's own callbacks are no program's steps
        work = submit(executor, work_of)

    def wanted() -> bool:
        return not outer.done()

    def hand_back() -> None:
        if wanted():
            _copy(work, outer)

    def over(_: object) -> None:
        gate.strands.done(strand)
        gate.job_is_over(number, wanted, hand_back)

    with setting(in_environment, True):
        work.add_done_callback(over)
    return outer


@final
class _Job:
    """One job on its way through an executor."""

    def __init__(
        self, gate: JobGate, number: int, strand: "Strand", function: Callable[[], Any]
    ) -> None:
        self._gate = gate
        self._number = number
        self._strand = strand
        self._function = function
        self._lock = Lock()
        self._begun = False
        self._dropped = False

    def run(self) -> Any:
        """Do the work, in a thread of the executor."""
        with self._lock:
            self._begun = True
            if self._dropped:
                return None
        with setting(in_environment, False), self._gate.strands.running(self._strand):
            return self._function()

    def outer_is_done(self, outer: "asyncio.Future[Any]") -> None:
        """Skip a job that was cancelled before it began."""
        if not outer.cancelled():
            return
        with self._lock:
            if not self._begun and self._gate.job_may_be_dropped(self._number):
                self._dropped = True
                self._gate.strands.done(self._strand)


def _is_process_pool(executor: object) -> bool:
    processes = sys.modules.get("concurrent.futures.process")
    return processes is not None and isinstance(executor, processes.ProcessPoolExecutor)


def _copy(work: "asyncio.Future[Any]", outer: "asyncio.Future[Any]") -> None:
    error = work.exception()
    if error is not None:
        outer.set_exception(error)
    else:
        outer.set_result(work.result())
