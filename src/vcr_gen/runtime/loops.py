"""The event loops that a session has hooked, and its clock."""

from asyncio.events import _get_running_loop
from collections.abc import Sequence
from typing import final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.jobs import JobGate
from vcr_gen.runtime.turns import Clock, Idle, LoopHook

__all__ = ["InexactReplayWarning", "Loops", "require_asyncio"]


class InexactReplayWarning(UserWarning):
    """A session ran where its interleaving cannot be recorded, or replayed, exactly."""


def require_asyncio() -> None:
    """Refuse an asynchronous call outside of asyncio: nothing could wait there for its turn."""
    if _get_running_loop() is None:
        raise UsageError(
            "asynchronous calls are recorded and replayed in an asyncio loop, and none runs\n\n"
            "hint: under trio, run the program on anyio's asyncio backend"
        )


@final
class Loops:
    """Hooks each loop the session is used on, once, and lets go of all of them at the end."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._session: Idle | None = None
        self._gate: JobGate | None = None
        self._hooks: dict[int, LoopHook] = {}
        self.unhooked: set[str] = set()
        """What kinds of loops could not be hooked: their turns are not exact."""

    def serve(self, session: Idle, gate: JobGate) -> None:
        """Say who reacts to idle loops, and who hands back the results of executor jobs."""
        self._session = session
        self._gate = gate

    def idle(self, timer: float | None) -> float | None:
        """A loop has nothing ready."""
        return timer if self._session is None else self._session.idle(timer)

    def busy(self) -> None:
        """A loop goes round."""
        if self._session is not None:
            self._session.busy()

    def woken(self, timer: float | None) -> None:
        """A loop goes on after it really waited."""
        if self._session is not None:
            self._session.woken(timer)

    def job_gate(self) -> JobGate:
        """Who hands the results of executor jobs back."""
        if self._gate is None:
            raise UsageError("the session is over")
        return self._gate

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
                self.unhooked.add(f"{type(loop).__module__}.{type(loop).__qualname__}")
                return None
            self.clock.advance(self.clock.real() if at is None else at)
            hook = LoopHook(loop, self.clock, self, timers)
            self._hooks[id(loop)] = hook
        return hook

    def now(self) -> float:
        """The session's time: that of its loops where there are any, else the real one.

        A thread beside a loop has the loop's time too: so it can be told which timers had fired.
        """
        return self.clock.now if self._hooks else self.clock.real()

    def release(self) -> None:
        """Leave every loop as it was found, and hook no other."""
        self._session = None
        for hook in self._hooks.values():
            hook.remove()
        self._hooks.clear()
