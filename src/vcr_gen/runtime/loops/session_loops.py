"""The event loops that a session has hooked, and its clock."""

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.loops.backends import library_here, running_loop
from vcr_gen.runtime.loops.turns import Clock, Idle

if TYPE_CHECKING:
    from vcr_gen.runtime.loops.hook import Hook
    from vcr_gen.runtime.loops.jobs import JobGate

__all__ = ["InexactReplayWarning", "Loops"]


class InexactReplayWarning(UserWarning):
    """A part of a session cannot be recorded or replayed exactly."""


@final
class Loops:
    """Hooks each loop the session is used on, once, and lets go of all of them at the end."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._session: Idle | None = None
        self._gate: JobGate | None = None
        self._hooks: dict[int, Hook] = {}
        self.shares_one = False
        """Whether another session took turns with one of them already."""

    def serve(self, session: Idle, gate: "JobGate") -> None:
        """Set what reacts to idle loops, and what hands back the results of executor jobs."""
        self._session = session
        self._gate = gate

    def idle(self, timer: float | None, *, hears: bool, lag: float = 0.0) -> float | None:
        """A loop has nothing ready."""
        return timer if self._session is None else self._session.idle(timer, hears=hears, lag=lag)

    @property
    def lag(self) -> float:
        """How far the clock is behind the real one."""
        return 0.0 if self._session is None else self._session.lag

    @property
    def one_by_one(self) -> bool:
        """Whether input is taken in only when a loop is idle, and one at a time."""
        return self._session is not None and self._session.one_by_one

    def busy(self, timer: float | None = None) -> bool:
        """A loop goes round; whether it looks for input."""
        return self._session is None or self._session.busy(timer)

    def clock_is_read(self, before: float = inf) -> None:
        """The program reads the clock of a loop."""
        if self._session is not None:
            self._session.clock_is_read(before)

    def woken(self, timer: float | None) -> None:
        """A loop goes on after it really waited."""
        if self._session is not None:
            self._session.woken(timer)

    def told_by_thread(self) -> None:
        """Another thread made a loop go on."""
        if self._session is not None:
            self._session.told_by_thread()

    def job_gate(self) -> "JobGate":
        """Hands back the results of executor jobs."""
        if self._gate is None:
            raise UsageError("the session is over")
        return self._gate

    def begin(self) -> tuple[float, ...]:
        """Hook the loop of a recorded call, if it is new; returns the timers it already had."""
        known = len(self._hooks)
        hook = self.hook()
        return hook.timers if hook is not None and len(self._hooks) > known else ()

    def hook(self, at: float | None = None, timers: Sequence[float] = ()) -> "Hook | None":
        """The hook of the running loop; None where there is no loop.

        A loop that is new begins at the recorded time, with the recorded timers, where given.
        """
        loop: Any = running_loop()
        known = self._hooks.get(id(loop))
        if known is not None and known.loop is loop:
            return known
        library = library_here()
        if library is None or self._session is None:
            return None
        loop = library.loop()
        hook = self._hooks.get(id(loop))
        if hook is None or hook.loop is not loop:
            self.clock.advance(self.clock.real() if at is None else at)
            hook = self._hooks[id(loop)] = self._make_hook(loop, timers)
            self.shares_one = self.shares_one or hook.shares
        return hook

    def _make_hook(self, loop: Any, timers: Sequence[float]) -> "Hook":
        if running_loop() is None:
            from vcr_gen.runtime.extras.trio_hook import TrioHook

            return TrioHook(loop, self.clock, self, timers)
        from vcr_gen.runtime.loops.probed_loop import ProbingHook
        from vcr_gen.runtime.loops.standard_loop import StandardHook

        if StandardHook.fits(loop):
            return StandardHook(loop, self.clock, self, timers)
        if ProbingHook.fits(loop):
            return ProbingHook(loop, self.clock, self)
        raise UsageError(f"a session cannot take turns with a loop of type {type(loop).__name__}")

    def now(self) -> float:
        """The session's time: that of its loops where there are any, else the real one.

        A thread beside a loop has the loop's time too: that shows which timers had fired.
        """
        return self.clock.now if self._hooks else self.clock.real()

    def running(self) -> list[Any]:
        """The loops that the session takes turns with, as long as they run."""
        return [hook.loop for hook in list(self._hooks.values()) if hook.loop.is_running()]

    @property
    def in_use(self) -> bool:
        """Whether the session takes turns with a loop."""
        return any(not hook.loop.is_closed() for hook in self._hooks.values())

    def release(self) -> None:
        """Leave every loop as it was found, and hook no other."""
        self._session = None
        for hook in self._hooks.values():
            hook.remove()
        self._hooks.clear()
