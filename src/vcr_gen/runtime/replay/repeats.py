"""Calls that a rule allows to repeat: they may be made more often than recorded, or less often."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, final

from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.boundary.rules import Rules
from vcr_gen.runtime.failures.call_names import call_name
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.replay.strand_matching import Expectation
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.window import REACH, Slot, Window
from vcr_gen.runtime.values.bound_methods import Bound

MOST_REPEATS: Final = 1000
"""How often one answer is given again: a program that asks more often waits for another one."""

_Lane: TypeAlias = tuple[str, str]


@final
@dataclass(slots=True)
class _Recorded:
    """A recorded call that may repeat, and its answer as far as it came."""

    start: Slot
    answer: list[Item | End] = field(default_factory=list)
    repeated: int = 0


@final
class Repeats:
    """Remembers the answers of calls that may repeat, and gives them again.

    A repetition is no call of the tape: it has a negative number, and its answer does not wait for
    anything else.
    """

    def __init__(self, window: Window, rules: Rules) -> None:
        self._window = window
        self._rules = rules
        self._bounds: dict[str, Bound] = {}
        self._running: dict[int, _Recorded] = {}
        self._fresh: dict[_Lane, list[_Recorded]] = {}
        """The calls that were answered since the lane was looked at."""
        self._last: dict[_Lane, dict[str, _Recorded]] = {}
        """The last answered call of each kind, by its arguments."""
        self._repetitions = 0
        self._given: dict[int, deque[Event]] = {}
        """The rest of the answers that are given again."""

    def know(self, bound: Bound) -> None:
        """The program calls this method."""
        if self._rules.allow_repeats:
            self._bounds[bound.method.name] = bound

    def note(self, slot: Slot) -> None:
        """An event is done: it may be given again."""
        if not self._rules.allow_repeats or slot.start.inbound:
            return
        event = slot.event
        if isinstance(event, Start):
            if self._is_allowed(slot):
                self._running[event.call] = _Recorded(slot)
            return
        recorded = self._running.get(event.call)
        if recorded is None or isinstance(event, Signal):
            return
        recorded.answer.append(event)
        if isinstance(event, End):
            del self._running[event.call]
            self._note_answer(recorded, event)

    def _note_answer(self, recorded: _Recorded, end: End) -> None:
        if end.outcome != "cancelled":
            start = recorded.start.start
            self._fresh.setdefault((start.of, start.on), []).append(recorded)

    def _is_allowed(self, slot: Slot) -> bool:
        start = slot.start
        return self._rules.may_repeat(
            start.of, call_name(start.of, start.arguments, slot.signature)
        )

    # More often than recorded -------------------------------------------------------------------

    def again(
        self,
        operation: Operation,
        stored: Mapping[str, Plain],
        is_equal: Callable[[Slot], bool],
    ) -> int | None:
        """The number of a repetition of a call that was answered before; None if it is none."""
        if not self._rules.allow_repeats:
            return None
        lane = (operation.bound.method.name, operation.on)
        last = self._last_of(lane, operation.bound, stored)
        others = reversed(self._last.get(lane, {}).values())  # a looser strategy may accept them
        asked = (each for each in (last, *others) if each is not None)
        found = next((each for each in asked if is_equal(each.start)), None)
        if found is None or found.repeated >= MOST_REPEATS:
            return None
        found.repeated += 1
        self._repetitions += 1
        number = -self._repetitions
        self._given[number] = deque(replace(event, call=number) for event in found.answer)
        return number

    def _last_of(self, lane: _Lane, bound: Bound, stored: Mapping[str, Plain]) -> _Recorded | None:
        for recorded in self._fresh.pop(lane, ()):
            key = bound.key(recorded.start.start.arguments)
            known = self._last.setdefault(lane, {})
            before = known.pop(key, None)
            recorded.repeated = 0 if before is None else before.repeated
            known[key] = recorded
        return self._last.get(lane, {}).get(bound.key(stored))

    def upcoming(self, call: int) -> Event | None:
        """The next event of a repetition."""
        given = self._given.get(call)
        return given[0] if given else None

    def next(self, call: int) -> Event:
        """The next event of a repetition."""
        given = self._given[call]
        event = given.popleft()
        if not given:
            del self._given[call]
        return event

    def close(self, call: int) -> None:
        """The program closes the stream of a repetition."""
        self._given[call] = deque([End(call=call, outcome="returned")])

    # Less often ---------------------------------------------------------------------------------

    def may_be_left(self, slot: Slot) -> bool:
        """Whether a recorded call need not be made: one that equals it has been answered."""
        event = slot.event
        if not self._rules.allow_repeats or not isinstance(event, Start) or event.inbound:
            return False
        bound = self._bounds.get(event.of)
        if bound is None or slot.done or not self._is_allowed(slot):
            return False
        return self._last_of((event.of, event.on), bound, event.arguments) is not None

    def leave_out(self, slot: Slot) -> None:
        """Do without a recorded call; its answer is the last one from now on."""
        ahead = self._window.upcoming_of_call(slot.event.call, REACH)
        answer = [each.event for each in ahead if isinstance(each.event, Item | End)]
        if answer and isinstance(answer[-1], End):
            self._note_answer(_Recorded(slot, answer), answer[-1])
        self._window.skip(slot.event.call)

    def past(self, found: Expectation, find: Callable[[], Expectation]) -> Expectation:
        """The recorded event after the calls that need not be made again."""
        while not found.is_met and found.slot is not None:
            if not self.may_be_left(found.slot):
                break
            self.leave_out(found.slot)
            self._window.take(found.slot)
            found = find()
        return found

    def only_these_left(self) -> list[Slot]:
        """The remaining calls, if none of them needs to be made again."""
        head = self._window.head() if self._rules.allow_repeats else None
        if head is None or not self.may_be_left(head):
            return []
        left = list(self._window.left())
        starts = {slot.event.call: slot for slot in left if isinstance(slot.event, Start)}
        calls = {slot.event.call for slot in left}
        is_all = calls == starts.keys() and all(map(self.may_be_left, starts.values()))
        return list(starts.values()) if is_all else []

    def leave_out_the_rest(self) -> None:
        """Leave out all calls that need not be made: the session is over."""
        if self._rules.allow_repeats:
            for slot in list(self._window.left()):
                if self.may_be_left(slot):
                    self._window.skip(slot.event.call)
