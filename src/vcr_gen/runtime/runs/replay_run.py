"""How a cassette replays, from opening to closing."""

from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from vcr_gen.errors import (
    CassetteFormatError,
    CassetteMissingError,
    Divergence,
    DivergenceError,
    ReplayError,
    UsageError,
    VerificationError,
)
from vcr_gen.runtime.boundary.port import Session
from vcr_gen.runtime.boundary.rules import UnusedRuleWarning
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.failures.advice import Advice
from vcr_gen.runtime.failures.headlines import Reporter
from vcr_gen.runtime.failures.message_layout import (
    summary_of,
    unused_events_error,
    verification_error,
)
from vcr_gen.runtime.formats.file_layout import TEMPLATE_KEY, TEMPLATE_TAG
from vcr_gen.runtime.replay.engine import Engine
from vcr_gen.runtime.replay.inbound import Dispatcher, Wrappers
from vcr_gen.runtime.replay.live_peer import Patience
from vcr_gen.runtime.replay.replay_session import Replayer
from vcr_gen.runtime.runs.run import Run, Settings, warn_user
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import Reading, salvage_hint
from vcr_gen.runtime.tape.window import Window
from vcr_gen.runtime.values.object_numbers import Objects

if TYPE_CHECKING:
    from vcr_gen.runtime.extras.cassette_templates import Templates
    from vcr_gen.runtime.extras.hermetic import Guard

_TEMPLATE_SIGNS: Final = (TEMPLATE_TAG.encode(), TEMPLATE_KEY.encode())
_IN_BOTH_SIGNS: Final = b"template"
"""Most files need only one search."""

_NOT_ALONE: Final = ("strand", "inbound")
"""Keys of events of a program with threads or inbound calls, which may wait forever."""


