"""Ends a program that continues, or waits, after a divergence has ended another part of it.

The divergence ends the thread or task that causes it, and all that wait for the tape. A
program that waits for one of those without a timeout would wait forever. So a thread of the
session's own looks after `patience` seconds. If the session is not over by then, it prints what
every thread does and interrupts the main thread with a signal that makes it raise the divergence.

Other threads cannot be interrupted: the printed stacks name them.
"""

import _thread
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, final
from weakref import WeakMethod

from vcr_gen.errors import DivergenceError
from vcr_gen.runtime.loops.backends import Loop, library_here
from vcr_gen.runtime.replay.liveness import OWN_THREAD, waits
from vcr_gen.runtime.replay.waiting import INTERRUPT_AGAIN
from vcr_gen.runtime.strands.stack_frames import (
    frame_of_thread,
    frames_from,
    frames_of_threads,
    is_neutral,
    is_ours,
    is_tool,
)

if TYPE_CHECKING:
    from vcr_gen.runtime.replay.replay_state import ReplayState

_LEAVES_ITS_STACK: Final = CO_ASYNC_GENERATOR | CO_COROUTINE | CO_GENERATOR
_LENDS: Final = CO_ASYNC_GENERATOR | CO_GENERATOR
_CASSETTE: Final = "vcr_gen.runtime.runs.cassette"

_SIGNALS: Final = (
    *range(getattr(signal, "SIGRTMAX", -1), getattr(signal, "SIGRTMIN", 0), -1),
    *(getattr(signal, name) for name in ("SIGUSR2", "SIGUSR1") if hasattr(signal, name)),
)
"""Signals without a fixed meaning, the least used first. `SIGINT` is the user's."""

_SWALLOWED: Final = 100
"""How often a program may catch the error at its own steps before it also gets it elsewhere."""

_call_handler: Final[Any] = _thread.interrupt_main
"""Makes Python call the handler of a signal at its next step. It takes every number."""


