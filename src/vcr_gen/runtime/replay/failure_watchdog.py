"""Ending a program that goes on, or waits, after a divergence that has ended another thread of it.

The divergence ends the thread that meets it. Who waits for that one's answer without a time-out
would wait for ever; so would who catches whatever comes, and tries again.
"""

import threading
from collections.abc import Iterable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from types import FrameType
from typing import Final, Protocol, final

from vcr_gen.errors import DivergenceError
from vcr_gen.runtime.loops.backends import Loop, library_here
from vcr_gen.runtime.replay.interrupt_main import Alarm
from vcr_gen.runtime.replay.interrupt_threads import rouse
from vcr_gen.runtime.replay.waiters import OWN_THREAD, waits
from vcr_gen.runtime.strands.frames import (
    frame_of_thread,
    frames_from,
    is_neutral,
    is_ours,
    is_tool,
)

__all__ = ["FailureWatchdog"]

_LEAVES_ITS_STACK: Final = CO_ASYNC_GENERATOR | CO_COROUTINE | CO_GENERATOR
_LENDS: Final = CO_ASYNC_GENERATOR | CO_GENERATOR
_CASSETTE: Final = "vcr_gen.runtime.runs.cassette"
_SOON: Final = 0.05
"""Seconds after which who was met in code of ours is told if it is still there."""


class Session(Protocol):
    """What is to come to its end."""

    over: threading.Event
    """Set when the session is closed."""
    failure: DivergenceError | None
    patience: float

    def others(self) -> Iterable[threading.Thread]:
        """The threads of the program that are not at the tape."""


@final
class FailureWatchdog:
    """Sees to it that a session which has failed is closed soon."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._alarm = Alarm(self._answer)
        self._owner: threading.Thread | None = None
        self._block: FrameType | None = None
        self._loop: Loop | None = None
        self._alone = False
        self._thread: threading.Thread | None = None

    def within(self, block: FrameType, *, alone: bool) -> None:
        """The session is a block of this frame: only what that calls is part of it.

        `alone` says that threads which were started meanwhile are part of it, too.
        """
        if self._owner is None:
            self._alarm.set()
        self._owner, self._alone = threading.current_thread(), alone
        self._block = block
        library = library_here() if block.f_code.co_flags & _LEAVES_ITS_STACK else None
        self._loop = None if library is None else library.loop()

    def begin(self, *, at_once: bool) -> None:
        """The session has failed: if it is not over soon, have the program's threads raise that."""
        if self._owner is None or (self._is_lent and threading.current_thread() is self._owner):
            return
        first = _SOON if at_once else self._session.patience
        self._thread = threading.Thread(
            target=self._watch, args=(first,), name=f"{OWN_THREAD} ending", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """The session is over: nobody is interrupted any more, and no thread of it waits."""
        self._alarm.unset()
        if self._session.failure is not None and self._alone:
            self._rouse(daemons=False, with_time_outs=True)
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
                self._alarm.unset()  # it ended with the error, and the block never will
                return
            if again and self._is_lent and not self._alarm.is_put_off:
                return
            if self._owner_is_inside():
                self._alarm.ring()
                self._rouse(daemons=again)
                again = True
            wait = self._until_next()

    def _until_next(self) -> float:
        patience = self._session.patience
        return min(patience, _SOON) if self._alarm.is_put_off else patience

    @property
    def _is_lent(self) -> bool:
        """Whether a generator opened the session for others, such as a fixture.

        It may outlive whom it failed for: that one is told once, and what follows is let alone.
        """
        return self._block is not None and bool(self._block.f_code.co_flags & _LENDS)

    def _owner_is_inside(self) -> bool:
        frame = None
        if self._owner is not None:
            frame = frame_of_thread(self._owner)
        return frame is not None and self._is_inside(frame)

    def _rouse(self, *, daemons: bool, with_time_outs: bool = False) -> None:
        """End waits that the alarm cannot: of other threads, which would outlive the program."""
        assert self._session.failure is not None
        main = threading.main_thread() if self._alarm.is_set else None
        others = (one for one in self._session.others() if one is not main)
        stuck = (one for one in others if daemons or not one.daemon or one is self._owner)
        rouse(stuck, self._session.failure, with_time_outs=with_time_outs)

    def _answer(self, frame: FrameType) -> DivergenceError | None:
        """What the main thread is to raise there, if that is part of the session."""
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
