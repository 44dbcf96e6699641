"""A signal of our own that makes the main thread raise an exception, whatever it waits for.

An interrupt (`SIGINT`) would be mistaken for the user's, and often has a handler: `asyncio.run`
sets one. So each alarm takes a signal that nobody uses.

Where our own code runs it is put off: a lock of ours that was just taken would never be given back.
Only who is held up there, in a call into C, is told there.
"""

import _thread
import signal
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any, Final, final
from weakref import WeakMethod

from vcr_gen.runtime.strands.frames import frames_from, is_neutral, is_ours, is_tool

__all__ = ["Alarm"]

_NUMBERS: Final = (
    *range(getattr(signal, "SIGRTMAX", -1), getattr(signal, "SIGRTMIN", 0), -1),
    *(getattr(signal, name) for name in ("SIGUSR2", "SIGUSR1") if hasattr(signal, name)),
)
"""Signals that have no meaning of their own, the least used first."""

_OFTEN: Final = 100
"""Tries after which the next ones are made elsewhere."""

_TAKES_A_LOCK: Final = threading.Condition.__enter__.__code__

_pretend: Final[Any] = _thread.interrupt_main
"""Has Python call a handler when it looks for signals the next time. It takes every number."""


@final
class Alarm:
    """Rings in the main thread; `answer` gives what is raised where it rings, if anything."""

    def __init__(self, answer: Callable[[FrameType], BaseException | None]) -> None:
        self._answer = WeakMethod(answer)
        self._number = 0
        self._lock = threading.Lock()
        self._rang = False
        self._insists = False
        self._tries = 0
        """How often the program was told, or looked at for a place to tell it."""
        self._rings = 0
        self._put_off: tuple[FrameType, int, int] | None = None
        """Where our own code was met last: its frame, the instruction, and at which ring."""

    @property
    def is_set(self) -> bool:
        """Whether it can ring."""
        return self._number > 0 and self._answer() is not None

    @property
    def is_put_off(self) -> bool:
        """Whether it rang where our own code ran, and nothing has been raised yet."""
        return self._put_off is not None

    def set(self) -> None:
        """Take a signal; only the main thread can, and not every system has one."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(
            signal, "pthread_kill"
        ):
            return
        free = (number for number in _NUMBERS if _is_free(number))
        self._number = next(free, 0)
        if self._number:
            try:
                signal.signal(self._number, self._heard)
            except ValueError:  # another interpreter in this process has the signals
                self._number = 0

    def ring(self) -> None:
        """Let the main thread answer; one that has done so before is not asked but told."""
        with self._lock:
            if self._number:
                self._rings += 1
                if self._put_off is None:
                    self._rang = True
                    self._insists = self._tries > 0
                signal.pthread_kill(threading.main_thread().ident or 0, self._number)

    def unset(self) -> None:
        """Give the signal back; from another thread that is left to who takes it next."""
        with self._lock:
            number, self._number = self._number, 0
            self._put_off = None
        if not number or threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(number) == self._heard:
            signal.signal(number, signal.SIG_IGN)  # one that is on its way would end the process
            signal.signal(number, signal.SIG_DFL)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        answer = self._answer() if self._number else None
        error = None if answer is None or frame is None else answer(frame)
        if error is None or frame is None:
            self._rang, self._put_off = False, None
            return
        again = iter(partial(_pretend, number), None)
        held_up = self._is_held_up(frame)
        if _is_at_our_work(frame) and not held_up:
            self._put_off = (frame, frame.f_lasti, self._rings)
            for _ in again:  # after a call, Python would look for signals here already
                pass
            return
        rang, self._rang, self._put_off = self._rang, False, None
        # Who catches everything gets it again before it can go on. But Python's own library is let
        # clean up: it would leave a loop behind that seems to run. Only who caught it that often is
        # also tried there: Python 3.12 takes the end of an `except` for part of its `try`.
        elsewhere = self._tries // _OFTEN % 2 == 1
        fits = is_neutral(frame) == elsewhere and not is_tool(frame)
        raises = rang or held_up or (self._insists and fits)
        self._tries += raises or elsewhere
        if self._insists:
            for _ in again:
                pass
        if raises:
            raise error

    def _is_held_up(self, frame: FrameType) -> bool:
        """Whether it has not moved since the last ring: Python looks for signals at every step."""
        if self._put_off is None or frame.f_code is _TAKES_A_LOCK:
            return False
        before, instruction, ring = self._put_off
        return before is frame and instruction == frame.f_lasti and ring < self._rings


def _is_at_our_work(top: FrameType) -> bool:
    """Whether code of ours runs there, or Python's library for it."""
    worker = next((frame for frame in frames_from(top) if not is_neutral(frame)), None)
    return worker is not None and is_ours(worker)


def _is_free(number: int) -> bool:
    handler = signal.getsignal(number)
    owner = getattr(handler, "__self__", None)
    return handler is signal.SIG_DFL or (isinstance(owner, Alarm) and not owner.is_set)
