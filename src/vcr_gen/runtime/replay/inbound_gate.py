"""Where inbound calls enter a replay: a driver makes them, or a test that plays the environment."""

from collections.abc import Mapping
from typing import final

from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.thread_driver import ThreadDriver
from vcr_gen.runtime.tape.events import Signal, Start
from vcr_gen.runtime.tape.window import Slot
from vcr_gen.runtime.values.channel import ValueChannel
from vcr_gen.runtime.values.stored_values import Screen

__all__ = ["InboundGate"]


@final
class InboundGate:
    """Lets in what the tape has due, and nothing else."""

    def __init__(
        self, state: ReplayState, thread_driver: ThreadDriver, matcher: Matcher, screen: Screen
    ) -> None:
        self._state = state
        self._thread_driver = thread_driver
        self._window = state.window
        self._matcher = matcher
        self._screen = screen

    def enter(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """Let in a call that the test makes as the environment: it must be the expected one."""
        with self._state.monitor:
            head = self._thread_driver.wait_until(self._entering)
            found = self._matcher.entered(head, operation, stored)
            if found.differences:
                self._state.fail(self._state.reporter.call(operation, stored, found, self._window))
            return self._state.take(head).event.call

    def play(self, event: Signal, passing: ValueChannel | None) -> None:
        """Let in a signal that the test gives to a stream of the application: it must be due."""
        event = event if passing is None else self._screen.event(event, passing.of)
        call = event.call

        def due() -> Slot | None:
            head = self._window.head()
            return head if head is not None and head.event.call == call else None

        with self._state.monitor:
            head = self._thread_driver.wait_until(due)
            found = self._matcher.played(head, event, passing)
            if found.differences:
                self._state.fail(self._state.reporter.answer(call, event, found, self._window))
            self._state.take(head)

    def announce(self, slot: Slot) -> bool:
        """Take an inbound call that is delivered now; False where another thread has taken it."""
        with self._state.monitor:
            if slot.done:
                return False
            self._state.take(slot)
            return True

    def due(self) -> Slot | None:
        """The oldest event that is not done."""
        with self._state.monitor:
            return self._window.head()

    def wait_for_change(self) -> None:
        """Wait in this thread until something moved; a stall ends the replay."""
        with self._state.monitor:
            self._state.check()
            self._thread_driver.wait_for_others()

    def _entering(self) -> Slot | None:
        """The oldest event, if it is an inbound call that comes from here, and no callback."""
        head = self._window.head()
        if head is None or not isinstance(head.event, Start) or not head.event.inbound:
            return None
        receiver = self._state.receiver
        return head if receiver is None or not receiver.takes(head) else None
