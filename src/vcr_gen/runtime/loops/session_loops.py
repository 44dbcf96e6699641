"""The event loops that a session has hooked, and its clock."""

from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING, Any, Protocol, final

from vcr_gen.errors import UsageError
from vcr_gen.runtime.loops.backends import (
    in_environment,
    in_inbound_call,
    library_here,
    running_loop,
)
from vcr_gen.runtime.loops.clock import Clock

if TYPE_CHECKING:
    from vcr_gen.runtime.loops.hook import Hook
    from vcr_gen.runtime.loops.jobs import JobGate


class InexactReplayWarning(UserWarning):
    """A part of a session cannot be recorded or replayed exactly."""


class LoopSession(Protocol):
    """The reactions of a session to the events of a loop, above all when it is idle."""

    jobs: "JobGate"
    """Hands back the results of executor jobs."""

    @property
    def one_by_one(self) -> bool:
        """Whether input is taken in only when the loop is idle, and one at a time."""

    def idle(self, timer: float | None, *, hears: bool, lag: float = 0.0) -> float | None:
        """React to an idle loop whose next timer is due at `timer`, and which may get input.

        The clock was behind by the `lag` when the timer was made. Returns how long the loop may
        really wait: 0 when something was made ready.
        """

    def busy(self, timer: float | None = None) -> bool:
        """Note a round of the loop with callbacks ready; return whether it polls for input.

        Its next timer is due at `timer`, where that is known and the callbacks are the program's.
        """

    @property
    def lag(self) -> float:
        """How far the clock is behind the real one."""

    def clock_is_read(self, before: float = inf) -> None:
        """Note a reading of the loop's clock, which must stay below `before` until idle."""

    def woken(self, timer: float | None) -> None:
        """The loop really waited and continues."""

    def told_by_thread(self) -> None:
        """Another thread made the loop continue, and the tape does not know when."""


@final
class Loops:
    """Hooks each loop of the session once, and releases all of them at the end."""

    session: LoopSession
    """The object that reacts to the loops: a replay, or a recording that continues it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._is_open = False
        self._hooks: dict[int, Hook] = {}
        self.shares_one = False
        """Whether another session took turns with one of them already."""
        self.is_served = False
        """Whether the program is only what inbound calls start: its server is not in a replay."""

    def serve(self, session: LoopSession) -> None:
        """Set what reacts to the loops from now on."""
        self.session = session
        self._is_open = True

    def read_clock(self, before: float = inf) -> float:
        """The time that the running code reads from its loop's clock; it stays before `before`.

        The environment's own timers count in real time, and no replay has them. What serves the
        program is not in a replay either, so the clock does not catch up for it.
        """
        if in_environment.get():
            return max(self.clock.now, self.clock.real())
        if self._is_open and (in_inbound_call.get() or not self.is_served):
            self.session.clock_is_read(before)
        return self.clock.now

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
        if library is None or not self._is_open:
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
            from vcr_gen.runtime.extras.trio_support import TrioHook

            return TrioHook(loop, self, timers)
        from vcr_gen.runtime.loops.probed_loop import ProbingHook
        from vcr_gen.runtime.loops.standard_loop import StandardHook

        if StandardHook.fits(loop):
            return StandardHook(loop, self, timers)
        if ProbingHook.fits(loop):
            return ProbingHook(loop, self)
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
        """Restore every loop, and hook no further ones."""
        self._is_open = False
        for hook in self._hooks.values():
            hook.remove()
        self._hooks.clear()