@final
class Watchdog:
    """Makes sure that a session which has failed is closed soon."""

    def __init__(self, session: "ReplayState") -> None:
        self._session = session
        self._interrupt = Interrupt(self._error_at, session.patience)
        self._owner: threading.Thread | None = None
        self._block: FrameType | None = None
        self._loop: Loop | None = None
        self._thread: threading.Thread | None = None

    def within(self, block: FrameType) -> None:
        """Note that the session is a block of this frame: only what it calls is part of it."""
        if self._owner is None:
            self._interrupt.set()
        self._owner = threading.current_thread()
        self._block = block
        library = library_here() if block.f_code.co_flags & _LEAVES_ITS_STACK else None
        self._loop = None if library is None else library.loop()

    def begin(self, *, at_once: bool) -> None:
        """The session has failed: if it is not over soon, interrupt the program."""
        if self._owner is None or (self._is_lent and threading.current_thread() is self._owner):
            return
        first = INTERRUPT_AGAIN if at_once else self._session.patience
        self._thread = threading.Thread(
            target=self._watch, args=(first,), name=f"{OWN_THREAD} watchdog", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """The session is over: nothing is interrupted any more."""
        self._interrupt.unset()
        self._block = None

    def join(self) -> None:
        """Wait until the watchdog's thread has ended.

        It ends as soon as the session is over. The caller holds no lock of the session: the thread
        may be about to take it.
        """
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _watch(self, first: float) -> None:
        again, wait = False, first
        while not self._session.over.wait(wait):
            if self._loop is not None and self._loop.is_closed():
                self._interrupt.unset()  # it ended with the error, and the block never will
                return
            if again and self._is_lent and not self._interrupt.is_put_off:
                return
            if self._owner_is_inside():
                if not again:
                    self._print_stacks()
                self._interrupt.send()
                again = True
            patience = self._session.patience
            wait = min(patience, INTERRUPT_AGAIN) if self._interrupt.is_put_off else patience

    @property
    def _is_lent(self) -> bool:
        """Whether a generator opened the session for others, such as a fixture.

        The session may outlive the test that failed. That test is interrupted once, and later
        tests are left alone.
        """
        return self._block is not None and bool(self._block.f_code.co_flags & _LENDS)

    def _owner_is_inside(self) -> bool:
        frame = None if self._owner is None else frame_of_thread(self._owner)
        return frame is not None and self._is_inside(frame)

    def _error_at(self, frame: FrameType) -> DivergenceError | None:
        """The exception for the main thread in a frame, if the frame is part of the session."""
        if self._session.over.is_set():
            return None
        return self._session.failure if self._is_inside(frame) else None

    def _is_inside(self, top: FrameType) -> bool:
        """Whether the program runs there: no tool at its own work, and no close of the session."""
        block = self._block
        if block is None or (self._loop is not None and not self._loop.is_running()):
            return False
        suspends = bool(block.f_code.co_flags & _LEAVES_ITS_STACK)
        foreign = False
        for frame in frames_from(top):
            if frame.f_globals.get("__name__") == _CASSETTE:
                return False
            if not (foreign or is_neutral(frame) or is_ours(frame)):
                foreign = True
                if is_tool(frame) and (suspends or not waits(top)):
                    return False
                if suspends:
                    return True
            if frame is block:
                return True
        return suspends and not foreign  # all of it was made on the fly

    def _print_stacks(self) -> None:
        """Print what the program does although it should have ended."""
        with suppress(Exception):  # a program may have closed its stderr, or a tape be broken
            print("\n".join(self._report()), file=sys.stderr, flush=True)

    def _report(self) -> Iterator[str]:
        yield "vcr-gen: the replay has failed, and the program has not ended:"
        yield f"  {str(self._session.failure).partition(chr(10))[0]}"
        yield from (f"  {row}" for row in self._session.waiting())
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        for number, frame in frames_of_threads().items():
            yield f"thread {names.get(number, number)}:"
            yield "".join(traceback.format_stack(frame)).rstrip()


@final
class Interrupt:
    """A signal of our own that makes the main thread raise what `error_at` gives for its frame.

    Where code of ours runs it is put off: a lock of ours that was just taken would never be given
    back. Only after `limit` seconds the main thread is taken to be stuck there.
    """

    def __init__(self, error_at: Callable[[FrameType], BaseException | None], limit: float) -> None:
        self._error_at = WeakMethod(error_at)
        self._limit = limit
        self._number = 0
        self._lock = threading.Lock()
        self._was_sent = False
        self._raised = 0
        self._put_off_at: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether it can be sent."""
        return self._number > 0 and self._error_at() is not None

    @property
    def is_put_off(self) -> bool:
        """Whether it found the runtime at work, and nothing has been raised yet."""
        return self._put_off_at is not None

    def set(self) -> None:
        """Take a signal; only the main thread can, and not every system has one."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(
            signal, "pthread_kill"
        ):
            return
        self._number = next((number for number in _SIGNALS if _is_free(number)), 0)
        if self._number:
            try:
                signal.signal(self._number, self._handle)
            except ValueError:  # another interpreter in this process has the signals
                self._number = 0

    def send(self) -> None:
        """Interrupt the main thread."""
        with self._lock:
            if self._number:
                self._was_sent = True
                signal.pthread_kill(threading.main_thread().ident or 0, self._number)

    def unset(self) -> None:
        """Give the signal back; in another thread, that is left to the next one that takes it."""
        with self._lock:
            number, self._number = self._number, 0
            self._put_off_at = None
        if not number or threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(number) == self._handle:
            signal.signal(number, signal.SIG_IGN)  # one that is on its way would end the process
            signal.signal(number, signal.SIG_DFL)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        error_at = self._error_at() if self._number else None
        error = None if error_at is None or frame is None else error_at(frame)
        if error is None or frame is None:
            self._was_sent, self._put_off_at = False, None
            return
        if _is_at_our_work(frame) and not self._is_stuck():
            self._call_again(number)
            return
        was_sent, self._was_sent, self._put_off_at = self._was_sent, False, None
        insists = self._raised > 0
        if insists:
            # The program has caught the error before: the error is raised again at each step of
            # the program, so that it cannot continue. Python's library may clean up meanwhile. On
            # Python 3.12 the end of an `except` is part of its `try`, so that is not enough.
            self._call_again(number)
            elsewhere = self._raised // _SWALLOWED % 2 == 1
            fits = is_neutral(frame) == elsewhere and not is_tool(frame)
            self._raised += elsewhere and not fits
            if not was_sent and not fits:
                return
        self._raised += 1
        raise error

    def _call_again(self, number: int) -> None:
        """Schedule the handler for the next step; a plain call would run it inside the handler."""
        for _ in iter(partial(_call_handler, number), None):
            pass

    def _is_stuck(self) -> bool:
        """Whether it has been put off for too long; from now on it is, if it was not."""
        if self._put_off_at is None:
            self._put_off_at = time.monotonic()
        return time.monotonic() - self._put_off_at > self._limit


def _is_at_our_work(top: FrameType) -> bool:
    """Whether the runtime, or the standard library on its behalf, runs there."""
    worker = next((frame for frame in frames_from(top) if not is_neutral(frame)), None)
    return worker is not None and is_ours(worker)


def _is_free(number: int) -> bool:
    handler = signal.getsignal(number)
    owner = getattr(handler, "__self__", None)
    return handler is signal.SIG_DFL or (isinstance(owner, Interrupt) and not owner.is_set)
