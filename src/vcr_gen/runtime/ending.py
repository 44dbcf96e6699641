"""Ending a program that waits, after a divergence, for a thread which that has ended.

The divergence ends the thread that meets it. A program whose main thread waits for that one's
answer without a time-out would wait for ever, and nothing but a signal wakes it.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

from vcr_gen.runtime.waiting import BLOCKED_GRACE, OWN_THREAD, waits

__all__ = ["end_if_stuck"]


def end_if_stuck(block: FrameType, is_over: Callable[[], bool], patience: float) -> None:
    """Interrupt the main thread when it waits inside a block, and the session is not over in time.

    The block is the frame whose `with` opened the cassette: that turns the interrupt into the
    divergence. Without one nobody would, so it is left alone.
    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return

    def watch() -> None:
        time.sleep(patience)
        while not is_over():
            before = _waiting_in(block)
            time.sleep(BLOCKED_GRACE)
            if before is not None and before == _waiting_in(block) and not is_over():
                signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
                return

    threading.Thread(target=watch, name=f"{OWN_THREAD} ending", daemon=True).start()


def _waiting_in(block: FrameType) -> tuple[int, int] | None:
    """Where the main thread waits, if it does and inside of the block."""
    top = frame = sys._current_frames().get(threading.main_thread().ident or 0)
    if top is None or not waits(top):
        return None
    while frame is not None and frame is not block:
        frame = frame.f_back
    return None if frame is None else (id(top), top.f_lasti)
