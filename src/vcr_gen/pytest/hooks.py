"""Follows each test through its phases; the outcome decides what becomes of its cassette."""

import gc
import inspect
from collections.abc import Generator
from sys import _getframe
from types import FrameType
from typing import Any, Final

import pytest

from vcr_gen.errors import DivergenceError, UnusedEventsError, VcrError
from vcr_gen.pytest.constants import CASSETTE, MARKER, PREFIX
from vcr_gen.pytest.open_cassette import OpenCassette
from vcr_gen.pytest.options import ModeChoice, marked_options
from vcr_gen.pytest.pytest_internals import CassetteUsers, DivergenceGuard, unittest_errors

__all__ = ["Hooks", "as_failure", "hide_our_frames_in"]

_ENDS_THE_RUN: Final = (KeyboardInterrupt, pytest.exit.Exception)
"""No other test follows, and nothing may hide the reason."""


def as_failure(error: BaseException, *, advice: str = "") -> BaseException:
    """The failure that a fixture raises for an error of ours: its text, without a traceback.

    It is an ordinary exception even for a divergence, because pytest stops tearing down a test when
    a fixture raises anything else. Other errors are returned as they are.
    """
    if not isinstance(error, VcrError | DivergenceError):
        return error
    more = f"\n{advice}" if advice and isinstance(error, UnusedEventsError) else ""
    return pytest.fail.Exception(f"{error}{more}", pytrace=False)


class Hooks:
    """The part of the plugin that runs with every test of this process."""

    def __init__(self, mode: ModeChoice) -> None:
        self._mode = mode
        self._users = CassetteUsers(CASSETTE)
        self._guard = DivergenceGuard(self._report)
        self._of_test: OpenCassette | None = None
        """The cassette of the running test."""
        self._shared: dict[str, list[OpenCassette]] = {}
        """The open cassettes of wider scopes, by the fixture that opened them."""
        self._phase: FrameType | None = None
        """pytest's frame for the current phase of the test."""

    def pytest_report_header(self) -> str | None:
        """Show the mode, unless it is the default."""
        if self._mode.ignored:
            return (
                f"vcrgen: {self._mode.ignored} is ignored because CI is set: replaying; "
                "--vcrgen-mode=all records"
            )
        return f"vcrgen: mode {self._mode.mode}" if self._mode.mode != "none" else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """See which fixtures may still use the cassette in their teardown."""
        with (
            self._users.watch_setup(fixturedef),
            self._guard.fixture_setup(fixturedef, request),
        ):
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse invalid markers, also on tests that use no cassette."""
        self._of_test = None
        self._enter_phase(item, _getframe(1))
        self._users.reset()
        if item.get_closest_marker(MARKER) is not None:
            try:
                marked_options(item)
            except VcrError as error:
                raise as_failure(error) from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Fail the test itself for what its cassettes report."""
        error: BaseException | None = None
        result: object = None
        self._enter_phase(item, _getframe(1))
        try:
            result = yield
        except BaseException as raised:
            error = raised
        failure = self._after_call(item, error)
        if failure is not None and not isinstance(error, _ENDS_THE_RUN):
            failure.__context__ = error
            raise failure
        if error is not None:
            uncaught = (opened.uncaught(error) for opened in self._used_by(item))
            raise next(filter(None, uncaught), error)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Keep a divergence from ending the task in which anyio runs all tests of a scope."""
        if not (inspect.iscoroutinefunction(pyfuncitem.obj) and self._used_by(pyfuncitem)):
            return (yield)
        original = pyfuncitem.obj
        pyfuncitem.obj = self._guard.coroutine(original)
        try:
            return (yield)
        finally:
            pyfuncitem.obj = original

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Put a recording in place only after a teardown without errors."""
        self._enter_phase(item, _getframe(1))
        if self._used_by(item):
            self._guard.guard_teardown(item.session)
        try:
            result = yield
        except BaseException as error:
            self._close_test_cassette(item, error)
            raise
        failure = self._close_test_cassette(item, None)
        if failure is not None:
            raise failure
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Pass the outcome on to the cassettes, and show only the user's frames."""
        hide_our_frames_in(item, call)
        report = yield
        if call.excinfo is not None or report.failed:
            error = call.excinfo.value if call.excinfo else AssertionError(report.longreprtext)
            for opened in self._used_by(item):
                opened.fail(error)
                if report.failed and opened.shared and opened.divergence is not None:
                    report.sections.append(("vcrgen", opened.shared))
        return report

    def test_cassette_opened(self, opened: OpenCassette) -> None:
        """Follow the cassette of the running test."""
        self._enter_phase_of(opened)
        self._of_test = opened

    def shared_cassette_opened(self, fixture: str, opened: OpenCassette) -> None:
        """Follow a cassette that a factory opened."""
        self._enter_phase_of(opened)
        self._shared.setdefault(fixture, []).append(opened)

    def close_replay(self, item: pytest.Item) -> None:
        """Close the test's cassette in the fixture's teardown, unless it records.

        A recording stays open until the teardown of all fixtures has shown no error.
        """
        opened = self._of_test
        if opened is not None and not opened.cassette.recording:
            failure = opened.close(_function(item))
            if failure is not None:
                raise as_failure(failure)

    def close_shared(self, fixture: str) -> None:
        """Close the cassettes of a module or of the session."""
        closed = [(opened, opened.close()) for opened in self._shared.pop(fixture, ())]
        for opened, failure in closed:
            if failure is not None:
                raise as_failure(failure, advice=opened.shared)

    def _after_call(self, item: pytest.Item, error: BaseException | None) -> BaseException | None:
        """The first failure that the cassettes report after the test function."""
        test = _function(item)
        _drop_repeated(unittest_errors(item))
        failures: list[BaseException | None] = [
            opened.swallowed(error, test) for group in self._shared.values() for opened in group
        ]
        opened = self._of_test
        if opened is not None:
            if error is not None:
                opened.fail(error)
            stays_open = (
                opened.cassette.recording
                or self._users.may_use_it_in_teardown
                or _takes_request(test)
            )
            if stays_open and not isinstance(error, _ENDS_THE_RUN):
                failures.append(opened.swallowed(error, test))
            else:
                failure = opened.close(test)
                if failure is not None and not isinstance(failure, DivergenceError):
                    failure = as_failure(failure)
                failures.append(failure)
        return next((failure for failure in failures if failure is not None), None)

    def _close_test_cassette(
        self, item: pytest.Item, error: BaseException | None
    ) -> BaseException | None:
        opened, self._of_test = self._of_test, None
        if opened is None:
            return None
        if error is not None:
            opened.fail(error)
        failure = opened.close(_function(item))
        return None if failure is None else as_failure(failure)

    def _used_by(self, item: pytest.Item) -> list[OpenCassette]:
        names = set(getattr(item, "fixturenames", ()))
        shared = [opened for name in self._shared if name in names for opened in self._shared[name]]
        return [*shared, *([self._of_test] if self._of_test is not None else [])]

    def _report(self, divergence: DivergenceError) -> bool:
        shared = [opened for group in self._shared.values() for opened in group]
        every = [*shared, *([self._of_test] if self._of_test is not None else ())]
        is_new = [opened.report(divergence) for opened in every]
        return all(is_new)

    def _enter_phase(self, item: pytest.Item, phase: FrameType) -> None:
        """Code called by this frame of pytest uses the cassettes of this test only."""
        self._phase = phase
        for opened in self._used_by(item):
            opened.enter_block(phase)

    def _enter_phase_of(self, opened: OpenCassette) -> None:
        if self._phase is not None:
            opened.enter_block(self._phase)


