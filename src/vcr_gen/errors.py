"""Every error that a user of vcr-gen can get.

    VcrError
    ├── UsageError                  the API was used incorrectly
    ├── CassetteError               a cassette file cannot be used
    │   ├── CassetteMissingError    there is none, and the mode does not record
    │   ├── CassetteFormatError     it is truncated, of an unknown version, or not a cassette
    │   ├── CassetteTemplateError   its template is not allowed, or cannot be rendered
    │   └── CassetteWriteError      it cannot be written
    │       └── CassetteBusyError   another recording of it is running
    ├── ValueCodecError             a value does not match its declared type
    │   ├── EncodeError             while recording, or when an outbound value is compared
    │   └── DecodeError             while reading a recorded value
    ├── ReplayError
    │   ├── UnusedEventsError       some recorded events were not used
    │   ├── HermeticError           a replay bypassed its boundaries
    │   ├── IncompleteError         some values could not be stored, so the recording was not saved
    │   └── VerificationError       the real environment no longer behaves as recorded
    └── RefusedError                the generator refuses (in `vcr_gen.gen.diagnostics`)

    DivergenceError                 the program behaves differently than recorded

Exceptions carry data, and a text that is made from it. `DivergenceError` is not an `Exception`:
application code that catches `Exception` must not hide it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from vcr_gen.runtime.codec import Difference

__all__ = [
    "CassetteBusyError",
    "CassetteError",
    "CassetteFormatError",
    "CassetteMissingError",
    "CassetteTemplateError",
    "CassetteWriteError",
    "DecodeError",
    "Divergence",
    "DivergenceError",
    "DivergenceKind",
    "EncodeError",
    "HermeticError",
    "IncompleteError",
    "RecordedEvent",
    "ReplayError",
    "UnusedEventsError",
    "UsageError",
    "ValueCodecError",
    "VcrError",
    "VerificationError",
]


class VcrError(Exception):
    """The root of all errors of vcr-gen, except `DivergenceError`."""


class UsageError(VcrError):
    """The API was used incorrectly."""


class CassetteError(VcrError):
    """A cassette file cannot be used."""

    def __init__(self, message: str, *, path: Path, line: int | None = None) -> None:
        self.message = message
        self.path = path
        self.line = line
        place = f"{path}:{line}" if line is not None else f"{path}"
        super().__init__(f"{place}: {message}")


class CassetteMissingError(CassetteError):
    """There is no cassette, and the mode does not record."""


class CassetteFormatError(CassetteError):
    """The file is truncated, of an unknown version, or not a cassette."""


class CassetteTemplateError(CassetteError):
    """A template is not allowed at its place, or cannot be rendered."""


class CassetteWriteError(CassetteError):
    """The cassette cannot be written; the old cassette is unchanged."""


class CassetteBusyError(CassetteWriteError):
    """Another recording of the cassette is running."""


class ValueCodecError(VcrError):
    """A value does not match its declared type."""

    def __init__(
        self, *, path: str, expected: str, got: str, hint: str = "", place: str = ""
    ) -> None:
        self.path = path
        self.expected = expected
        """The values that the declared type allows; empty if vcr-gen cannot store the type."""
        self.got = got
        self.hint = hint
        self.place = place
        """Cassette `file:line` of the recorded value, if any."""
        where = f"{place}: {path}" if place else path
        advice = f"\nhint: {hint}" if hint else ""
        problem = f"expected {expected}, got {got}" if expected else f"cannot store {got}"
        super().__init__(f"{where}: {problem}{advice}")


class EncodeError(ValueCodecError):
    """A live value cannot be stored under its declared type."""


class DecodeError(ValueCodecError):
    """A stored value does not match its declared type."""


class ReplayError(VcrError):
    """A replay did not match the recording."""


class UnusedEventsError(ReplayError):
    """The program left recorded events unused."""

    def __init__(
        self,
        message: str,
        *,
        path: Path,
        events: "tuple[RecordedEvent, ...]",
        likely: str,
        hint: str,
    ) -> None:
        self.path = path
        self.events = events
        self.likely = likely
        self.hint = hint
        super().__init__(message)


class HermeticError(ReplayError):
    """In a hermetic replay, the program bypassed its boundaries."""

    def __init__(self, message: str, *, kind: str, target: str, stack: Sequence[str]) -> None:
        self.kind = kind
        """`connection`, `process` or `file`."""
        self.target = target
        self.stack = tuple(stack)
        """The call stack, innermost frame first."""
        super().__init__(message)


class IncompleteError(ReplayError):
    """Some values could not be stored, so the recording was not saved."""

    def __init__(
        self,
        message: str,
        *,
        path: Path,
        failures: Sequence[BaseException],
        partial: Path | None,
    ) -> None:
        self.path = path
        self.failures = tuple(failures)
        """The reasons: `EncodeError`, `CassetteWriteError`, …"""
        self.partial = partial
        """The partial file with the events before the first failure, if any."""
        super().__init__(message)


class VerificationError(ReplayError):
    """All the ways in which the environment, or a driven program, differs from the recording."""

    def __init__(self, message: str, *, path: Path, differences: Sequence[str], hint: str) -> None:
        self.path = path
        self.differences = tuple(differences)
        self.hint = hint
        super().__init__(message)


DivergenceKind: TypeAlias = Literal[
    "argument",
    "order",
    "extra",
    "missing",
    "signature",
    "answer",
    "stream",
    "cancellation",
    "unanswered",
    "unheard",
    "undriven",
]
"""What most likely changed, in one word; `docs/reference/python-api.md` explains each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEvent:
    """A recorded event, for messages."""

    boundary: str
    method: str
    what: str
    """The event in words, on one line."""
    number: int
    """Its number in the file, as `vcr-gen cassette show` counts."""
    line: int

    def __str__(self) -> str:
        return f"{self.what} [event {self.number}, line {self.line}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The facts of a divergence; `DivergenceError` is the text made from them.

    Values are in their stored form, without secrets.
    """

    kind: DivergenceKind
    headline: str
    """One sentence that says what differs."""
    cassette: Path
    boundary: str = ""
    method: str = ""
    due: RecordedEvent | None = None
    """The expected recorded event; None at the end of the tape."""
    actual: str = ""
    """What the program did instead; empty if it did nothing."""
    differences: "tuple[Difference, ...]" = ()
    """Field-level differences, each with `path`, `recorded`, `actual` and `reason`."""
    shown: "tuple[Difference, ...]" = ()
    """The same for messages, with the types that the program declares."""
    anchors: tuple[str, ...] = ()
    """The anchors in the differences, each with its current root."""
    nearest: tuple[RecordedEvent, ...] = ()
    """The recorded calls most similar to the actual one."""
    call_site: str = ""
    """`file:line in function`, in the application."""
    done: tuple[RecordedEvent, ...] = ()
    """The last events done."""
    waiting: tuple[str, ...] = ()
    """What each waiting task and thread waits for, and where."""
    likely: str = ""
    """What most likely changed, in words."""
    hint: str = ""
    """What to do next, in words."""
    commands: tuple[str, ...] = ()
    """The commands to run next, the best one first."""

    @property
    def event(self) -> int | None:
        """The number of the expected event; None at the end of the tape."""
        return None if self.due is None else self.due.number

    @property
    def line(self) -> int | None:
        """The line of that event in the cassette."""
        return None if self.due is None else self.due.line

    @property
    def place(self) -> str:
        """`file:line` of that event."""
        return f"{self.cassette}" if self.due is None else f"{self.cassette}:{self.due.line}"


class DivergenceError(BaseException):
    """The program behaves differently than recorded."""

    def __init__(self, divergence: Divergence, text: str) -> None:
        self.divergence = divergence
        super().__init__(text)
