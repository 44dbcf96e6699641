"""Replaying: feeds what the environment said, asserts what the application does.

What the application does is checked at once, in the order of its strand; what the environment did
is delivered one event at a time, each when everything before it is done and, in a loop, when the
loop is idle. When nothing can move any more, the replay ends with an error that says what
every task and thread waits for.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, final

from vcr_gen.errors import (
    DecodeError,
    Divergence,
    EncodeError,
    ValueCodecError,
)
from vcr_gen.runtime.boundary.echoes import Echoes
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.boundary.rules import Rules
from vcr_gen.runtime.failures.headlines import Reporter
from vcr_gen.runtime.failures.message_layout import message_of
from vcr_gen.runtime.loops.backends import running_library
from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import without_secrets
from vcr_gen.runtime.replay.collecting import Collected
from vcr_gen.runtime.replay.live_peer import GONE, Patience
from vcr_gen.runtime.replay.loop_driver import LoopDriver
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.repeats import Repeats
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.strand_matching import Expectation
from vcr_gen.runtime.replay.strategies import Orders
from vcr_gen.runtime.replay.thread_driver import ThreadDriver, Unfinished
from vcr_gen.runtime.strands.strands import Strand, Strands
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.window import Slot, Window
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.channel import ValueChannel
from vcr_gen.runtime.values.object_numbers import Objects
from vcr_gen.runtime.values.stored_values import Screen

if TYPE_CHECKING:
    from vcr_gen.runtime.extras.cassette_templates import Templates

__all__ = ["Engine"]

_E = TypeVar("_E", bound=Event)
_V = TypeVar("_V", bound=ValueCodecError)


@final
class Engine:
    """One replay: asserts what the program does, and delivers what the environment did."""

    def __init__(
        self,
        window: Window,
        *,
        strands: Strands,
        loops: Loops,
        objects: Objects,
        screen: Screen,
        reporter: Reporter,
        orders: Orders,
        rules: Rules,
        templates: "Templates | None",
        patience: float,
        pace: float,
        echoes: Echoes,
        leftovers: bool,
    ) -> None:
        self.window = window
        self.strands = strands
        self.objects = objects
        self._screen = screen
        self._compares_encoded = not (screen.has_hook or templates is not None)
        self._answers_at_once = self._compares_encoded and not pace
        self.loops = loops
        self._orders = orders
        self._templates = templates
        self._echoes = echoes
        self._matcher = Matcher(window, objects, orders, screen.secrets.vault, echoes)
        self.repeats = Repeats(window, rules)
        self.state = ReplayState(
            window,
            strands,
            reporter,
            clock=loops.clock,
            orders=orders,
            repeats=self.repeats,
            patience=patience,
            pace=pace,
            secrets=screen.secrets,
        )
        self.state.leftovers = leftovers
        self.process_endings: list[tuple[BaseException, str]] = []
        """The exceptions of the tape that end a process unless they are caught, with their methods.

        The recorded program did catch them: one that ends a session leaves no cassette.
        """
        self._thread_driver = ThreadDriver(self.state)
        self.unfinished = Unfinished(self.state, self._thread_driver, self._matcher)
        self.loop_driver = LoopDriver(self.state, self._matcher, loops)
        loops.serve(self.loop_driver)

    def suspect(self) -> None:
        """Fail with the state at the time an answer was given before its turn, if one was."""
        with self.state.monitor:
            if self.state.suspicion is not None:
                self.state.fail(self.state.suspicion)

    def what_is_overdue(self) -> Divergence | None:
        """What the program had not done yet when time moved on to a timer."""
        with self.state.monitor:
            if not self.loop_driver.something_is_overdue():
                return None
            return without_secrets(self.state.stall(), self._screen.secrets)

    # What the application does ------------------------------------------------------------------

    def store(self, passing: ValueChannel, value: Any) -> Plain:
        """The stored form of what the application says."""
        try:
            return passing.encode(value)
        except EncodeError as error:
            raise self._kept(error) from None

    def stored_arguments(self, operation: Operation) -> Mapping[str, Plain]:
        """The arguments of a call as they are compared: encoded, and without secrets."""
        return self.screened(operation, self.encoded_arguments(operation))

    def encoded_arguments(self, operation: Operation) -> Mapping[str, Plain]:
        """The arguments of a call in their plain form."""
        try:
            encoded = operation.bound.encode(operation.arguments)
        except EncodeError as error:
            raise self._kept(error) from None
        return self._echoes.recorded(encoded) if self._echoes.are_there else encoded

    def screened(self, operation: Operation, encoded: Mapping[str, Plain]) -> Mapping[str, Plain]:
        """The same without secrets, as they are stored."""
        return self._screen.arguments(operation.bound.method.name, encoded)

    def take_equal(self, operation: Operation, encoded: Mapping[str, Plain]) -> End | None:
        """Take a call that nothing overlaps, and its answer, if the tape has exactly this call.

        They need no redaction then: a secret would have a placeholder on the tape. None where the
        tape has anything else next, or the call may differ: `start` tells which.
        """
        if not self._answers_at_once or self._echoes.are_there:
            return None
        state = self.state
        with state.monitor:
            state.check()
            self.repeats.know(operation.bound)
            pair = self.window.next_whole_call()
            if pair is None:
                return None
            slot, answer = pair
            if not self._matcher.is_next(self.strands.here(), slot, operation):
                return None
            if not operation.bound.is_as_recorded(slot.start.arguments, encoded):
                return None
            self._follow_clock(slot)
            state.take_both(slot, answer)
            assert isinstance(answer.event, End)
            return answer.event

    def start(self, operation: Operation, encoded: Mapping[str, Plain]) -> int:
        """Begin an outbound call: it must be the expected one."""
        with self.state.monitor:
            self.repeats.know(operation.bound)
            slot = self._equal(operation, encoded)
            if slot is not None:
                return self._begin_in_order(operation, slot)
        stored = self.screened(operation, encoded)
        with self.state.monitor:
            found = self._expected(operation, stored)
            return found if isinstance(found, int) else self._begin_in_order(operation, found)

    async def start_async(self, operation: Operation, encoded: Mapping[str, Plain]) -> int:
        """Like `start`, for a call that can wait until everything before it has happened."""
        if self._orders.of(operation.bound.method.name) != "total":
            return self.start(operation, encoded)
        stored = self.screened(operation, encoded)
        with self.state.monitor:
            self.repeats.know(operation.bound)
            slot = self._expected(operation, stored)
            if isinstance(slot, int):
                return slot
            due = self.window.head() is slot
            self.loops.hook(slot.start.at, slot.start.timers)
        if not due:
            await self.loop_driver.hear(slot.start.call, "", begins=True)
        with self.state.monitor:
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
        strand = self.strands.here()
        self.state.check()
        self.state.threads.see()
        self.unfinished.hold_job(strand)
        return strand

    def _begin_in_order(self, operation: Operation, slot: Slot) -> int:
        """Begin a call, in the one recorded order of all strands if that is asserted."""
        if self._orders.of(operation.bound.method.name) == "total":
            self._thread_driver.wait_until(lambda: self.window.head() is slot or None)
        return self._begin(slot)

    def _expected(self, operation: Operation, stored: Mapping[str, Plain]) -> Slot | int:
        """The recorded start that matches an outbound call; the number of a repetition."""
        strand = self._strand_at_tape()
        find = partial(self._matcher.start, strand, operation, stored)
        found = find()
        while found.may_come and self._thread_driver.others_move():
            self.state.check()
            found = find()
        if not found.is_met:
            number = self._repetition(operation, stored)
            if number is not None:
                return number
            found = self._past_repeats(found, find)
        if found.slot is None or not found.is_met:
            found = self._differs(operation, stored, strand, found)
        assert found.slot is not None
        if self._templates is not None:
            self._templates.begin(found.slot.start.call, stored)
        return found.slot

    def _differs(
        self,
        operation: Operation,
        stored: Mapping[str, Plain],
        strand: Strand,
        found: Expectation,
    ) -> Expectation:
        """Report a call that is not the expected one; what takes its place if the replay continues.

        A call that the tape does not have cannot be answered.
        """
        state = self.state
        if state.collected is not None:
            nearest = self._matcher.anywhere(operation, stored)
            if nearest.slot is not None:
                shown = found if nearest.is_met else nearest
                state.collects(state.reporter.call(operation, stored, shown, self.window))
                return nearest
        else:
            self.unfinished.hold_callback(strand.within)
        divergence = state.reporter.call(operation, stored, found, self.window)
        if not state.collects(divergence):
            state.fail(divergence)
        raise state.failure_type(divergence, message_of(divergence))

    def _repetition(self, operation: Operation, stored: Mapping[str, Plain]) -> int | None:
        """The number of a call that repeats an earlier one, as a rule allows it."""

        def is_equal(slot: Slot) -> bool:
            return self._matcher.is_repetition(slot, operation, stored)

        number = self.repeats.again(operation, stored, is_equal)
        if number is not None and self._templates is not None:
            self._templates.begin(number, stored)
        return number

    def _past_repeats(self, found: Expectation, find: Callable[[], Expectation]) -> Expectation:
        """What the tape has after the calls that need not be made again."""
        while not found.is_met and found.slot is not None:
            if not self.repeats.may_be_left(found.slot):
                break
            self.repeats.leave_out(found.slot)
            self.window.take(found.slot)
            found = find()
        return found

    def _begin(self, slot: Slot) -> int:
        self.state.check()
        self._follow_clock(slot)
        self.state.take(slot)
        self.state.running[slot.start.call] = slot
        return slot.start.call

    def _follow_clock(self, slot: Slot) -> None:
        """Begin a call at its recorded time; from then on, the loop's clock is the session's."""
        start = slot.start
        hook = self.loops.hook(start.at, start.timers)
        if hook is None or hook.stirred is None or self.loops.clock.runs:
            return
        if self.window.comes_next(slot, self.loops.clock.now):
            hook.catch_up(start.at)

    def produce(self, call: int, event: Item | End, passing: ValueChannel) -> None:
        """The application answers an inbound call: with the recorded item or end."""
        event = self._as_recorded(self._screen.event(event, passing.of))
        with self.state.monitor:
            self.state.check()
            find = partial(self._matcher.produced, self.strands.here(), call, event, passing)
            found = self._past_repeats(find(), find)
            while found.slot is None or not found.is_met:
                if not self._answers_differently(call, event, found, passing):
                    return
                found = self._past_repeats(find(), find)
            self.state.take(found.slot)

    def _as_recorded(self, event: _E) -> _E:
        """What the application says, with the recorded values of what it echoes."""
        if not self._echoes.are_there or isinstance(event, Start):
            return event
        return replace(event, value=self._echoes.recorded(event.value))

    def _answers_differently(
        self, call: int, event: Item | End, found: Expectation, passing: ValueChannel
    ) -> bool:
        """Report an answer; whether to compare it again, as a call before it was missing."""
        collected = self.state.collected
        if collected is None:
            self.unfinished.hold_callback(call)
            self.state.fail(self.state.reporter.answer(call, event, found, self.window))
        if collected.is_passed_over(call):
            return False
        self.state.collects(self.state.reporter.answer(call, event, found, self.window))
        if found.slot is not None and isinstance(found.slot.event, Start):
            collected.pass_over(found.slot)
            return True
        for slot in collected.counterpart(call, event):
            self._matcher.keep_echoes(slot, event, passing)
            self.state.take(slot)
        return False

    def collect(self) -> Collected:
        """Continue after each difference from now on."""
        with self.state.monitor:
            self.state.collected = self.state.collected or Collected(self.window)
            return self.state.collected

    def give_up(self, call: int) -> None:
        """An inbound call ended with a divergence: its answer will not come."""
        with self.state.monitor:
            if self.state.collected is not None:
                self.state.collected.give_up(call)
                self.state.moved()

    def signal(self, event: Signal, passing: ValueChannel | None) -> None:
        """The application does something to a stream it consumes."""
        event = event if passing is None else self._screen.event(event, passing.of)
        with self.state.monitor:
            self.state.check()
            if event.call < 0:
                if event.kind == "closed":
                    self.repeats.close(event.call)
                return
            find = partial(self._matcher.signalled, self.strands.here(), event, passing)
            found = self._past_repeats(find(), find)
            if found.slot is not None and found.is_met and not self._comes_next(found.slot):
                found = Expectation(self.window.next_of_call(event.call))
            elif found.slot is not None and found.is_met:
                self.state.take(found.slot)
                return
            self.state.fail(self.state.reporter.answer(event.call, event, found, self.window))

    def _comes_next(self, slot: Slot) -> bool:
        """Whether a stream has given what it gave before its consumer did this.

        In a thread, what another reader of it is about to get may be waited for.
        """
        call = slot.event.call
        while self.window.next_of_call(call) is not slot:
            if not self.state.waiters.of(call) or not self._thread_driver.others_move():
                return False
            self.state.check()
        return True

    def is_left(self, call: int) -> bool:
        """Whether a stream continues, though its reader was cancelled."""
        with self.state.monitor:
            if call < 0:
                return self.repeats.upcoming(call) is not None
            return self.state.goes_on and call in self.state.running

    def upcoming(self, call: int) -> Event | None:
        """What the tape has next for a call."""
        with self.state.monitor:
            if call < 0:
                return self.repeats.upcoming(call)
            slot = self.window.next_of_call(call)
            return None if slot is None else slot.event

    # Inbound calls, made by a driver or by a test that plays the environment ---------------------

    def enter(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """Let in a call that the test makes as the environment: it must be the expected one."""
        with self.state.monitor:
            head = self._thread_driver.wait_until(self._entering)
            found = self._matcher.entered(head, operation, stored)
            if found.differences:
                self.state.fail(self.state.reporter.call(operation, stored, found, self.window))
            return self.state.take(head).event.call

    def play(self, event: Signal, passing: ValueChannel | None) -> None:
        """Let in a signal that the test gives to a stream of the application: it must be due."""
        event = event if passing is None else self._screen.event(event, passing.of)
        call = event.call

        def due() -> Slot | None:
            head = self.window.head()
            return head if head is not None and head.event.call == call else None

        with self.state.monitor:
            head = self._thread_driver.wait_until(due)
            found = self._matcher.played(head, event, passing)
            if found.differences:
                self.state.fail(self.state.reporter.answer(call, event, found, self.window))
            self.state.take(head)

    def announce(self, slot: Slot) -> bool:
        """Take an inbound call that is delivered now; False where another thread has taken it."""
        with self.state.monitor:
            if slot.done:
                return False
            self.state.take(slot)
            return True

    def due(self) -> Slot | None:
        """The oldest event that is not done."""
        with self.state.monitor:
            return self.window.head()

    def wait_for_change(self) -> None:
        """Wait in this thread until something moved; a stall ends the replay."""
        with self.state.monitor:
            self.state.check()
            self._thread_driver.wait_for_others()

    def _entering(self) -> Slot | None:
        """The oldest event, if it is an inbound call that comes from here, and no callback."""
        head = self.window.head()
        if head is None or not isinstance(head.event, Start) or not head.event.inbound:
            return None
        return None if self.state.dispatcher.takes(head) else head

    # What the environment does ------------------------------------------------------------------

    def hear(self, call: int, *, reads: bool = False) -> Event:
        """Wait in this thread for the next event of a call; it `reads` a recorded stream."""
        if call < 0:
            return self._repeated(call)
        event = self._thread_driver.take_due(call)
        if event is None:
            strand = self._recorded_strand() if reads else ""
            event = self._thread_driver.hear(call, strand)
        return self.rendered(event)

    async def hear_async(self, call: int, *, reads: bool = False) -> Event:
        """Wait in this task for the next event of a call."""
        if call < 0:
            await running_library().pause()
            return self._repeated(call)
        strand = self._recorded_strand() if reads else ""
        return self.rendered(await self.loop_driver.hear(call, strand, begins=False))

    def _repeated(self, call: int) -> Event:
        with self.state.monitor:
            self.state.check()
            return self.rendered(self.repeats.next(call))

    def _recorded_strand(self) -> str:
        return self._matcher.strand_matching.name_of(self.strands.here())

    def rendered(self, event: _E) -> _E:
        """What the environment said, with what its templates make of it now."""
        if self._templates is not None:
            event = self._templates.rendered(event)
        if not self._echoes.are_there:
            return event
        if isinstance(event, Start):
            return replace(event, arguments=self._echoes.live(event.arguments))
        return replace(event, value=self._echoes.live(event.value))

    def soon_after(self, call: int) -> Slot | None:
        """The callback that followed a call before the loop was idle, if it is next."""
        with self.state.monitor:
            if self.state.failure is not None:
                return None
            return self.window.soon_after(call, self.loops.clock.now)

    def restore(self, passing: ValueChannel, event: Item | Signal | End) -> Any:
        """The live value of an event."""
        try:
            return passing.feed(event.value)
        except DecodeError as error:
            raise self.unreadable(error, event) from None

    def restore_exception(self, bound: Bound, event: Item | Signal | End) -> BaseException:
        """The exception of an event."""
        error: BaseException = self.restore(bound.raised, event)
        if isinstance(error, SystemExit | KeyboardInterrupt):
            self.process_endings.append((error, bound.method.name))
        return error

    def unreadable(self, error: DecodeError, event: Event) -> DecodeError:
        """The error with the place of the event in the cassette."""
        slot = next((slot for slot in reversed(self.window.recent) if slot.event is event), None)
        if slot is None:
            return self._kept(error)
        return self._kept(self.state.reporter.unreadable(error, slot.start.of, slot.line))

    def _kept(self, error: _V) -> _V:
        """An error, kept if it is the first: the application may take it for the environment's."""
        with self.state.monitor:
            if self.state.failure is None:  # what comes after a divergence only follows from it
                self.state.fault = self.state.fault or error
        return error

    # The session --------------------------------------------------------------------------------

    def count_left(self) -> int:
        """How many recorded events are not used, as the file counts them."""
        with self.state.monitor:
            return len(self.window.unused_entries())

    def driver_is_needed(self) -> bool:
        """Whether the tape has inbound calls that were not delivered.

        A driver of a live peer also waits for what the peer still has to do.
        """
        with self.state.monitor:
            if self.state.peer in (None, GONE) and self.state.only_leftovers():
                return False
            if self.state.peer is not None:
                return self.window.head() is not None
            self.window.read_all()
            return any(
                isinstance(slot.event, Start) and slot.event.inbound for slot in self.window.left()
            )

    def meet(self, peer: Patience | None) -> None:
        """Play for a live peer from now on; None when it is over."""
        with self.state.monitor:
            self.state.peer = peer
            if peer is None:
                self.loops.clock.stop()
            elif not self.loops.clock.runs:
                self.loops.hook()
                self.loops.clock.run()
            self.state.moved()

    def name_strands(self) -> None:
        """Give each strand the name of the recorded one that it continues with."""
        with self.state.monitor:
            self._matcher.strand_matching.name_strands()

    def attend(self) -> None:
        """Serve the running loop from now on, even while no call waits in it."""
        with self.state.monitor:
            self.state.check()
            self.loops.hook()
