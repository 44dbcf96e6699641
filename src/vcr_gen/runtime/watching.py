"""Seeing a cancellation before the code that is cancelled sees it."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar, final

__all__ = ["WatchedForCancel"]

_T = TypeVar("_T")


@final
class WatchedForCancel(Awaitable[_T]):
    """Await `inner`; `cancelled` is called when a cancellation is on its way into it.

    An `except` around the await would run only after the clean-up of the cancelled code, whose own
    calls must come later on the tape than what caused them.
    """

    def __init__(self, inner: Awaitable[_T], cancelled: Callable[[], None]) -> None:
        self._inner = inner
        self._cancelled = cancelled

    def __await__(self) -> Generator[Any, Any, _T]:
        steps = self._inner.__await__()
        try:
            waited_for = next(steps)
            while True:
                try:
                    sent = yield waited_for
                except asyncio.CancelledError as error:
                    self._cancelled()
                    waited_for = _throw(steps, error)
                except BaseException as error:
                    waited_for = _throw(steps, error)
                else:
                    waited_for = _send(steps, sent)
        except StopIteration as finished:
            result: _T = finished.value
            return result


def _send(steps: Generator[Any, Any, Any], value: object) -> Any:
    # A C iterator (a future's) has no send; only None is ever sent to it.
    return next(steps) if value is None else steps.send(value)


def _throw(steps: Generator[Any, Any, Any], error: BaseException) -> Any:
    if hasattr(steps, "throw"):
        return steps.throw(error)
    raise error
