"""Ending the wait of any thread for another: with an exception, where Python can be made to.

No signal reaches a thread that is not the main one. But who waits for a queue, an event, a future
or a semaphore waits for a lock that its condition has made for this, and that can be opened here.
"""

import threading
from collections.abc import Iterable
from contextlib import suppress

from vcr_gen.errors import DivergenceError
from vcr_gen.runtime.strands.frames import frames_of_threads

__all__ = ["rouse"]

_WAIT = threading.Condition.wait.__code__


def rouse(
    threads: Iterable[threading.Thread], failure: DivergenceError, *, with_time_outs: bool
) -> None:
    """Raise the divergence in those that wait for a condition, and would do so for ever.

    Who waits with a time-out comes back by itself; but it may only look around and wait again.
    """
    frames = frames_of_threads()
    for thread in threads:
        frame = frames.get(thread.ident or 0)
        if frame is None or frame.f_code is not _WAIT:
            continue
        if frame.f_locals.get("timeout") is not None and not with_time_outs:
            continue
        waiter = frame.f_locals.get("waiter")
        if waiter is not None and waiter.locked() and _raise_in(thread, failure):
            with suppress(RuntimeError):  # it was told in this moment
                waiter.release()


def _raise_in(thread: threading.Thread, failure: DivergenceError) -> bool:
    """Have a thread raise an exception when it goes on; whether that can be done here."""
    try:
        import ctypes
    except ImportError:  # a Python without it
        return False
    kind = _without_arguments(failure)
    number = ctypes.c_ulong(thread.ident or 0)
    return bool(ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(kind)))


def _without_arguments(failure: DivergenceError) -> type[DivergenceError]:
    """The divergence as a class: Python makes the exception itself, in the other thread."""

    def make(self: DivergenceError) -> None:
        DivergenceError.__init__(self, failure.divergence, str(failure))

    parts = {"__init__": make, "__module__": DivergenceError.__module__}
    return type(DivergenceError.__name__, (DivergenceError,), parts)
