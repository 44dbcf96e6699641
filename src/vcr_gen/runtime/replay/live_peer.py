"""A program outside the process at the other end of the wrappers, such as a mock server's client.

Its time is real, and nothing in this process shows whether it will still do something: threads and
input say nothing about it. So only real time decides when something is missing.
"""

from dataclasses import dataclass
from math import inf
from typing import Final, final

from vcr_gen.runtime.replay.decide import (
    AdvanceClock,
    Asker,
    Decision,
    Deliver,
    Release,
    Serve,
    Skip,
    Step,
    View,
    Wait,
    when_thread_asks,
)
from vcr_gen.runtime.replay.waiting import TICK
from vcr_gen.runtime.tape.events import INTERNAL

LIMIT: Final = 10.0
"""Seconds after which something that a peer withholds is reported."""

QUIET: Final = 1.0
"""The same where nothing was asked of a peer that never pauses: it has nothing to work on."""

_LEAST: Final = (2.0, 0.05)
"""The shortest of these waits, after many in vain."""


@final
@dataclass(frozen=True, slots=True)
class Patience:
    """How long a replay waits for a peer."""

    limit: float = LIMIT
    """Seconds that it waits for the peer while a call is in flight."""
    pauses: bool = True
    """Whether the peer may take any time before its next call while nothing is in flight."""

    def seconds(self, *, in_flight: bool, misses: int) -> float:
        """How long to wait now, after so many waits in vain: a peer that is silent stays so."""
        answers = in_flight or self.pauses
        usual, least = (self.limit, _LEAST[0]) if answers else (QUIET, _LEAST[1])
        return max(min(self.limit, least), min(self.limit, usual) / (1 + misses))


GONE: Final = Patience(limit=-inf, pauses=False)
"""A peer that has ended or disconnected will do nothing more."""


def peer_when_idle(view: View) -> Decision:
    """The reaction to a loop that has nothing ready."""
    if view.timer is not None and view.timer <= view.now:
        return AdvanceClock(view.timer)
    if view.failed_for is not None:
        return _after_failure(view)
    due = view.due
    if due is not None and view.is_taken:
        return _wait(view, view.early) if view.early else Deliver(due)
    if due is not None and due.start.of in INTERNAL:
        return Skip(due.event.call)
    if view.last is None:
        return Step.LOOK
    if view.last.leaving is not None:
        return Release(view.last.leaving)
    if view.last.finishes:
        return Step.FINISH
    if due is not None and view.withheld and view.may_be_left:
        return Skip(due.event.call)
    return Step.FAIL if view.withheld else _wait(view)


def _after_failure(view: View) -> Decision:
    """The program decides when it ends: it can still tell the peer what was wrong."""
    if view.untold:
        return Step.TELL
    if view.last is None:
        return Step.LOOK
    return Step.FINISH if view.last.finishes else _wait(view)


def _wait(view: View, seconds: float = TICK) -> Decision:
    return Wait(seconds if view.timer is None else min(seconds, view.timer - view.now))


def peer_when_busy(view: View) -> Decision:
    """A periodic step for a loop that is never idle."""
    if view.failed_for is not None:
        return Step.TELL
    if view.due is not None and view.is_taken and not view.early:
        return Deliver(view.due)
    return Step.FAIL if view.withheld else AdvanceClock(view.now)


def peer_when_thread_waits(view: View) -> Decision:
    """The wait of a thread that cannot continue before others move."""
    if view.head is not None and (
        view.head.start.of in INTERNAL or (view.withheld and view.may_be_left)
    ):
        return Skip(view.head.event.call)
    return Step.FAIL if view.withheld else Wait(TICK)


def peer_when_thread_asks(view: View, asker: Asker) -> Decision:
    """The step of a thread that wants the next event of a call."""
    decision = when_thread_asks(view._replace(still_for=0.0), asker)
    if view.early and (asker.takes or asker.serves):
        return decision
    if asker.holds_up_loop or isinstance(decision, Deliver | Serve) or decision is Step.END_STREAM:
        return decision
    return peer_when_thread_waits(view)
