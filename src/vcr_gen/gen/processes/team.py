"""Lets several processes work in rounds; the one module that knows processes."""

import gc
import multiprocessing
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from vcr_gen.errors import VcrError
from vcr_gen.gen.processes.cores import Advance, Rounds, rare_garbage_collection

if TYPE_CHECKING:
    from multiprocessing.context import ForkContext, SpawnContext

    _Context: TypeAlias = ForkContext | SpawnContext

__all__ = ["work_in_processes"]

_Share = TypeVar("_Share")
_News = TypeVar("_News")
_Result = TypeVar("_Result")

_TOLD: Final = 0.05
"""Seconds between two messages of how far a process is; no bar is drawn more often."""


@dataclass(frozen=True, slots=True)
class _Member:
    """A process at work, and our end of the pipe to it."""

    process: BaseProcess
    ours: Connection


@dataclass(frozen=True, slots=True)
class _Said:
    """What a process said in a round."""

    news: Any
    over: bool = False
    """Whether this is its result."""


def work_in_processes(
    work: Callable[[_Share, Advance], Rounds[_News, _Result]],
    given: Sequence[_Share],
    *,
    advance: Advance,
) -> list[_Result]:
    """The result of each share, every one in a process of its own."""
    members: list[_Member] = []
    try:
        context = _context()
        for share in given:
            members.append(_start(context, work, share, members))
        while True:
            said = _hear(members, advance)
            news = [one.news for one in said]
            if all(one.over for one in said):
                return news
            for member in members:
                with _still_there():
                    _send(member.ours, news)
    except BaseException:
        for member in members:
            member.process.terminate()
        raise
    finally:
        for member in members:
            member.ours.close()
            member.process.join()


@contextmanager
def _still_there() -> Iterator[None]:
    """For talking to a process that may be gone."""
    try:
        yield
    except (EOFError, BrokenPipeError, ConnectionResetError):
        raise VcrError(
            "vcr-gen: a process ended before its work was done; was it killed?\n"
            "  hint: `-j 1` does everything in one process"
        ) from None


def _send(connection: Connection, message: object) -> None:
    """Send without `Connection.send`: when a pipe breaks under it, it leaves a buffer behind.

    Python cannot collect that without a complaint.
    """
    connection.send_bytes(pickle.dumps(message))


def _receive(connection: Connection) -> Any:
    return pickle.loads(connection.recv_bytes())


def _start(
    context: "_Context", work: Callable[..., Any], share: object, others: Sequence[_Member]
) -> _Member:
    ours, theirs = context.Pipe()
    # A forked process has our ends of all pipes so far, and must let go of them: a pipe ends when
    # its last holder is gone, and nobody may wait for ever when somebody was killed.
    forked = context.get_start_method() == "fork"
    inherited = [*(one.ours for one in others), ours] if forked else []
    process = context.Process(target=_take_part, args=(theirs, inherited, work, share), daemon=True)
    with _deaf_to_ctrl_c():
        process.start()
    theirs.close()
    return _Member(process, ours)


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """What is started here never hears Ctrl-C, not even before it can say that it will not.

    It is for the parent to say something when all are interrupted.
    """
    set_mask = getattr(signal, "pthread_sigmask", None)  # not on every system
    if set_mask is None:
        yield
        return
    before = set_mask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        set_mask(signal.SIG_SETMASK, before)


def _take_part(
    theirs: Connection, inherited: Sequence[Connection], work: Callable[..., Any], share: object
) -> None:
    """What a process does with its share, from its first round to its last."""
    for connection in inherited:
        connection.close()
    gc.freeze()  # what the parent made is no garbage: looking through it would copy it
    with rare_garbage_collection(), suppress(KeyboardInterrupt, BrokenPipeError):
        try:
            teller = _Teller(theirs)
            rounds = work(share, teller.advance)
            news = next(rounds)
            while True:
                teller.say(_Said(news))
                news = rounds.send(_receive(theirs))
        except StopIteration as end:
            teller.say(_Said(end.value, over=True))
        except Exception as error:
            _send(theirs, _portable(error))


@dataclass
class _Teller:
    """Tells the parent how far it is, now and then: waking it up costs too."""

    theirs: Connection
    untold: int = 0
    told: float = 0.0

    def advance(self, count: int) -> None:
        """Some more is done."""
        self.untold += count
        if time.monotonic() - self.told > _TOLD:
            self.told = time.monotonic()
            self._flush()

    def say(self, said: _Said) -> None:
        """A round is done."""
        self._flush()
        _send(self.theirs, said)

    def _flush(self) -> None:
        _send(self.theirs, self.untold)
        self.untold = 0


def _portable(error: Exception) -> Exception:
    """The exception, or its words where it would not survive the way to another process."""
    error.add_note("".join(traceback.format_exception(error)))
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _hear(members: Sequence[_Member], advance: Advance) -> list[_Said]:
    """What each process says in one round."""
    said: dict[int, _Said] = {}
    while waiting := {number: one.ours for number, one in enumerate(members) if number not in said}:
        ready = wait(list(waiting.values()))
        for number, connection in waiting.items():
            if connection not in ready:
                continue
            with _still_there():
                message = _receive(connection)
            if isinstance(message, int):
                advance(message)
            elif isinstance(message, _Said):
                said[number] = message
            else:
                raise message
    return [said[number] for number in range(len(members))]


def _context() -> "_Context":
    """Forked processes start at once with everything imported; where that is safe."""
    alone = threading.active_count() == 1  # a lock that another thread holds is never released
    if sys.platform == "linux" and alone:
        gc.collect()  # what is left is shared with the children until somebody touches it
        return multiprocessing.get_context("fork")
    return multiprocessing.get_context("spawn")
