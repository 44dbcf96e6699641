"""Asserts what the program answers to inbound calls, and what it does to streams."""

from dataclasses import replace
from functools import partial
from typing import Any, TypeVar, final

from vcr_gen.errors import EncodeError
from vcr_gen.runtime.boundary.echoes import Echoes
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.replay.collecting import counterpart
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.strand_matching import Expectation
from vcr_gen.runtime.replay.thread_driver import ThreadDriver, Unfinished
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot
from vcr_gen.runtime.values.channel import ValueChannel
from vcr_gen.runtime.values.stored_values import Screen

_E = TypeVar("_E", bound=Event)


@final
class AssertedAnswers:
    """Compares each answer of the program, and each signal to a stream, with the tape."""

    def __init__(
        self,
        state: ReplayState,
        matcher: Matcher,
        *,
        thread_driver: ThreadDriver,
        unfinished: Unfinished,
        screen: Screen,
        echoes: Echoes,
    ) -> None:
        self._state = state
        self._matcher = matcher
        self._window = state.window
        self._strands = state.strands
        self._repeats = state.repeats
        self._thread_driver = thread_driver
        self._unfinished = unfinished
        self._screen = screen
        self._echoes = echoes

    def store(self, passing: ValueChannel, value: Any) -> Plain:
        """The stored form of what the application says."""
        try:
            return passing.encode(value)
        except EncodeError as error:
            raise self._state.keep(error) from None

    def produce(self, call: int, event: Item | End, passing: ValueChannel) -> None:
        """The application answers an inbound call: with the recorded item or end."""
        event = self._as_recorded(self._screen.event(event, passing.of))
        with self._state.monitor:
            self._state.check()
            find = partial(self._matcher.produced, self._strands.here(), call, event, passing)
            found = self._repeats.past(find(), find)
            while found.slot is None or not found.is_met:
                if not self._answers_differently(call, event, found, passing):
                    return
                found = self._repeats.past(find(), find)
            self._state.take(found.slot)

    def _as_recorded(self, event: _E) -> _E:
        """The application's answer, with the recorded values of those that it echoes."""
        if not self._echoes.are_there or isinstance(event, Start):
            return event
        return replace(event, value=self._echoes.recorded(event.value))

    def _answers_differently(
        self, call: int, event: Item | End, found: Expectation, passing: ValueChannel
    ) -> bool:
        """Report an answer; return whether to compare it again: a call before it was missing."""
        collected = self._state.collected
        if collected is None and self._state.leftovers:
            self._state.note_refused(self._state.reporter.answer(call, event, found, self._window))
            for slot in counterpart(self._window, call, event):
                self._state.take(slot)
            return False
        if collected is None:
            self._unfinished.hold_callback(call)
            self._state.fail(self._state.reporter.answer(call, event, found, self._window))
        if collected.is_passed_over(call):
            return False
        self._state.collects(self._state.reporter.answer(call, event, found, self._window))
        if found.slot is not None and isinstance(found.slot.event, Start):
            collected.pass_over(found.slot)
            return True
        for slot in counterpart(self._window, call, event):
            self._matcher.keep_echoes(slot, event, passing)
            self._state.take(slot)
        return False

    def signal(self, event: Signal, passing: ValueChannel | None) -> None:
        """The application does something to a stream it consumes."""
        event = event if passing is None else self._screen.event(event, passing.of)
        with self._state.monitor:
            self._state.check()
            if event.call < 0:
                if event.kind == "closed":
                    self._repeats.close(event.call)
                return
            if event.kind == "closed" and self._state.leave_unread(event.call) is not None:
                return  # once it has its end
            find = partial(self._matcher.signalled, self._strands.here(), event, passing)
            found = self._repeats.past(find(), find)
            if found.slot is not None and found.is_met and not self._comes_next(found.slot):
                found = Expectation(self._window.next_of_call(event.call))
            elif found.slot is not None and found.is_met:
                self._state.take(found.slot)
                return
            self._state.fail(self._state.reporter.answer(event.call, event, found, self._window))

    def _comes_next(self, slot: Slot) -> bool:
        """Whether a stream has yielded everything that it yielded before this step of its consumer.

        In a thread, what another reader of it is about to get may be waited for.
        """
        call = slot.event.call
        while self._window.next_of_call(call) is not slot:
            if not self._state.waiters.of(call) or not self._thread_driver.others_move():
                return False
            self._state.check()
        return True
