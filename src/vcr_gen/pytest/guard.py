"""Makes a divergence in a fixture an ordinary failure.

pytest takes anything that is not an `Exception` for the end of the run: it would neither tear down
the other fixtures of the test nor set the failed one up again for the next test.
"""

import functools
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, TypeVar, final

import pytest

from vcr_gen.errors import DivergenceError

__all__ = ["Guard"]

_T = TypeVar("_T")


@final
class Guard:
    """Turns divergences into failures; `tell` hears of each, and knows those told already."""

    def __init__(self, tell: Callable[[DivergenceError], bool]) -> None:
        self._tell = tell

    def coroutine(self, test: Callable[..., Awaitable[_T]]) -> Callable[..., Awaitable[_T]]:
        """A test coroutine that never raises a divergence as such."""

        @functools.wraps(test)
        async def guarded(*arguments: Any, **options: Any) -> _T:
            with self._as_failure():
                return await test(*arguments, **options)

        return guarded

    @contextmanager
    def setup(
        self, definition: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        """Let pytest know a fixture that diverged as one that failed."""
        try:
            with self._as_failure():
                yield
        except pytest.fail.Exception as failure:
            if definition.cached_result is None:
                key = getattr(request, "param", None)  # what pytest itself takes for the key
                definition.cached_result = (None, key, (failure, failure.__traceback__))
            raise

    def teardown(self, session: pytest.Session) -> None:
        """Let everything that is torn down next fail in the ordinary way, if it fails."""
        state = getattr(session, "_setupstate", None)
        for finalizers, _ in getattr(state, "stack", {}).values():
            finalizers[:] = [
                finalizer if isinstance(finalizer, _Guarded) else _Guarded(self, finalizer)
                for finalizer in finalizers
            ]

    @contextmanager
    def _as_failure(self) -> Iterator[None]:
        """Raise a divergence as a failure with the same text, once, and the same frames."""
        try:
            yield
        except DivergenceError as divergence:
            raise self._failure(divergence, divergence.__traceback__) from None

    def _failure(
        self, divergence: DivergenceError, traceback: TracebackType | None
    ) -> BaseException:
        text = str(divergence)
        if not self._tell(divergence):
            text = f"the replay had ended already: {divergence.divergence.headline}"
        return pytest.fail.Exception(text).with_traceback(traceback)


@final
class _Guarded:
    """A finalizer that never raises a divergence as such."""

    def __init__(self, guard: Guard, finalizer: Callable[[], object]) -> None:
        self._guard = guard
        self._finalizer = finalizer

    def __call__(self) -> None:
        with self._guard._as_failure():
            self._finalizer()