class ReplayRun(Run):
    """Replays a recorded session."""

    calls_real = False

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._reading = open_cassette(settings.advice)
        self._guard: Guard | None = None
        try:
            self._open(settings)
        except BaseException:
            self._reading.close()
            raise

    def _open(self, settings: Settings) -> None:
        self._was_alone = not settings.other_side and _was_alone(self._reading)
        header = Header.read(self._reading.header, settings.path)
        settings.anchors.check_recorded(header.anchors, settings.path)
        self.imported = header.imported
        self._check_other_side()
        if header.has_no_order or settings.other_side:
            settings.orders.free()
        self.screen = self._screen(replaying=True)
        self._window = Window(
            self._reading, settings.before_replay, header.signatures, settings.other_side
        )
        objects = Objects(replaying=True)
        self.reporter = Reporter(
            settings.advice,
            header.signatures,
            settings.boundaries,
            self._window.origins,
            settings.anchors,
        )
        self.engine = Engine(
            self._window,
            strands=self._strands,
            loops=self._loops,
            objects=objects,
            screen=self.screen,
            reporter=self.reporter,
            orders=settings.orders,
            rules=settings.rules,
            templates=self._templates(),
            patience=settings.patience,
            pace=settings.pace,
            echoes=settings.rules.echoes,
            leftovers=settings.leftovers,
        )
        self.session = self._make_session()
        self.crossing = self._cross(self.session, objects)
        self.wrappers = Wrappers(self.crossing)
        self.dispatcher = Dispatcher(self.engine, self.wrappers)
        objects.when_exported = self.dispatcher.attend
        self.initial_state = self._restored_state(header)
        if settings.hermetic is not None and not self.calls_real:
            from vcr_gen.runtime.extras.hermetic import Guard

            hide = self.screen.secrets.text
            self._guard = Guard(settings.hermetic, settings.path, settings.boundaries, hide)

    def enter_block(self, block: FrameType) -> None:
        """Note that the session is a `with` block of this frame."""
        self.engine.state.watchdog.within(block)
        if not self._was_alone:
            self.dispatcher.watch()

    def meet(self, peer: Patience | None) -> None:
        """Play for a live peer from now on; None when it is over."""
        if not self.recording:
            self.engine.meet(peer)
            self.dispatcher.watch()

    def learn(self, boundary: Boundary) -> None:
        """Note that a wrapper of this boundary is attached; it must be of the right side."""
        if boundary.name in self._settings.other_side:
            recorded = self._recorded_boundaries()[boundary.name]
            if recorded.get("direction") == boundary.direction:
                raise UsageError(
                    f"{self._settings.path}: {boundary.name} is {boundary.direction} on both "
                    "sides\n\nhint: attach a wrapper of a Protocol with the same name and the "
                    "opposite direction, or open the cassette without other_side"
                )
        super().learn(boundary)

    def _check_other_side(self) -> None:
        for name in self._settings.other_side:
            if name not in self._recorded_boundaries():
                raise UsageError(f"other_side: {self._settings.path} has no boundary {name!r}")

    def _recorded_boundaries(self) -> Mapping[str, Any]:
        boundaries: Any = self._reading.header.get("boundaries", {})
        return boundaries if isinstance(boundaries, dict) else {}

    def _templates(self) -> "Templates | None":
        """The templates of the cassette, if any."""
        holds = self._reading.holds
        if not holds(_IN_BOTH_SIGNS) or not holds(*_TEMPLATE_SIGNS):
            return None
        from vcr_gen.runtime.extras.cassette_templates import open_templates

        return open_templates(self._reading, allowed=self._settings.templates)

    def _make_session(self) -> Session:
        return Replayer(self.engine)

    @property
    def remaining(self) -> int:
        """The number of unused recorded events."""
        return self.engine.count_left()

    def report(self, divergences: Sequence[Divergence]) -> None:
        """Raise one error for all differences that the replay continued after, if there are any."""
        failure = self.engine.state.failure
        found = list(divergences) if failure is None else [*divergences, failure.divergence]
        if divergences:
            texts = tuple(map(summary_of, found))
            raise verification_error(
                self._settings.advice, "the program no longer behaves as recorded", texts
            )

    def check(self) -> None:
        """Raise the error that ended the replay, if any."""
        self.engine.state.check()
        if self.dispatcher.errors:
            raise self.dispatcher.errors[0]

    def _inexact(self) -> Iterator[str]:
        """Whether threads woke trio tasks, which the tape does not record."""
        if self.engine.loop_driver.told_by_threads:
            yield (
                "threads passed results to trio tasks, and the tape does not record when: tasks "
                "may interleave differently than in the recording"
            )

    def _warn(self) -> None:
        super()._warn()
        known = {
            f"{boundary.name}.{key}": names
            for boundary in self._settings.boundaries.values()
            for key, names in boundary.parameter_names().items()
        }
        unused = [
            *self._settings.rules.unused(known),
            *self._settings.orders.unused(self._settings.boundaries),
        ]
        if unused:
            lines = "\n".join(f"  {line}" for line in unused)
            warn_user(
                f"{self._settings.path}: these rules loosened nothing:\n{lines}", UnusedRuleWarning
            )

    def _settle(self, error: BaseException | None) -> None:
        if error is None:
            self.engine.unfinished.drain()

    def _close(self, error: BaseException | None) -> None:
        if self._guard is not None:
            self._guard.stop()
        try:
            self.dispatcher.close()
            self.engine.state.close()
            self.dispatcher.end()
            fault, failure = self.engine.state.fault, self.engine.state.failure
            if fault is not None:
                if error is not fault:
                    raise fault  # whatever the program made of it
                return  # a divergence after it, such as an answer that never came, only follows
            if isinstance(error, VerificationError):
                return  # it has all of them
            if failure is not None and error is not failure:
                if (
                    isinstance(error, BaseExceptionGroup)
                    and error.split(DivergenceError)[1] is None
                ):
                    raise failure from None  # a task group that has nothing else to tell
                if error is None or failure.divergence.kind != "cancellation":
                    raise failure
                # A loop that ends with an error cancels what still runs: the error is the cause.
                error.add_note(f"in the replay of {self._settings.path}: {failure}")
            elif failure is None and not any(error is each for each in self.engine.state.refused):
                self._report_refused()
            if isinstance(error, Exception) and failure is None:
                self._note_what_is_overdue(error)
            if error is not None and (uncaught := self.uncaught(error)) is not None:
                raise uncaught from error
            if error is None or (isinstance(error, SystemExit) and not error.code):
                if self.dispatcher.errors:
                    raise self.dispatcher.errors[0]
                if self._guard is not None:
                    self._guard.report()
                if not self._settings.leftovers:
                    self._refuse_leftovers()
        finally:
            self._window.close()

    def uncaught(self, error: BaseException) -> ReplayError | None:
        """The failure for a recorded exception that would end the process; None for others.

        The process, or the whole test run, must not exit successfully.
        """
        for ending, method in self.engine.process_endings:
            if ending is error:
                path = self._settings.path
                return ReplayError(
                    f"{path}: {method} raised {error!r}, as recorded, but the program did not "
                    "catch it; in the recording it did\n\n"
                    f"hint: {self._settings.advice.record_again()}"
                )
        return None

    def _note_what_is_overdue(self, error: Exception) -> None:
        """Add a note to an error, such as a timeout, about the call that is missing."""
        overdue = self.engine.what_is_overdue()
        if overdue is not None:
            error.add_note(
                f"in the replay of {self._settings.path}: {overdue.headline}. Time advanced "
                "meanwhile, so a timeout may have expired that did not in the recording"
            )

    def _report_refused(self) -> None:
        """Raise what is to be said of the calls that the tape does not have, if there are any."""
        refused = self.engine.state.refused
        if len(refused) == 1:
            raise refused[0].with_traceback(None)
        self.report([each.divergence for each in refused])

    def _refuse_leftovers(self) -> None:
        self.engine.repeats.leave_out_the_rest()
        complaint = unused_events_error(self._window, self.reporter)
        if complaint is not None:
            self.engine.suspect()
            raise complaint


def _was_alone(reading: Reading) -> bool:
    """Whether the recorded program had a single strand and no inbound calls."""
    if not reading.holds(*(key.encode() for key in _NOT_ALONE)):
        return True
    # The bytes may be part of a value: check the keys of the events.
    return not any(key in entry.data for entry in reading for key in _NOT_ALONE)


def open_cassette(advice: Advice) -> Reading:
    """Open the cassette of `advice`; a missing file is an error with a hint."""
    path = advice.path
    if not path.exists():
        why = advice.choice.refusal
        in_ci = advice.choice.in_ci
        hint = advice.record("record it outside CI, and commit it" if in_ci else "record it")
        if saved := salvage_hint(path):
            hint = f"{saved}\nhint: {hint}"
        raise CassetteMissingError(f"there is no cassette, and {why}\n\nhint: {hint}", path=path)
    try:
        return Reading(path)
    except CassetteFormatError as error:
        hint = advice.record("restore the file from version control, or record again")
        raise CassetteFormatError(
            f"{error.message}\n\nhint: {hint}", path=error.path, line=error.line
        ) from None
