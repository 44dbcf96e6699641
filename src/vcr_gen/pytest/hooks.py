"""Follows each test through its phases; the outcome decides what becomes of its cassette."""

import gc
import inspect
import re
from collections.abc import Generator, Iterator
from sys import _getframe
from types import FrameType
from typing import Any, Final

import pytest

from vcr_gen.errors import DivergenceError, ReplayError, VcrError
from vcr_gen.pytest.constants import CASSETTE, PREFIX
from vcr_gen.pytest.open_cassette import OpenCassette
from vcr_gen.runtime.failures.call_sites import shown_path
from vcr_gen.runtime.modes import Choice, Mode

_ENDS_THE_RUN: Final = (KeyboardInterrupt, pytest.exit.Exception)
"""No other test follows, and nothing may hide the reason."""


_PLACE: Final = re.compile(r".*?\.(?:ya?ml|jsonl)(?::\d+)?: ")
"""A cassette and its line, as many errors begin."""


class _ShownError(pytest.fail.Exception):  # type: ignore[misc, name-defined]
    """An error of ours that a test shows without a traceback."""

    def __init__(self, error: VcrError, advice: str) -> None:
        super().__init__(f"{shown_path(str(error))}\n{advice}".rstrip(), pytrace=False)
        self.error = error


def as_failure(error: BaseException, advice: str = "") -> BaseException:
    """The failure that a test shows for a VcrError: its text, without a traceback."""
    return _ShownError(error, advice) if isinstance(error, VcrError) else error


def begin_summary(report: pytest.TestReport, error: BaseException) -> None:
    """Let the line of a failed test in the summary begin with what differs."""
    crash = getattr(report.longrepr, "reprcrash", None)
    cause = error.error if isinstance(error, _ShownError) else error
    if crash is None or not isinstance(cause, VcrError | DivergenceError):
        return
    words = str(cause).partition("\n")[0]
    crash.message = words if isinstance(cause, DivergenceError) else _PLACE.sub("", words, count=1)


