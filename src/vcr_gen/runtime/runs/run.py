"""The life of a cassette from opening to closing, in every mode."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from vcr_gen.errors import IncompleteError
from vcr_gen.runtime.boundary.port import Session
from vcr_gen.runtime.boundary.rules import Rules
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.codec import Registry
from vcr_gen.runtime.failures.advice import Advice
from vcr_gen.runtime.failures.call_sites import called_at, shown_path
from vcr_gen.runtime.formats import format_for
from vcr_gen.runtime.loops.clock import Clock
from vcr_gen.runtime.loops.session_loops import InexactReplayWarning, Loops
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.privacy import Redaction, Secrets
from vcr_gen.runtime.record.record_session import Recorder
from vcr_gen.runtime.record.recording_turns import RecordingTurns
from vcr_gen.runtime.record.tape_writer import NotStored, Tape
from vcr_gen.runtime.replay.live_peer import Patience
from vcr_gen.runtime.replay.strategies import Orders
from vcr_gen.runtime.strands.strands import Strands
from vcr_gen.runtime.tape.event_hooks import Hook
from vcr_gen.runtime.tape.folding import Append, Folding, Grow
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.recording import Recording
from vcr_gen.runtime.tape.redact_entries import without_late_secrets
from vcr_gen.runtime.values.anchors import Anchors
from vcr_gen.runtime.values.live_codecs import Crossing
from vcr_gen.runtime.values.object_numbers import Objects
from vcr_gen.runtime.values.stored_values import Screen

if TYPE_CHECKING:
    from vcr_gen.runtime.extras.hermetic import Hermetic
    from vcr_gen.runtime.runs.cassette import Cassette


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of an open cassette."""

    cassette: "Cassette"
    path: Path
    initial_state: Mapping[str, object]
    anchors: Anchors
    registry: Registry
    max_age: timedelta | None
    orders: Orders
    rules: Rules
    templates: bool
    patience: float
    pace: float
    other_side: frozenset[str]
    leftovers: bool
    hermetic: "Hermetic | None"
    advice: Advice
    redaction: Redaction
    before_record: Hook | None
    before_replay: Hook | None
    boundaries: dict[str, Boundary] = field(default_factory=dict)
    """Every attached boundary, by name."""