def hide_our_frames_in(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show only the user's frames, unless `--full-trace` asks for all."""
    if item.config.getoption("fulltrace", False):
        return
    if call.excinfo is not None:
        call.excinfo = _with_user_frames(item, call.excinfo)
    errors = unittest_errors(item)
    errors[:] = [_with_user_frames(item, error) for error in errors]


def _with_user_frames(
    item: pytest.Item, info: pytest.ExceptionInfo[BaseException]
) -> pytest.ExceptionInfo[BaseException]:
    error = info.value
    uses_cassette = any(name.startswith(PREFIX) for name in getattr(item, "fixturenames", ()))
    if not uses_cassette and not isinstance(error, VcrError | DivergenceError):
        return info
    from vcr_gen.runtime.failures.call_sites import hide_our_frames

    hide_our_frames(error, pytest.fail.Exception)
    if isinstance(error, DivergenceError):
        # Abandoned tasks hold the error too. When they are collected, asyncio logs their
        # tracebacks; if that happens while pytest parses source, as it is about to, the run ends
        # with a SystemError (CPython's ast module does not nest).
        gc.collect()
    return info if error.__traceback__ is None else pytest.ExceptionInfo.from_exception(error)


def _drop_repeated(errors: list[pytest.ExceptionInfo[BaseException]]) -> None:
    """Keep each divergence once: `unittest` meets it in the test and again in `tearDown`."""
    first = {id(error.value): error for error in reversed(errors)}
    errors[:] = [error for error in errors if first[id(error.value)] is error]


def _function(item: pytest.Item) -> object:
    function = getattr(item, "function", None)
    return inspect.unwrap(function) if callable(function) else None


def _takes_request(test: object) -> bool:
    """Whether the test can add finalizers, which run before the cassette's."""
    code = getattr(test, "__code__", None)
    return code is not None and "request" in code.co_varnames[: code.co_argcount]