class Hooks:
    """The part of the plugin that runs with every test of this process."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        """The mode of tests that do not ask for one."""
        self._of_test: OpenCassette | None = None
        """The cassette of the running test."""
        self._shared: dict[str, list[OpenCassette]] = {}
        """The open cassettes of wider scopes, by the fixture that opened them."""
        self._shown: BaseException | None = None
        """The divergence that the report of the running test shows."""
        self._test_frame: FrameType | None = None
        """The frame of pytest that calls all code of the running test."""

    def pytest_report_header(self) -> str | None:
        """Show the mode, unless it is the default, and a variable that is ignored."""
        if self._choice.ignored:
            return f"vcrgen: {self._choice.ignored}: replaying; --vcrgen-mode=all records"
        mode = self._choice.mode
        return None if mode is Mode.NONE else f"vcrgen: mode {mode.value}"

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Forget the previous test."""
        self._of_test = self._shown = None
        self._test_frame = _getframe(1)
        for opened in self._used_by(item):
            opened.enter_block(self._test_frame)
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any]
    ) -> Generator[None, object, object]:
        """See whether a fixture may still use the cassette in its teardown.

        The errors of our own fixtures are shown without a traceback.
        """
        opened = self._of_test
        if opened is not None and not opened.users.isdisjoint(fixturedef.argnames):
            opened.users.add(fixturedef.argname)
            opened.used_in_teardown |= _has_teardown(fixturedef)
        if not fixturedef.argname.startswith(PREFIX):
            return (yield)
        try:
            return (yield)
        except VcrError as error:
            raise as_failure(error) from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail the test itself for what its cassettes report."""
        error: BaseException | None = None
        result: object = None
        try:
            result = yield
        except BaseException as raised:
            error = raised
        failures = list(self._after_call(item, error))
        failure = next(filter(None, failures), None)
        if isinstance(error, _ENDS_THE_RUN) and not isinstance(failure, ReplayError):
            raise error
        if failure is not None:
            raise as_failure(failure) from error
        if error is not None:
            raise error
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Put a recording in place only after a teardown without errors."""
        try:
            result = yield
        except BaseException as error:
            if self._of_test is not None:
                self._of_test.fail(error)
                self._of_test.close(_function(item))
            raise
        failure = None if self._of_test is None else self._of_test.close(_function(item))
        if failure is not None:
            raise as_failure(failure)
        return result

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Pass the outcome on to the cassettes; show a divergence once."""
        if call.excinfo is None:
            return
        error = call.excinfo.value
        for opened in self._used_by(item):
            opened.fail(error)
            if opened.shared and error is opened.divergence and not hasattr(error, "__notes__"):
                error.add_note(opened.shared)
        if isinstance(error, DivergenceError):
            if error is self._shown:  # the teardown gets the error that failed the test
                call.excinfo = None
            self._shown = error

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test can fail without an exception: one that should have failed, and passed."""
        if report.failed and self._of_test is not None:
            self._of_test.fail(AssertionError(report.longreprtext))

    def test_cassette_opened(self, opened: OpenCassette, item: pytest.Item) -> None:
        """Follow the cassette of the running test."""
        # A fixture that asks for it through `request` is not known.
        opened.used_in_teardown = CASSETTE not in getattr(item, "fixturenames", ())
        self._of_test = opened
        self._enter_test(opened)

    def shared_cassette_opened(self, fixture: str, opened: OpenCassette) -> None:
        """Follow a cassette that a factory opened."""
        self._shared.setdefault(fixture, []).append(opened)
        self._enter_test(opened)

    def close_shared(self, fixture: str) -> None:
        """Close the cassettes of a module or of the session."""
        closed = [(opened, opened.close()) for opened in self._shared.pop(fixture, ())]
        for opened, failure in closed:
            if failure is not None:
                raise as_failure(failure, opened.shared)

    def _after_call(
        self, item: pytest.Item, error: BaseException | None
    ) -> Iterator[BaseException | None]:
        """The failures that the cassettes report after the test function."""
        test = _function(item)
        for shared in self._shared.values():
            yield from (opened.swallowed(error, test) for opened in shared)
        opened = self._of_test
        if opened is None:
            return
        if error is not None:
            opened.fail(error)
        stays_open = (
            opened.cassette.recording or opened.used_in_teardown or _takes_request(test)
        ) and not isinstance(error, _ENDS_THE_RUN)
        yield opened.swallowed(error, test) if stays_open else opened.close(test)

    def _used_by(self, item: pytest.Item) -> list[OpenCassette]:
        names = set(getattr(item, "fixturenames", ()))
        shared = [opened for name in self._shared if name in names for opened in self._shared[name]]
        return [*shared, *([self._of_test] if self._of_test is not None else [])]

    def _enter_test(self, opened: OpenCassette) -> None:
        if self._test_frame is not None:
            opened.enter_block(self._test_frame)


def hide_our_frames_in(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show only the user's frames, unless `--full-trace` asks for all."""
    if call.excinfo is None or item.config.getoption("fulltrace", False):
        return
    error = call.excinfo.value
    uses_cassette = any(name.startswith(PREFIX) for name in getattr(item, "fixturenames", ()))
    if not uses_cassette and not isinstance(error, VcrError | DivergenceError):
        return
    from vcr_gen.runtime.failures.call_sites import hide_our_frames

    hide_our_frames(error, pytest.fail.Exception)
    if isinstance(error, DivergenceError):
        # Abandoned tasks hold the error too. When they are collected, asyncio logs their
        # tracebacks; if that happens while pytest parses source, as it is about to, the run ends
        # with a SystemError (CPython's ast module does not nest).
        gc.collect()
    if error.__traceback__ is not None:
        call.excinfo = pytest.ExceptionInfo.from_exception(error)


def _has_teardown(definition: pytest.FixtureDef[Any]) -> bool:
    function = definition.func
    return (
        inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
        or "request" in definition.argnames
    )


def _function(item: pytest.Item) -> object:
    function = getattr(item, "function", None)
    return inspect.unwrap(function) if callable(function) else None


def _takes_request(test: object) -> bool:
    """Whether the test can add finalizers, which run before the cassette's."""
    code = getattr(test, "__code__", None)
    return code is not None and "request" in code.co_varnames[: code.co_argcount]
