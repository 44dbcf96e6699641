"""The only module that relies on the insides of pytest.

It turns divergences into ordinary failures, and sees which fixtures use the cassette. pytest takes
anything that is not an `Exception` for the end of the run: after a divergence it would neither tear
down the other fixtures of the test nor set the failed one up again for the next test.
"""

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar, final

import pytest

from vcr_gen.errors import DivergenceError

__all__ = ["CassetteUsers", "DivergenceGuard", "unittest_errors"]

_T = TypeVar("_T")


def unittest_errors(item: pytest.Item) -> list[pytest.ExceptionInfo[BaseException]]:
    """The exceptions of a `unittest` test; pytest reports one of them in each phase."""
    return getattr(item, "_excinfo", None) or []


@final
class DivergenceGuard:
    """Raises divergences as ordinary test failures.

    `report` is called with each divergence; it returns False if it was reported before.
    """

    def __init__(self, report: Callable[[DivergenceError], bool]) -> None:
        self._report = report

    def coroutine(self, test: Callable[..., Awaitable[_T]]) -> Callable[..., Awaitable[_T]]:
        """A test coroutine that raises failures instead of divergences."""

        @functools.wraps(test)
        async def guarded(*arguments: Any, **options: Any) -> _T:
            with self.as_failure():
                return await test(*arguments, **options)

        return guarded

    @contextmanager
    def fixture_setup(
        self, definition: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        """Make pytest treat a fixture that diverged as one that failed."""
        try:
            with self.as_failure():
                yield
        except pytest.fail.Exception as failure:
            if definition.cached_result is None:
                key = getattr(request, "param", None)  # the same key that pytest uses
                definition.cached_result = (None, key, (failure, failure.__traceback__))
            raise

    def guard_teardown(self, session: pytest.Session) -> None:
        """Make every pending finalizer raise failures instead of divergences."""
        state = getattr(session, "_setupstate", None)
        for finalizers, _ in getattr(state, "stack", {}).values():
            finalizers[:] = [
                finalizer if isinstance(finalizer, _GuardedFinalizer) else self._guarded(finalizer)
                for finalizer in finalizers
            ]

    def _guarded(self, finalizer: Callable[[], object]) -> "_GuardedFinalizer":
        return _GuardedFinalizer(self, finalizer)

    @contextmanager
    def as_failure(self) -> Iterator[None]:
        """Raise a divergence as a failure with the same frames; the full text appears once."""
        try:
            yield
        except DivergenceError as divergence:
            raise self._failure(divergence, divergence.__traceback__) from None

    def _failure(
        self, divergence: DivergenceError, traceback: TracebackType | None
    ) -> BaseException:
        text = str(divergence)
        if not self._report(divergence):
            text = f"the replay had already ended: {divergence.divergence.headline}"
        return pytest.fail.Exception(text).with_traceback(traceback)


@final
class _GuardedFinalizer:
    """A finalizer that raises failures instead of divergences."""

    def __init__(self, guard: DivergenceGuard, finalizer: Callable[[], object]) -> None:
        self._guard = guard
        self._finalizer = finalizer

    def __call__(self) -> None:
        with self._guard.as_failure():
            self._finalizer()


class CassetteUsers:
    """The fixtures of the running test that can reach the cassette.

    If none of them has a teardown, the cassette is closed with the test itself, so that unused
    events fail the test rather than cause an error after it.
    """

    def __init__(self, fixture: str) -> None:
        self._fixture = fixture
        self._names: set[str] = set()
        self._setting_up: list[pytest.FixtureDef[Any]] = []
        self.may_use_it_in_teardown = False

    def reset(self) -> None:
        """Forget the fixtures of the previous test."""
        self._names.clear()
        self._setting_up.clear()
        self.may_use_it_in_teardown = False

    @contextmanager
    def watch_setup(self, definition: pytest.FixtureDef[Any]) -> Iterator[None]:
        """Surrounds the setup of a fixture."""
        if definition.argname == self._fixture:
            # Fixtures that are being set up now asked for the cassette through `request`.
            self._names = {self._fixture}
            for outer in self._setting_up:
                self._add(outer)
        elif self._names and not self._names.isdisjoint(definition.argnames):
            self._add(definition)
        self._setting_up.append(definition)
        try:
            yield
        finally:
            if self._setting_up:
                self._setting_up.pop()

    def _add(self, definition: pytest.FixtureDef[Any]) -> None:
        self._names.add(definition.argname)
        if _has_teardown(definition):
            self.may_use_it_in_teardown = True


def _has_teardown(definition: pytest.FixtureDef[Any]) -> bool:
    function = definition.func
    return (
        inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
        or "request" in definition.argnames
    )
