"""A cassette from its opening for a test to its close, which depends on the outcome of the test."""

import os
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import pytest

from vcr_gen.errors import (
    CassetteError,
    DivergenceError,
    ReplayError,
    UsageError,
    VcrError,
    VerificationError,
)
from vcr_gen.pytest.cassette_options import Options
from vcr_gen.pytest.constants import CASSETTE, CASSETTE_STARTS
from vcr_gen.pytest.summary import Kind, Note
from vcr_gen.runtime.modes import Choice, Mode

if TYPE_CHECKING:
    from vcr_gen.runtime.replay.engine import Engine


class _FailedTestError(DivergenceError, pytest.fail.Exception):  # type: ignore[misc, name-defined]
    """A divergence that pytest handles as it does every failure of a test.

    pytest takes any other exception that is not an `Exception` for the end of the run: it would
    not tear down the other fixtures of the test.
    """


_FailedTestError.__module__ = DivergenceError.__module__
_FailedTestError.__name__ = _FailedTestError.__qualname__ = DivergenceError.__name__


class OpenCassette:
    """An open cassette, and the outcome so far of the tests that use it."""

    def __init__(
        self,
        path: Path,
        choice: Choice,
        options: Options,
        *,
        record_with: str,
        tests: str,
        report: Path | None,
        note: Callable[[Note], None],
    ) -> None:
        """Open the cassette.

        `tests` is the id of the test, or of all tests, that use it; empty for the whole session.
        `report` is where to write the HTML report if the replay fails. `note` takes facts for the
        terminal summary.
        """
        from vcr_gen.runtime.runs.cassette import Cassette

        self.path = path
        self.error: BaseException | None = None
        """The first failure of a test that uses it: the reason not to replace the old cassette."""
        self.users = {CASSETTE}
        """The fixtures of the test that can reach it."""
        self.used_in_teardown = False
        """Whether one of them may still use it in its teardown."""
        self._mode = choice.mode
        self._tests = tests
        self._report = report
        self._note = note
        self._closed = False
        self._reported: BaseException | None = None
        if choice.mode is Mode.ALL and path.exists():
            _refuse_foreign(path)
        self.cassette = Cassette(path, choice, record_with=record_with, **options)
        if (engine := self._engine) is not None:
            engine.state.failure_type = _FailedTestError

    def fail(self, error: BaseException) -> None:
        """Note that a test which uses the cassette did not pass."""
        self.error = self.error or error

    @property
    def shared(self) -> str:
        """Advice about a cassette that several tests share; empty if it belongs to one test."""
        if "::" in self._tests:
            return ""
        return (
            f"{self.path.name} is shared by all tests of {self._tests or 'the run'}: run them all, "
            "in the recorded order (without -k, --lf or shuffling)"
        )

    def enter_block(self, block: FrameType) -> None:
        """After a divergence, end whatever the code called by this frame waits for."""
        if (engine := self._engine) is not None:
            engine.state.watchdog.within(block)

    def swallowed(self, error: BaseException | None, test: object) -> DivergenceError | None:
        """A divergence that the application swallowed; returned once.

        A divergence that `error` shows is not swallowed, nor is one that reached the test function:
        the test may expect it (`pytest.raises`), the application may not.
        """
        divergence = self.divergence
        if divergence is None or divergence is self._reported:
            return None
        self._reported = divergence
        return None if _shows(error, divergence) or _reached(divergence, test) else divergence

    def close(self, test: object = None) -> BaseException | None:
        """Close the cassette; return its failure unless the test's own error shows it."""
        if self._closed:
            return None
        self._closed = True
        failure: BaseException | None = self.swallowed(self.error, test)
        recording = self.cassette.recording
        ended_by = self.divergence or self.error
        try:
            self.cassette.close(ended_by)
        except BaseException as raised:
            failure = failure or raised
            ended_by = raised
        self._note_outcome(recording, ended_by)
        return failure

    @property
    def divergence(self) -> DivergenceError | None:
        """The first divergence; None if an unreadable value caused it."""
        engine = self._engine
        return None if engine is None or engine.state.fault is not None else engine.state.failure

    @property
    def _engine(self) -> "Engine | None":
        try:
            return self.cassette.replay().engine
        except UsageError:  # it records: there is nothing to diverge from
            return None

    def _note_outcome(self, recording: bool, error: BaseException | None) -> None:
        kind: Kind
        detail = ""
        if recording and error is not None:
            kind, detail = "partial", self._partial_detail()
        elif recording:
            kind, detail = "recorded", self._recorded_detail()
            for name in self.cassette.stored_by_attributes:
                self._note(Note("by attributes", name))
        elif self._mode is Mode.VERIFY:
            if error is not None and not isinstance(error, VerificationError):
                return  # the test failed before there was anything to compare
            kind = "differs" if error is not None else "verified"
        elif isinstance(error, DivergenceError | ReplayError):
            kind = "diverged"
            if self._report is not None:
                self._write_report(self._report, error)
        else:
            kind = "replayed"
        self._note(Note(kind, str(self.path), detail))

    def _write_report(self, target: Path, error: DivergenceError | VcrError) -> None:
        """Write the HTML report of a failed replay; a failure to write it fails no test."""
        from vcr_gen.html_report.failure import describe_failure
        from vcr_gen.html_report.page import refuse_foreign
        from vcr_gen.html_report.session_report import write_report

        detail = ""
        try:
            refuse_foreign(target)
            write_report(target, self.path, failure=describe_failure(error, self._tests))
        except (VcrError, OSError) as problem:
            detail = f"(not written: {str(problem).splitlines()[0]})"
        self._note(Note("report", str(target), detail))

    def _recorded_detail(self) -> str:
        """A remark about a recording without events: its test may use a client of its own."""
        from vcr_gen.runtime.tape.reading import entries_of, open_regular

        with open_regular(self.path) as stream:
            is_empty = next(islice(entries_of(stream, self.path), 1, None)).kind == "end"
        return "(empty: no call reached this cassette)" if is_empty else ""

    def _partial_detail(self) -> str:
        from vcr_gen.runtime.tape.reading import partial_of

        partial = partial_of(Path(os.path.realpath(self.path)))
        before = "the cassette is unchanged" if self.path.exists() else "no cassette"
        if not partial.exists():
            return f"({before}; nothing was recorded)"
        return f"({before}; {partial.name} contains the events so far)"


def _refuse_foreign(path: Path) -> None:
    """Refuse to replace a file of another recorder, which may use the same folder."""
    with path.open("rb") as file:
        start = file.read(4096)
    lines = start.removeprefix(b"\xef\xbb\xbf").splitlines()
    if start.strip() and not any(line.startswith(CASSETTE_STARTS) for line in lines):
        raise CassetteError(
            "this file is not a cassette of vcr-gen, so it is not replaced\n\n"
            "hint: remove it, or give the cassette another name: @pytest.mark.vcrgen(name=…)",
            path=path,
        )


def _shows(error: BaseException | None, divergence: DivergenceError) -> bool:
    """Whether a report of `error` shows the divergence: as itself, in its chain or its group."""
    pending = [error]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if current is None or id(current) in seen:
            continue
        if current is divergence:
            return True
        seen.add(id(current))
        pending += [current.__cause__, current.__context__]
        if isinstance(current, BaseExceptionGroup):
            pending += current.exceptions
    return False


def _reached(divergence: DivergenceError, test: object) -> bool:
    """Whether the divergence left the test function."""
    code = getattr(test, "__code__", None)
    entry = divergence.__traceback__
    while entry is not None:
        if code is not None and entry.tb_frame.f_code is code:
            return True
        entry = entry.tb_next
    return False
