"""The results of calls that return an awaitable: a coroutine, a future, or either.

A coroutine is awaited once. A future runs by itself, and can be awaited repeatedly. A plain
`Awaitable` may be either.
"""

import inspect
import typing
from collections.abc import Callable, Coroutine, Generator
from typing import Any, TypeAlias, final

from vcr_gen.runtime.boundary.call_kinds import is_future, strip
from vcr_gen.runtime.loops.backends import Parked, running_library

__all__ = ["something_to_await"]

_Begin: TypeAlias = Callable[[], Coroutine[Any, Any, Any]]


def something_to_await(declared: object, begin: _Begin, real: object = None) -> Any:
    """An awaitable of the declared type for the outcome of `begin`; `real` is the inner's own."""
    bare = strip(declared)
    origin = typing.get_origin(bare) or bare
    if origin is Coroutine:
        return begin()
    if is_future(origin):
        from asyncio import ensure_future

        return ensure_future(begin())
    return _Awaitable(begin, real)


@final
class _Awaitable(Coroutine[Any, Any, Any]):
    """Begins when it is awaited, and remembers how that ended.

    It can also be made a task of, as a coroutine can: the inner's own may be one. Then it can be
    awaited no more than that.
    """

    def __init__(self, begin: _Begin, real: object) -> None:
        self._begin: _Begin | None = begin
        self._real = real
        self._waiting: list[Parked[None]] = []
        self._is_over = False
        self._value: Any = None
        self._error: BaseException | None = None
        self._steps: Generator[Any, Any, Any] | None = None

    def __await__(self) -> Generator[Any, Any, Any]:
        begin, self._begin = self._begin, None
        if begin is not None:
            yield from self._first(begin)
        elif inspect.iscoroutine(self._real):
            yield from self._real.__await__()  # Python says that it is awaited already
        elif not self._is_over:
            parked = running_library().park()
            self._waiting.append(parked)
            yield from parked.__await__()
        if self._error is not None:
            raise self._error
        return self._value

    def _first(self, begin: _Begin) -> Generator[Any, Any, None]:
        try:
            self._value = yield from begin().__await__()
        except BaseException as error:
            self._error = error
            if isinstance(error, GeneratorExit):
                raise
        finally:
            self._is_over = True
            for parked in self._waiting:
                if not parked.done():
                    parked.set_result(None)

    def send(self, value: Any, /) -> Any:
        """Take a step, as the task of a coroutine does."""
        return self._stepping().send(value)

    def throw(self, kind: Any, value: Any = None, _: Any = None, /) -> Any:
        """Take a step with an exception."""
        error = kind if value is None else value
        return self._stepping().throw(error)

    def close(self) -> None:
        """Take no more steps."""
        if self._steps is not None:
            self._steps.close()

    def _stepping(self) -> Generator[Any, Any, Any]:
        if self._steps is None:
            self._steps = self.__await__()
        return self._steps
