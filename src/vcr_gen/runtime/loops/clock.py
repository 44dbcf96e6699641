"""The clock of a session, which its loops share.

It moves when a loop is idle, so timers fire where they fired, and a replay takes no wall time.
While a recording computes, time passes, and the clock lags behind: a timer that is made then really
waits that much longer. Before the lag is noticeable, the clock catches up, and the tape says where
(a *tick*): at which reading of the clock, or which round of the loop, since it moved last.
"""

import time
from typing import final

from vcr_gen.runtime.tape.events import in_microseconds

TOGETHER = 2e-9
"""Seconds within which a loop treats a timer as due: it would fire together with an event."""

FORCE_AFTER = 0.2
"""Seconds a result may wait for a busy loop before it is handed back anyway."""

FORCE_AFTER_ROUNDS = 50
"""The minimum number of rounds of the loop by then: a blocked process is not a busy one."""


@final
class Clock:
    """The session's clock: seconds since it began, in whole microseconds so that files keep it."""

    __slots__ = ("_ahead", "_origin", "now", "readings", "rounds")

    def __init__(self) -> None:
        self._origin = time.monotonic()
        self._ahead: float | None = None
        """Its lead over real time while it runs; None while the session sets it."""
        self.now = 0.0
        """The current time in the loops of the session."""
        self.readings = 0
        """How often the program has read the clock since it moved."""
        self.rounds = 0
        """The rounds of a loop in which the program worked since the clock moved."""

    def real(self) -> float:
        """Real seconds since the session began."""
        return in_microseconds(time.monotonic() - self._origin)

    def run(self) -> None:
        """Follow real time from now on, whatever the tape says."""
        self._ahead = self.now - self.real()

    def stop(self) -> None:
        """Stand still again until the session moves it."""
        self._ahead = None

    @property
    def runs(self) -> bool:
        """Whether it follows real time."""
        return self._ahead is not None

    def advance(self, to: float) -> None:
        """Move forward; the clock never runs back."""
        if self._ahead is not None:
            to = self.real() + self._ahead
        if to > self.now:
            self.now = to
            self.readings = self.rounds = 0
