"""One recorded session: opened, shared by every wrapper, and closed."""

import os
import re
import warnings
from collections.abc import Collection, Iterable, Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from os import PathLike
from pathlib import Path
from sys import _getframe
from types import TracebackType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    Self,
    TypeAlias,
    final,
    get_args,
)
from weakref import finalize

from vcr_gen.errors import CassetteError, DivergenceError, UsageError, VcrError
from vcr_gen.runtime.boundary.port import Link
from vcr_gen.runtime.boundary.rules import Repeat, Rule, Rules
from vcr_gen.runtime.boundary.spec import Boundary
from vcr_gen.runtime.codec import Registry
from vcr_gen.runtime.codec.lookup import plain_type_name
from vcr_gen.runtime.context_blocks import setting
from vcr_gen.runtime.failures.advice import Advice
from vcr_gen.runtime.failures.call_sites import hide_our_frames, shown_path
from vcr_gen.runtime.failures.format_values import show_age
from vcr_gen.runtime.modes import Choice, Mode, choose, records
from vcr_gen.runtime.privacy import Redaction
from vcr_gen.runtime.replay.live_peer import LIMIT
from vcr_gen.runtime.replay.strategies import Order, Orders, Strategy
from vcr_gen.runtime.runs.peer import Peer
from vcr_gen.runtime.runs.record_run import RecordRun
from vcr_gen.runtime.runs.replay_run import ReplayRun
from vcr_gen.runtime.runs.run import Run, Settings
from vcr_gen.runtime.tape.event_hooks import Hook
from vcr_gen.runtime.tape.header import Header
from vcr_gen.runtime.tape.reading import read_header
from vcr_gen.runtime.tape.recording import Recording
from vcr_gen.runtime.values.anchors import Anchors, usual_roots

if TYPE_CHECKING:
    from vcr_gen.runtime.extras.hermetic import Hermetic

WhenStale: TypeAlias = Literal["warn", "fail", "record"]

_NO_CODECS: Final = Registry()
"""The registry of cassettes without `codecs`, which share compiled codecs."""

_CLOSE_IT: Final = "open it with `with Cassette(…) as cassette:`"
_NAME: Final = re.compile(r"[A-Za-z][\w.-]*")
_GIVEN_NAME: Final[ContextVar[str]] = ContextVar("vcr_gen_name", default="")
"""The name of the wrappers that are made now: their constructors do not take one."""
_INTERCHANGEABLE: Final[ContextVar[bool]] = ContextVar("vcr_gen_interchangeable", default=False)
"""Whether the wrappers that are made now are not numbered."""


class StaleCassetteWarning(UserWarning):
    """A cassette is older than its maximum age."""


