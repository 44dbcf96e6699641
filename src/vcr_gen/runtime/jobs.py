"""Executor jobs: work that a loop hands to a thread, and whose result comes back in its turn.

A job is not a boundary, so nothing of it is asserted: a program may hand out more or fewer of them
than it did. But when its result comes back decides what happens next, so that moment is on the tape
like a call's end.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from vcr_gen.runtime.strands import Strand, Strands, in_environment

__all__ = ["JOB", "JobGate", "run_job"]

JOB = "executor.job"
"""What the tape calls a job."""


class JobGate(Protocol):
    """The session's part in a job."""

    strands: Strands

    def job_begins(self) -> int:
        """A job is handed out; returns its number, or 0 where the tape knows nothing of it."""

    def job_is_over(self, job: int, wanted: Callable[[], bool], hand_back: "HandBack") -> None:
        """A job has come to its end: let its result enter in its turn, if it is still wanted."""


HandBack = Callable[[], None]


def run_job(
    gate: JobGate,
    submit: Callable[..., "asyncio.Future[Any]"],
    executor: Any,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> "asyncio.Future[Any]":
    """Hand a job to its executor; the future that comes back is done in the job's turn."""
    if in_environment.get():
        return submit(executor, function, *arguments)
    strand = gate.strands.spawn(gate.strands.here())
    job = gate.job_begins()
    work = submit(executor, _as_strand(gate.strands, strand, function), *arguments)
    if not job:
        return work
    outer: asyncio.Future[Any] = work.get_loop().create_future()

    def wanted() -> bool:
        return not outer.done()

    def hand_back() -> None:
        if wanted():
            _copy(work, outer)

    work.add_done_callback(lambda _: gate.job_is_over(job, wanted, hand_back))
    outer.add_done_callback(lambda _: work.cancel())
    return outer


def _copy(work: "asyncio.Future[Any]", outer: "asyncio.Future[Any]") -> None:
    if work.cancelled():
        outer.cancel()
        return
    error = work.exception()
    if error is not None:
        outer.set_exception(error)
    else:
        outer.set_result(work.result())


def _as_strand(
    strands: Strands, strand: Strand, function: Callable[..., Any]
) -> Callable[..., Any]:
    def job(*arguments: Any) -> Any:
        with strands.running(strand):
            return function(*arguments)

    return job
