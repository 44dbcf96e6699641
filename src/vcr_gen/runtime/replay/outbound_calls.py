"""Asserts the outbound calls of the program: each must be the one that the tape expects."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, final

from vcr_gen.errors import EncodeError
from vcr_gen.runtime.boundary.echoes import Echoes
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.failures.message_layout import message_of
from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.replay.loop_driver import LoopDriver
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.strand_matching import Expectation
from vcr_gen.runtime.replay.strategies import Orders
from vcr_gen.runtime.replay.thread_driver import ThreadDriver, Unfinished
from vcr_gen.runtime.replay.waiting import TICK
from vcr_gen.runtime.strands.strands import Strand
from vcr_gen.runtime.tape.events import End
from vcr_gen.runtime.tape.window import Slot
from vcr_gen.runtime.values.stored_values import Screen

if TYPE_CHECKING:
    from vcr_gen.runtime.extras.cassette_templates import Templates


@final
class OutboundCalls:
    """Compares each outbound call of the program with the tape, and begins it."""

    def __init__(
        self,
        state: ReplayState,
        matcher: Matcher,
        *,
        loops: Loops,
        loop_driver: LoopDriver,
        thread_driver: ThreadDriver,
        unfinished: Unfinished,
        screen: Screen,
        orders: Orders,
        templates: "Templates | None",
        echoes: Echoes,
    ) -> None:
        self._state = state
        self._matcher = matcher
        self._window = state.window
        self._strands = state.strands
        self._repeats = state.repeats
        self._loops = loops
        self._loop_driver = loop_driver
        self._thread_driver = thread_driver
        self._unfinished = unfinished
        self._screen = screen
        self._orders = orders
        self._templates = templates
        self._echoes = echoes
        self._compares_encoded = not (screen.has_hook or templates is not None)
        self._answers_at_once = self._compares_encoded and not state.pace

    def stored_arguments(self, operation: Operation) -> Mapping[str, Plain]:
        """The arguments of a call as they are compared: encoded, and without secrets."""
        return self.screened(operation, self.encoded_arguments(operation))

    def encoded_arguments(self, operation: Operation) -> Mapping[str, Plain]:
        """The arguments of a call in their plain form."""
        try:
            encoded = operation.bound.encode(operation.arguments)
        except EncodeError as error:
            raise self._state.keep(error) from None
        return self._echoes.recorded(encoded) if self._echoes.are_there else encoded

    def screened(self, operation: Operation, encoded: Mapping[str, Plain]) -> Mapping[str, Plain]:
        """The arguments in their stored form, without secrets."""
        return self._screen.arguments(operation.bound.method.name, encoded)

    def take_equal(self, operation: Operation, encoded: Mapping[str, Plain]) -> End | None:
        """Take a call that nothing overlaps, and its answer, if the tape has exactly this call.

        They need no redaction then: a secret would have a placeholder on the tape. None where the
        tape has anything else next, or the call may differ: `start` tells which.
        """
        if not self._answers_at_once or self._echoes.are_there:
            return None
        state = self._state
        with state.monitor:
            state.check()
            self._repeats.know(operation.bound)
            pair = self._window.next_whole_call()
            if pair is None:
                return None
            slot, answer = pair
            if not self._matcher.is_next(self._strands.here(), slot, operation):
                return None
            if not operation.bound.is_as_recorded(slot.start.arguments, encoded):
                return None
            self._follow_clock(slot)
            state.take_both(slot, answer)
            assert isinstance(answer.event, End)
            return answer.event

    def start(self, operation: Operation, encoded: Mapping[str, Plain]) -> int:
        """Begin an outbound call: it must be the expected one."""
        with self._state.monitor:
            self._repeats.know(operation.bound)
            slot = self._equal(operation, encoded)
            if slot is not None:
                return self._begin_in_order(operation, slot)
        stored = self.screened(operation, encoded)
        with self._state.monitor:
            found = self._expected(operation, stored)
            return found if isinstance(found, int) else self._begin_in_order(operation, found)

    async def start_async(self, operation: Operation, encoded: Mapping[str, Plain]) -> int:
        """Like `start`, for a call that can wait until everything before it has happened."""
        if self._orders.of(operation.bound.method.name) != "total":
            return self.start(operation, encoded)
        stored = self.screened(operation, encoded)
        with self._state.monitor:
            self._repeats.know(operation.bound)
            slot = self._expected(operation, stored)
            if isinstance(slot, int):
                return slot
            due = self._window.head() is slot
            self._loops.hook(slot.start.at, slot.start.timers)
        if not due:
            await self._loop_driver.hear(slot.start.call, "", begins=True)
        with self._state.monitor:
            return self._begin(slot)

    def _equal(self, operation: Operation, encoded: Mapping[str, Plain]) -> Slot | None:
        """The recorded start that is looked at first, if it has exactly these arguments.

        They need no redaction then: a secret would have a placeholder on the tape.
        """
        if not self._compares_encoded:
            return None
        strand = self._strand_at_tape()
        return self._matcher.equal(strand, operation, encoded)

    def _strand_at_tape(self) -> Strand:
        """The strand of the running code, which may use the tape."""
        strand = self._strands.here()
        self._state.check()
        self._state.threads.see()
        self._unfinished.hold_job(strand)
        return strand

    def _begin_in_order(self, operation: Operation, slot: Slot) -> int:
        """Begin a call, in the one recorded order of all strands if that is asserted."""
        if self._orders.of(operation.bound.method.name) == "total":
            self._thread_driver.wait_until(lambda: self._window.head() is slot or None)
        return self._begin(slot)

    def _expected(self, operation: Operation, stored: Mapping[str, Plain]) -> Slot | int:
        """The recorded start that matches an outbound call; the number of a repetition."""
        strand = self._strand_at_tape()
        find = partial(self._matcher.start, strand, operation, stored)
        found = find(may_wait=True)
        while found.may_come:
            may_move = self._thread_driver.others_move()
            self._state.check()
            is_moving = may_move and self._state.monitor.still_for < TICK
            if not (is_moving and self._comes_later(found.awaited)):
                found = find(may_wait=is_moving)
            if not may_move:
                break
        if not found.is_met:
            number = self._repetition(operation, stored)
            if number is not None:
                return number
            found = self._repeats.past(found, partial(find, may_wait=False))
        if found.slot is None or not found.is_met:
            found = self._differs(operation, stored, strand, found)
        assert found.slot is not None
        if self._templates is not None:
            self._templates.begin(found.slot.start.call, stored)
        return found.slot

    def _comes_later(self, slot: Slot | None) -> bool:
        """Whether a thread that is equal to this one still has to go on before an event."""
        return not (slot is None or slot.done or self._window.is_next(slot))

    def _differs(
        self,
        operation: Operation,
        stored: Mapping[str, Plain],
        strand: Strand,
        found: Expectation,
    ) -> Expectation:
        """Report a call that is not the expected one; what takes its place if the replay continues.

        A call that the tape does not have cannot be answered. If it may come in any order and
        others need not come, it tells nothing about them.
        """
        state = self._state
        if state.collected is not None:
            nearest = self._matcher.anywhere(operation, stored)
            if nearest.slot is not None:
                shown = found if nearest.is_met else nearest
                state.collects(state.reporter.call(operation, stored, shown, self._window))
                return nearest
        elif state.refuses_alone(operation.bound.method.name):
            state.refuse(
                state.reporter.call(operation, stored, found, self._window, in_any_order=True)
            )
        else:
            self._unfinished.hold_callback(strand.within)
        divergence = state.reporter.call(
            operation, stored, found, self._window, in_any_order=state.collected is not None
        )
        if not state.collects(divergence):
            state.fail(divergence)
        raise state.failure_type(divergence, message_of(divergence))

    def _repetition(self, operation: Operation, stored: Mapping[str, Plain]) -> int | None:
        """The number of a call that repeats an earlier one, as a rule allows it."""

        def is_equal(slot: Slot) -> bool:
            return self._matcher.is_repetition(slot, operation, stored)

        number = self._repeats.again(operation, stored, is_equal)
        if number is not None and self._templates is not None:
            self._templates.begin(number, stored)
        return number

    def goes_past_repeats(self, operation: Operation) -> bool:
        """Whether a call is new, while the tape has only repetitions left: those are left out."""
        with self._state.monitor:
            left = self._repeats.only_these_left()
            if not left:
                return False
            stored = self.stored_arguments(operation)
            if any(self._matcher.is_repetition(slot, operation, stored) for slot in left):
                return False
            self._repeats.leave_out_the_rest()
            return True

    def _begin(self, slot: Slot) -> int:
        self._state.check()
        self._follow_clock(slot)
        self._state.take(slot)
        self._state.running[slot.start.call] = slot
        return slot.start.call

    def _follow_clock(self, slot: Slot) -> None:
        """Begin a call at its recorded time; from then on, the loop's clock is the session's."""
        start = slot.start
        hook = self._loops.hook(start.at, start.timers)
        if hook is None or hook.stirred is None or self._loops.clock.runs:
            return
        if self._window.comes_next(slot, self._loops.clock.now):
            hook.catch_up(start.at)