class Run(ABC):
    """One session, from opening to close."""

    session: Session
    crossing: Crossing
    screen: Screen
    initial_state: Mapping[str, Any]
    imported: Mapping[str, Any] | None = None
    """The tool that recorded the tape, from the header; None if it was vcr-gen."""
    calls_real: bool
    """Whether wrappers need the real environment."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._strands = Strands()
        self._loops = Loops(Clock())

    @property
    def recording(self) -> bool:
        """Whether the session is recording now."""
        return False

    @property
    def remaining(self) -> int:
        """The number of unused recorded events."""
        return 0

    def learn(self, boundary: Boundary) -> None:
        """Note that a wrapper of this boundary is attached."""
        self.crossing.know(boundary)
        for reachable in boundary.reachable:
            for of, path in reachable.secret_fields():
                self.screen.secrets.add_field(of, path)
        self._loops.hook(at=0.0)

    def serve_only(self) -> None:
        """Treat only the code that inbound calls start as the program."""
        self._loops.is_served = True

    def meet(self, peer: Patience | None) -> None:
        """Play for a live peer from now on; None when it is over. By default nothing plays."""
        del peer

    def close(self, error: BaseException | None) -> None:
        """End the session; `error` is what ended the block, if anything did."""
        try:
            self._settle(error)
        except BaseException as failure:
            self._end(failure)
            raise
        self._end(error)
        if error is None:
            self._warn()

    def _inexact(self) -> Iterator[str]:
        """The inexact parts, in words; empty by default."""
        yield from ()

    def _warn(self) -> None:
        """Warn about everything that could not be recorded exactly."""
        for what in self._inexact():
            warn_user(f"{self._settings.path}: {what}")

    def _end(self, error: BaseException | None) -> None:
        self._loops.release()
        try:
            self._close(error)
        finally:
            self.crossing.close()

    def _settle(self, error: BaseException | None) -> None:
        """Wait for unfinished work; by default there is none."""
        del error

    @abstractmethod
    def _close(self, error: BaseException | None) -> None: ...

    def _cross(self, session: Session, objects: Objects) -> Crossing:
        settings = self._settings
        return Crossing(settings, session, objects, self.screen.secrets)

    def _screen(self, *, replaying: bool) -> Screen:
        settings = self._settings
        secrets = Secrets(settings.redaction, replaying=replaying)
        return Screen(secrets, settings.before_record, settings.anchors)

    def _make_recorder(
        self, append: Append, grow: Grow | None = None, *, since: float = 0.0, call: int = 1
    ) -> Recorder:
        """A recorder that passes entries to `append`; the first has this time and call number."""
        now = self._loops.now
        tape = Tape(
            Folding(append, grow if format_for(self._settings.path).grows else None),
            now=(lambda: round(since + now(), 6)) if since else now,
            real=self._loops.clock.real,
            strands=self._strands,
            screen=self.screen,
            site=called_at,
            first_call=call,
        )
        turns = RecordingTurns(self._loops.clock)
        return Recorder(tape, self._strands, self._loops, turns)

    def _restored_state(self, header: Header) -> dict[str, Any]:
        """The initial state in the header of a recorded cassette."""
        passing = self.crossing.binder.anything("initial_state")
        return {name: passing.restore(value) for name, value in header.initial_state.items()}

    def _new_header(self) -> Header:
        return Header(
            recorded_at=datetime.now(UTC),
            initial_state=self._stored_state(),
            anchors=self._settings.anchors.names,
            max_age=self._settings.max_age,
            order=self._settings.orders.in_words(),
            strategy=self._settings.orders.strategies_in_words(),
            redaction=self._settings.redaction.header(),
        )

    def _plain_header(self, header: Header) -> dict[str, Plain]:
        """The header for the file, with everything the session used."""
        anchors = self._settings.anchors
        met = tuple(sorted({*header.anchors, *anchors.names}))
        rules = self.crossing.binder.in_words()
        return replace(header, anchors=met).plain(self._settings.boundaries, rules)

    def _put_in_place(
        self,
        file: Recording | None,
        header: Header,
        failures: Sequence[NotStored],
        error: BaseException | None,
    ) -> None:
        """Finish a recording; a failed one stays beside the cassette as a partial file.

        `failures` are those that the program did not see, `error` is what ended the session.
        """
        if file is not None and error is None and not failures:
            try:
                self._finish(file, self._plain_header(header))
            except BaseException:
                file.abandon()
                raise
            return
        partial = None if file is None else file.abandon()
        if error is None:
            raise incomplete(self._settings.path, failures, partial) from failures[0].error

    def _finish(self, file: Recording, header: dict[str, Plain]) -> None:
        """Save a recording, without secrets that were stored before they were known."""
        secrets = self.screen.secrets
        known = secrets.vault.known
        is_late = secrets.redactor.unseen.may_hold(known) or any(map(file.holds, known))
        rewrite = partial(without_late_secrets, secrets=secrets, path=self._settings.path)
        header = secrets.header_without_known(header)
        file.finish(header, rewrite=rewrite if is_late else None)

    def _stored_state(self) -> dict[str, Plain]:
        passing = self.crossing.binder.anything("initial_state")
        state = self._settings.initial_state
        return self.screen.state({name: passing.encode(state[name]) for name in state})


def incomplete(
    path: Path, failures: Sequence[NotStored], partial: Path | None = None
) -> IncompleteError:
    """The error for an incomplete recording."""
    reasons = "\n\n".join(map(str, failures))
    kept = f"\n\nrecorded before the failure: {shown_path(partial)}" if partial else ""
    return IncompleteError(
        f"{shown_path(path)}: the recording is incomplete and was not saved: "
        f"some values could not be stored\n\n{reasons}{kept}",
        path=path,
        failures=[failure.error for failure in failures],
        partial=partial,
    )


def warn_user(message: str, kind: type[Warning] = InexactReplayWarning) -> None:
    """Issue a warning at the line that closes the cassette."""
    warnings.warn(message, kind, stacklevel=6)
