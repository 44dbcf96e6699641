"""Replaying: feeds the environment's recorded events, asserts the application's.

What the application does is checked at once, in the order of its strand; what the environment did
is delivered one event at a time, each when everything before it is done and, in a loop, when the
loop is idle. When nothing can move any more, the replay ends with an error that says what
every task and thread waits for.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, final

from vcr_gen.errors import (
    DecodeError,
    Divergence,
    ValueCodecError,
)
from vcr_gen.runtime.boundary.echoes import Echoes
from vcr_gen.runtime.boundary.port import Operation
from vcr_gen.runtime.boundary.rules import Rules
from vcr_gen.runtime.failures.headlines import Reporter
from vcr_gen.runtime.loops.backends import running_library
from vcr_gen.runtime.loops.session_loops import Loops
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import without_secrets
from vcr_gen.runtime.replay.asserted_answers import AssertedAnswers
from vcr_gen.runtime.replay.collecting import Collected
from vcr_gen.runtime.replay.live_peer import GONE, Patience
from vcr_gen.runtime.replay.loop_driver import LoopDriver
from vcr_gen.runtime.replay.matcher import Matcher
from vcr_gen.runtime.replay.outbound_calls import OutboundCalls
from vcr_gen.runtime.replay.repeats import Repeats
from vcr_gen.runtime.replay.replay_state import ReplayState
from vcr_gen.runtime.replay.strategies import Orders
from vcr_gen.runtime.replay.thread_driver import ThreadDriver, Unfinished
from vcr_gen.runtime.strands.strands import Strands
from vcr_gen.runtime.tape.events import End, Event, Item, Signal, Start
from vcr_gen.runtime.tape.window import REACH, Slot, Window
from vcr_gen.runtime.values.bound_methods import Bound
from vcr_gen.runtime.values.channel import ValueChannel
from vcr_gen.runtime.values.object_numbers import Objects
from vcr_gen.runtime.values.stored_values import Screen

if TYPE_CHECKING:
    from vcr_gen.runtime.extras.cassette_templates import Templates

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
        self.loops = loops
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
        self.calls = OutboundCalls(
            self.state,
            self._matcher,
            loops=loops,
            loop_driver=self.loop_driver,
            thread_driver=self._thread_driver,
            unfinished=self.unfinished,
            screen=screen,
            orders=orders,
            templates=templates,
            echoes=echoes,
        )
        self.answers = AssertedAnswers(
            self.state,
            self._matcher,
            thread_driver=self._thread_driver,
            unfinished=self.unfinished,
            screen=screen,
            echoes=echoes,
        )

    def suspect(self) -> None:
        """Fail with the state at the time an answer was given before its turn, if one was."""
        with self.state.monitor:
            if self.state.suspicion is not None:
                self.state.fail(self.state.suspicion)

    def what_is_overdue(self) -> Divergence | None:
        """The program's pending steps when time moved on to a timer."""
        with self.state.monitor:
            if not self.loop_driver.something_is_overdue():
                return None
            return without_secrets(self.state.stall(), self._screen.secrets)

    # Inbound calls, made by a driver or by a test that plays the environment ---------------------

    def enter(self, operation: Operation, stored: Mapping[str, Plain]) -> int:
        """Admit a call that the test makes as the environment: it must be the expected one."""
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

    def is_left(self, call: int) -> bool:
        """Whether a stream continues, though its reader was cancelled."""
        with self.state.monitor:
            if call < 0:
                return self.repeats.upcoming(call) is not None
            return self.state.goes_on and call in self.state.running

    def upcoming(self, call: int) -> Event | None:
        """The next recorded event of a call."""
        with self.state.monitor:
            if call < 0:
                return self.repeats.upcoming(call)
            slot = self.window.next_of_call(call)
            return None if slot is None else slot.event

    def _repeated(self, call: int) -> Event:
        with self.state.monitor:
            self.state.check()
            return self.rendered(self.repeats.next(call))

    def _recorded_strand(self) -> str:
        return self._matcher.strand_matching.name_of(self.strands.here())

    def rendered(self, event: _E) -> _E:
        """A value of the environment, with its templates rendered now."""
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

    def restore_item(self, passing: ValueChannel, event: Item) -> Any:
        """The live value of an item, whose placeholders may shift what comes after it."""
        fed = passing.secrets.times_fed
        item = self.restore(passing, event)
        if passing.secrets.times_fed != fed:
            with self.state.monitor:
                self.state.shifted.note(event.call)
        return item

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
            return self.state.keep(error)
        return self.state.keep(self.state.reporter.unreadable(error, slot.start.of, slot.line))

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

    def collect(self) -> Collected:
        """Continue after each difference from now on."""
        with self.state.monitor:
            self.state.collected = self.state.collected or Collected(self.window)
            return self.state.collected

    def give_up(self, call: int) -> None:
        """An inbound call ended with a divergence, or unanswered: its answer will not come."""
        with self.state.monitor:
            if self.state.collected is not None:
                self.state.collected.give_up(call)
                self.state.moved()
            elif self.state.leftovers:
                for slot in self.window.upcoming_of_call(call, REACH):
                    self.state.take(slot)

    def name_strands(self) -> None:
        """Give each strand the name of the recorded one that it continues with."""
        with self.state.monitor:
            self._matcher.strand_matching.name_strands()

    def attend(self) -> None:
        """Serve the running loop from now on, even while no call waits in it."""
        with self.state.monitor:
            self.state.check()
            self.loops.hook()
