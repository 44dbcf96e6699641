"""Context managers through which every exception of the program passes untouched.

Those of `contextlib.contextmanager` set its `__traceback__`, which an exception that is a frozen
dataclass refuses: the program would get a `FrozenInstanceError` in its place.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from functools import wraps
from types import TracebackType
from typing import Final, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def block(function: Callable[P, Generator[None, None, None]]) -> Callable[P, "_Block"]:
    """Make a context manager from a generator that yields once and re-raises what it catches."""

    @wraps(function)
    def begin(*args: P.args, **kwargs: P.kwargs) -> "_Block":
        return _Block(function(*args, **kwargs))

    return begin


@block
def setting(variable: ContextVar[T], value: T) -> Generator[None, None, None]:
    """Give a context variable a value inside the block."""
    token = variable.set(value)
    try:
        yield
    finally:
        # A coroutine that is dropped is closed in another context, where nothing was set.
        with suppress(ValueError):
            variable.reset(token)


class _Block(AbstractContextManager[None]):
    def __init__(self, steps: Generator[None, None, None]) -> None:
        self._steps: Final = steps

    def __enter__(self) -> None:
        next(self._steps)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is None:
            next(self._steps, None)
            return
        try:
            self._steps.throw(error)
        except BaseException as raised:
            if raised is not error and not _stands_for(raised, error):
                raise
            error.with_traceback(traceback)


def _stands_for(raised: BaseException, error: BaseException) -> bool:
    """Whether it is what Python makes of a `StopIteration` that leaves a generator."""
    if not isinstance(error, StopIteration):
        return False
    return isinstance(raised, RuntimeError) and raised.__cause__ is error
