"""The event loops that a session has hooked, and its clock."""

import asyncio
from asyncio.events import _get_running_loop
from collections.abc import Sequence
from typing import final

from vcr_gen.runtime.turns import Clock, Idle, LoopHook

__all__ = ["Loops"]


@final
class Loops:
    """Hooks each loop the session is used on, once, and lets go of all of them at the end."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._session: Idle | None = None
        self._hooks: dict[int, LoopHook] = {}
        self.unhooked = 0
        """How many loops could not be hooked: their turns are not exact."""

    def serve(self, session: Idle) -> None:
        """Say who reacts to idle loops."""
        self._session = session

    def begin(self) -> tuple[float, ...]:
        """A call begins while recording: hook its loop, if that is new, and tell its timers."""
        known = len(self._hooks)
        hook = self.hook()
        return hook.timers if hook is not None and len(self._hooks) > known else ()

    def hook(self, at: float | None = None, timers: Sequence[float] = ()) -> LoopHook | None:
        """The hook of the running loop; None where there is no loop, or none that can be hooked.

        A loop that is new begins at the recorded time, with the recorded timers, where given.
        """
        loop = _get_running_loop()
        if loop is None or self._session is None:
            return None
        hook = self._hooks.get(id(loop))
        if hook is None or hook.loop is not loop:
            if not LoopHook.fits(loop):
                self.unhooked += 1
                return None
            self.clock.advance(self.clock.real() if at is None else at)
            hook = LoopHook(loop, self.clock, self._session, timers)
            self._hooks[id(loop)] = hook
        return hook

    def now(self) -> float:
        """The session's time: the loop's where one runs, else the real one."""
        loop = _get_running_loop()
        if loop is not None and id(loop) in self._hooks:
            return self.clock.now
        return self.clock.real()

    def release(self) -> None:
        """Leave every loop as it was found, and hook no other."""
        self._session = None
        for hook in self._hooks.values():
            hook.remove()
        self._hooks.clear()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that runs in this thread, if any."""
    return _get_running_loop()
