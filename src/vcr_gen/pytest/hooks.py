"""Follows each test through its phases, and lets its outcome decide on its cassette."""

import inspect
from collections.abc import Generator
from sys import _getframe
from types import FrameType
from typing import Any, Final

import pytest

from vcr_gen.errors import DivergenceError, UnusedEventsError, VcrError
from vcr_gen.pytest.claims import CASSETTE, MARKER
from vcr_gen.pytest.dependents import Dependents
from vcr_gen.pytest.guard import Guard
from vcr_gen.pytest.opening import Opener, marked_options
from vcr_gen.pytest.shortening import shorten, unittest_errors
from vcr_gen.pytest.tape import Tape

__all__ = ["Hooks", "as_failure"]

_LAST: Final = (KeyboardInterrupt, pytest.exit.Exception)
"""What ends the run: no other test follows, and nothing may hide it."""


def as_failure(complaint: BaseException, *, about: str = "") -> BaseException:
    """A complaint as it leaves a fixture: its text alone, since no frame of the user's led to it.

    It is an ordinary exception even when the complaint is not: pytest stops tearing down a test
    when a fixture raises anything else. What is no complaint of ours stays as it is.
    """
    if not isinstance(complaint, VcrError | DivergenceError):
        return complaint
    more = f"\n{about}" if about and isinstance(complaint, UnusedEventsError) else ""
    return pytest.fail.Exception(f"{complaint}{more}", pytrace=False)


class Hooks:
    """The part of the plugin that runs with every test; each process has its own."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._dependents = Dependents(CASSETTE)
        self._guard = Guard(self._tell)
        self.own: Tape | None = None
        """The tape of the test that runs."""
        self.scoped: dict[str, list[Tape]] = {}
        """The open tapes of wider scopes, by the fixture that opened them."""
        self._phase: FrameType | None = None
        """The frame of the phase that the test is in."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """See which fixtures may still use the cassette when they are torn down."""
        with self._dependents.setting_up(fixturedef), self._guard.setup(fixturedef, request):
            return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Refuse wrong markers, also where no cassette is used."""
        self.own = None
        self._enter_phase(item, _getframe(1))
        self._dependents.reset()
        if item.get_closest_marker(MARKER) is not None:
            try:
                marked_options(item)
            except VcrError as error:
                raise as_failure(error) from None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Let what the cassettes have to complain about fail the test itself."""
        error: BaseException | None = None
        result: object = None
        self._enter_phase(item, _getframe(1))
        try:
            result = yield
        except BaseException as raised:
            error = raised
        complaint = self._after_call(item, error)
        if complaint is not None and not isinstance(error, _LAST):
            complaint.__context__ = error
            raise complaint
        if error is not None:
            raise next(filter(None, (tape.uncaught(error) for tape in self._tapes(item))), error)
        return result

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Keep a divergence from ending the task in which anyio runs all tests of a scope."""
        if not (inspect.iscoroutinefunction(pyfuncitem.obj) and self._tapes(pyfuncitem)):
            return (yield)
        original = pyfuncitem.obj
        pyfuncitem.obj = self._guard.coroutine(original)
        try:
            return (yield)
        finally:
            pyfuncitem.obj = original

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, object, object]:
        """Put a recording in place only when the teardown went well too."""
        self._enter_phase(item, _getframe(1))
        if self._tapes(item):
            self._guard.teardown(item.session)
        try:
            result = yield
        except BaseException as error:
            self._end(item, error)
            raise
        complaint = self._end(item, None)
        if complaint is not None:
            raise complaint
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep the outcome, and show the user's frames alone."""
        shorten(item, call)
        report = yield
        if call.excinfo is not None or report.failed:
            error = call.excinfo.value if call.excinfo else AssertionError(report.longreprtext)
            for tape in self._tapes(item):
                tape.fail(error)
                if report.failed and tape.shared and tape.divergence is not None:
                    report.sections.append(("vcrgen", tape.shared))
        return report

    def close_own(self, item: pytest.Item) -> None:
        """The fixture is torn down: a replay is over; a recording waits for the others."""
        tape = self.own
        if tape is not None and not tape.cassette.recording:
            complaint = tape.close(_function(item))
            if complaint is not None:
                raise as_failure(complaint)

    def close_scope(self, fixture: str) -> None:
        """A module or the session is over."""
        closed = [(tape, tape.close()) for tape in self.scoped.pop(fixture, ())]
        for tape, complaint in closed:
            if complaint is not None:
                raise as_failure(complaint, about=tape.shared)

    def _after_call(self, item: pytest.Item, error: BaseException | None) -> BaseException | None:
        test = _function(item)
        _drop_repeated(unittest_errors(item))
        found: list[BaseException | None] = [
            tape.hidden(error, test) for tapes in self.scoped.values() for tape in tapes
        ]
        tape = self.own
        if tape is not None:
            if error is not None:
                tape.fail(error)
            if not isinstance(error, _LAST) and (
                tape.cassette.recording or self._dependents.may_use_later or _has_request(test)
            ):
                found.append(tape.hidden(error, test))
            else:
                ended = tape.close(test)
                if ended is not None and not isinstance(ended, DivergenceError):
                    ended = as_failure(ended)
                found.append(ended)
        return next((complaint for complaint in found if complaint is not None), None)

    def _end(self, item: pytest.Item, error: BaseException | None) -> BaseException | None:
        tape, self.own = self.own, None
        if tape is None:
            return None
        if error is not None:
            tape.fail(error)
        complaint = tape.close(_function(item))
        return None if complaint is None else as_failure(complaint)

    def _tapes(self, item: pytest.Item) -> list[Tape]:
        names = set(_fixtures(item))
        scoped = [tape for name, tapes in self.scoped.items() if name in names for tape in tapes]
        return [*scoped, *([self.own] if self.own is not None else [])]

    @property
    def _open(self) -> list[Tape]:
        scoped = [tape for tapes in self.scoped.values() for tape in tapes]
        return [*scoped, *([self.own] if self.own is not None else ())]

    def _tell(self, divergence: DivergenceError) -> bool:
        news = [tape.tell(divergence) for tape in self._open]
        return all(news)

    def opened(self, tape: Tape) -> None:
        """A tape was opened, in this phase."""
        if self._phase is not None:
            tape.enter_block(self._phase)

    def _enter_phase(self, item: pytest.Item, phase: FrameType) -> None:
        """A frame of pytest's: what it calls uses the tapes of the test, and of no other one."""
        self._phase = phase
        for tape in self._tapes(item):
            tape.enter_block(phase)


def _drop_repeated(errors: list[pytest.ExceptionInfo[BaseException]]) -> None:
    """A divergence comes again with each call: in a test of unittest and in its `tearDown`."""
    first = {id(error.value): error for error in reversed(errors)}
    errors[:] = [error for error in errors if first[id(error.value)] is error]


def _fixtures(node: object) -> tuple[str, ...]:
    return tuple(getattr(node, "fixturenames", ()))


def _function(item: pytest.Item) -> object:
    function = getattr(item, "function", None)
    return inspect.unwrap(function) if callable(function) else None


def _has_request(test: object) -> bool:
    """Whether the test itself can add finalizers, which run before the cassette's."""
    code = getattr(test, "__code__", None)
    return code is not None and "request" in code.co_varnames[: code.co_argcount]