@final
class Cassette:
    """One ordered tape of everything that crosses the boundaries of a session.

    Give it to the wrappers, and close it (leave its `with` block) when the session is over: then a
    recording is put in place, and a replay that left events unused fails.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        mode: str | Mode | Choice | None = None,
        *,
        initial_state: Mapping[str, object] | None = None,
        anchors: Mapping[str, str | PathLike[str] | None] | None = None,
        max_age: timedelta | None = None,
        when_stale: WhenStale = "warn",
        codecs: Registry | None = None,
        order: Order | Mapping[str, Order] | None = None,
        strategy: Strategy | Mapping[str, Strategy] = "exact",
        rules: Iterable[Rule | Repeat] = (),
        templates: bool = False,
        patience: float = 2.0,
        pace: float = 0.0,
        other_side: Collection[str] = (),
        leftovers: bool = False,
        redaction: Redaction | None = None,
        before_record: Hook | None = None,
        before_replay: Hook | None = None,
        hermetic: "Literal['warn', 'fail'] | Hermetic | None" = None,
        record_with: str = "",
    ) -> None:
        """Open the cassette at `path`.

        `initial_state` is stored when recording and read back when replaying. `anchors` are roots
        under which paths are stored relative; None switches an automatic one off. `max_age` is how
        old a recording may be, and `when_stale` what happens to an older one. `codecs` adds types
        that the codec does not know.
        `order` says how strictly the order of outbound calls is asserted, for all boundaries or for
        each: inside every `strand` (the default), in `total`, or in `lanes` (the default for an
        imported cassette). `strategy` says, in the same form, which parts of a call must agree.
        `rules` name fields that are not compared, or are compared by a function, and calls that
        may repeat. `templates` allows values that each replay computes. `patience` is how many
        seconds a replay waits for inactive threads. `pace` makes the environment take
        this multiple of its recorded time. `other_side` names boundaries that a replay plays from
        the other side: what was outbound is inbound. `leftovers` allows a replay to leave events
        unused. `hermetic` reports connections,
        processes and files outside the boundaries during a replay. `record_with` is the command
        that records this session, for messages; the pytest plugin sets it. `redaction` adds rules
        for secrets. `before_record` gets every event and returns the value to store, or to compare
        in a replay; `before_replay` does the same for recorded events.
        """
        try:
            if when_stale not in get_args(WhenStale):
                words = ", ".join(get_args(WhenStale))
                raise UsageError(f"unknown when_stale {when_stale!r}: expected one of {words}")
            if not isinstance(max_age, timedelta | None):
                raise UsageError(f"max_age: expected a timedelta; got {max_age!r}")
            if pace < 0:
                raise UsageError(f"pace: expected a number that is not negative; got {pace!r}")
            if odd := [name for name in initial_state or () if not isinstance(name, str)]:
                raise UsageError(f"initial_state: expected names as its keys; got {odd[0]!r}")
            self.path = Path(path)
            choice = choose(os.environ, mode)
            self.mode = choice.mode
            self._instances: dict[str, int] = {}
            self._closed = False
            self._process = os.getpid()
            self._settings = Settings(
                cassette=self,
                path=self.path,
                initial_state=initial_state or {},
                anchors=Anchors(anchors or {}, usual=usual_roots()),
                registry=codecs or _NO_CODECS,
                max_age=max_age,
                orders=Orders(order, strategy),
                rules=Rules(rules),
                templates=templates,
                patience=patience,
                pace=pace,
                other_side=frozenset(other_side),
                leftovers=leftovers,
                redaction=redaction or Redaction(),
                before_record=before_record,
                before_replay=before_replay,
                hermetic=_hermetic(hermetic),
                advice=Advice(self.path, choice, record_with),
            )
            self._stored_before = self._settings.registry.by_attributes.copy()
            kind = self._kind_of_run(max_age, when_stale)
            if other_side and kind is not ReplayRun:
                raise UsageError(f"other_side: {self.path} is not replayed in this mode")
            self._run = kind(self._settings)
        except VcrError as error:
            hide_our_frames(error)
            raise
        file = self._run.file if isinstance(self._run, RecordRun) else None
        opener = _getframe(1)
        place = (opener.f_code.co_filename, opener.f_lineno)
        self._when_forgotten = finalize(self, _never_closed, self.path, file, place, os.getpid())
        try:
            self._warn_on_opening(choice, file)
        except Warning as warning:
            self.close(warning)
            raise

    @property
    def initial_state(self) -> Mapping[str, Any]:
        """The initial state: as passed in a recording, or read back in a replay."""
        return self._run.initial_state

    def loosen(self, *rules: Rule | Repeat, default: bool = False) -> None:
        """Add rules for comparing fields and for repetitions, before the first call they are for.

        A `default` rule gives way to any other for its field, and may be of no use here.
        """
        self._settings.rules.add(*rules, default=default)

    def peer(self, limit: float | None = LIMIT, *, pauses: bool = True) -> Peer:
        """A block in which a program outside the process is at the other end of the wrappers.

        Time is real in it. While no call is in flight, the program may pause; otherwise, or where
        it never `pauses`, it has `limit` seconds for its next step. A recording ignores the block.
        """
        return Peer(self._run, limit, pauses=pauses)

    @property
    def imported(self) -> Mapping[str, Any] | None:
        """The origin of an imported cassette, from its header; None if vcr-gen recorded it."""
        return self._run.imported

    @property
    def recording(self) -> bool:
        """Whether the session is recording now."""
        return self._run.recording

    @property
    def stored_by_attributes(self) -> list[str]:
        """The ordinary classes whose objects were stored by their attributes so far."""
        stored = self._settings.registry.by_attributes - self._stored_before
        return sorted(map(plain_type_name, stored))

    @property
    def calls_real(self) -> bool:
        """Whether outbound wrappers need the real environment."""
        return self._run.calls_real

    @property
    def leftovers(self) -> bool:
        """Whether a replay may leave events unused."""
        return self._settings.leftovers

    @property
    def remaining(self) -> int:
        """The number of unused recorded events, as counted by `vcr-gen cassette check`."""
        return self._run.remaining

    def __enter__(self) -> Self:
        if isinstance(self._run, ReplayRun):
            self._run.enter_block(_getframe(1))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        if error is not None:
            hide_our_frames(error)
        try:
            self.close(error)
        except (VcrError, DivergenceError) as failure:
            hide_our_frames(failure)
            raise

    def close(self, error: BaseException | None = None) -> None:
        """End the session: save the recording, or check that all events were used.

        `error` ended the session, if given: then a recording stays partial.
        """
        if not self._closed:
            self._closed = True
            self._when_forgotten.detach()
            if os.getpid() != self._process:  # a forked child: the file belongs to its parent
                return
            self._run.close(error)

    def attach(
        self, boundary: Boundary, wrapper: object, inner: object, *, handle: str = ""
    ) -> Link:
        """Attach a wrapper; `handle` is its number if it wraps a live object."""
        if os.getpid() != self._process:
            raise UsageError(
                f"{self.path}: the cassette belongs to the process that opened it\n\n"
                "hint: open a separate cassette in the forked process"
            )
        if self._closed:
            raise UsageError(
                f"{self.path}: the cassette is closed; no wrapper can be attached any more\n\n"
                "hint: attach wrappers before its `with` block or test ends"
            )
        for reachable in boundary.reachable:
            known = self._settings.boundaries.setdefault(reachable.name, reachable)
            if known is not reachable and not reachable.has_calls_of(known):
                raise UsageError(
                    f"two boundaries are called {reachable.name!r}: {known.protocol} and "
                    f"{reachable.protocol}; rename one of them: @{reachable.direction}(name=…)"
                )
        self._settings.orders.check(boundary)
        self._run.learn(boundary)
        if handle:
            return self._run.crossing.link(handle)
        instance = self._instance(boundary)
        self._run.crossing.objects.attach(
            instance or boundary.name, wrapper, inner, inbound=boundary.direction == "inbound"
        )
        return self._run.crossing.link(instance)

    def naming(self, name: str) -> AbstractContextManager[None]:
        """A block in which wrappers get a name that distinguishes them from others of the boundary.

        Those without a name are numbered in the order in which they are made.
        """
        if not _NAME.fullmatch(name):
            raise UsageError(f"name: expected letters, digits, '.', '_' or '-'; got {name!r}")
        return setting(_GIVEN_NAME, name)

    def interchangeable(self) -> AbstractContextManager[None]:
        """A block in which wrappers are not numbered: it makes no difference which one is called.

        It is for programs that make a client for each thread or task, in any order.
        """
        return setting(_INTERCHANGEABLE, True)

    def serve_only(self) -> None:
        """Declare that inbound calls start the program; everything else is its environment.

        The rest may run in the same event loop, such as a server that a replay does not start.
        """
        self._run.serve_only()

    def rename(self, name: str) -> None:
        """Put the recording in place under another name, in the same folder, with its suffix."""
        if not isinstance(self._run, RecordRun) or Path(name).suffix != self.path.suffix:
            raise UsageError(f"{self.path}: only a recording, with its suffix, can be renamed")
        self.path = self.path.with_name(name)
        self._run.rename(name)

    def replay(self) -> ReplayRun:
        """The replay of this cassette; an error if it records."""
        if isinstance(self._run, ReplayRun) and not self._run.recording:
            return self._run
        raise UsageError(
            f"{self.path}: a Driver works only in a replay; in mode {self.mode.value!r} the real "
            "environment makes the inbound calls\n\n"
            "hint: use a Driver only where `cassette.calls_real` is false"
        )

    def _warn_on_opening(self, choice: Choice, file: Recording | None) -> None:
        if choice.by_ci and choice.ignored:
            warnings.warn(f"{self.path}: {choice.ignored}", stacklevel=3)
        if file is not None and file.left_open_at:
            message = (
                f"{self.path}: the last recording was not saved, because the cassette opened at "
                f"{file.left_open_at} was never closed; {_CLOSE_IT}"
            )
            warnings.warn(message, stacklevel=3)

    def _instance(self, boundary: Boundary) -> str:
        """Which of several wrappers of a boundary this is; other tools do not record it."""
        if self.imported is not None:
            return ""
        given = _GIVEN_NAME.get()
        name = f"{boundary.name}~{given}" if given else boundary.name
        if _INTERCHANGEABLE.get():
            return name if given else ""
        count = self._instances[name] = self._instances.get(name, 0) + 1
        if count > 1:
            return f"{name}~{count}"
        return name if given else ""

    def _kind_of_run(self, max_age: timedelta | None, when_stale: WhenStale) -> type[Run]:
        """The run for the mode; rare kinds are imported on first use."""
        if self.mode is Mode.VERIFY:
            from vcr_gen.runtime.runs.verify_run import VerifyRun

            return VerifyRun
        if records(self.mode, self.path) or self._is_stale(max_age, when_stale):
            return RecordRun
        if self.mode is Mode.NEW_EPISODES:
            from vcr_gen.runtime.runs.new_episodes import ContinueRun

            return ContinueRun
        return ReplayRun

    def _is_stale(self, max_age: timedelta | None, when_stale: WhenStale) -> bool:
        """Whether the recording is too old and must be recorded again."""
        try:
            header = Header.read(read_header(self.path), self.path)
        except CassetteError:  # which the run reports, with advice
            return False
        limit = header.max_age if max_age is None else max_age
        age = datetime.now(UTC) - header.recorded_at
        if limit is None or age <= limit:
            return False
        message = f"the recording is {show_age(age)} old; the maximum age is {show_age(limit)}"
        if when_stale == "record" and self.mode is Mode.NONE:
            advice = self._settings.advice.record("record again")
            hint = f"hint: mode 'none' never records; {advice}"
            raise CassetteError(f"{message}\n\n{hint}", path=self.path)
        if when_stale == "fail":
            hint = self._settings.advice.record("record again")
            raise CassetteError(f"{message}\n\nhint: {hint}", path=self.path)
        if when_stale == "warn":
            warnings.warn(f"{self.path}: {message}", StaleCassetteWarning, stacklevel=4)
        return when_stale == "record"


def _never_closed(
    path: Path, file: Recording | None, opener: tuple[str, int], process: int
) -> None:
    """Warn that a cassette was dropped while it was open, at the line that opened it."""
    if os.getpid() != process:
        return
    what = "unused events were not reported"
    if file is not None:
        file.mark_as_never_closed(f"{shown_path(Path(opener[0]))}:{opener[1]}")
        what = "the recording is not saved"
    warnings.warn_explicit(
        f"{path}: the cassette was never closed, so {what}; {_CLOSE_IT}",
        ResourceWarning,
        *opener,
    )


def _hermetic(given: "Literal['warn', 'fail'] | Hermetic | None") -> "Hermetic | None":
    """The policy for a word; None if a replay is not guarded."""
    if not isinstance(given, str):
        return given
    from vcr_gen.runtime.extras.hermetic import Hermetic

    return Hermetic(action=given)
