"""Ending a program that waits, after a divergence, for a thread which that has ended.

The divergence ends the thread that meets it. A program whose main thread waits for that one's
answer without a time-out would wait for ever, and nothing but a signal wakes it.
"""

import signal
import sys
import threading
from types import FrameType
from typing import Protocol

from vcr_gen.runtime.frames import frames_of_threads
from vcr_gen.runtime.waiting import BLOCKED_GRACE, OWN_THREAD, waits

__all__ = ["end_if_stuck"]


class Session(Protocol):
    """What may be over or not."""

    over: threading.Event
    """Set when the session is closed."""
    block: FrameType | None
    """The frame that turns an interrupt into the divergence, if there is one."""
    interrupted: bool
    """Whether the main thread was interrupted."""
    patience: float


def end_if_stuck(session: Session) -> None:
    """Interrupt the main thread when it waits inside the block, and the session does not end.

    Outside of it nobody would take the interrupt for the divergence, so it is left alone.
    """
    if sys.platform == "win32":
        return

    def watch() -> None:
        while not session.over.wait(session.patience):
            before = _waiting_in(session.block)
            if session.over.wait(BLOCKED_GRACE):
                return
            stuck = before is not None and before == _waiting_in(session.block)
            if stuck and _interruptible():
                session.interrupted = True
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=watch, name=f"{OWN_THREAD} ending", daemon=True).start()


def _interruptible() -> bool:
    """Whether an interrupt is an exception: a program may have a handler of its own."""
    return signal.getsignal(signal.SIGINT) is signal.default_int_handler


def _waiting_in(block: FrameType | None) -> tuple[int, int] | None:
    """Where the main thread waits, if it does and inside of the block."""
    top = frame = frames_of_threads().get(threading.main_thread().ident or 0)
    if block is None or top is None or not waits(top):
        return None
    while frame is not None and frame is not block:
        frame = frame.f_back
    return None if frame is None else (id(top), top.f_lasti)
