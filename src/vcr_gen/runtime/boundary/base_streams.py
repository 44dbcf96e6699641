"""The base of streams that cross a boundary, and whether they continue after an exception.

All ways to ask a stream for its next item become one: a step.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Generator
from types import TracebackType
from typing import Any, Literal, TypeAlias

StepKind: TypeAlias = Literal["next", "sent", "thrown"]
"""How a consumer asks for the next item: plainly, with a value, or with an exception."""


class Stream(Generator[Any, Any, Any], ABC):
    """An iterator with a generator's methods, as a call that streams gives it to its consumer."""

    @abstractmethod
    def step(self, kind: StepKind, value: Any = None) -> Any:
        """Ask for the next item, with the value or exception that is sent into the stream."""

    def __next__(self) -> Any:
        return self.step("next")

    def send(self, value: Any, /) -> Any:
        return self.step("next" if value is None else "sent", value)

    def raise_inside(self, error: BaseException) -> Any:
        """Throw an exception into the stream."""
        return self.step("thrown", error)

    def throw(self, typ: Any, val: Any = None, tb: TracebackType | None = None, /) -> Any:
        return self.raise_inside(_exception(typ, val, tb))


class AsyncStream(AsyncGenerator[Any, Any], ABC):
    """An asynchronous `Stream`."""

    @abstractmethod
    async def step(self, kind: StepKind, value: Any = None) -> Any:
        """Ask for the next item, with the value or exception that is sent into the stream."""

    async def __anext__(self) -> Any:
        return await self.step("next")

    async def asend(self, value: Any, /) -> Any:
        return await self.step("next" if value is None else "sent", value)

    async def raise_inside(self, error: BaseException) -> Any:
        """Throw an exception into the stream."""
        return await self.step("thrown", error)

    async def athrow(self, typ: Any, val: Any = None, tb: TracebackType | None = None, /) -> Any:
        return await self.raise_inside(_exception(typ, val, tb))


def goes_on(stream: object) -> bool:
    """Whether a stream may continue after an exception; all but generators can, as `csv.reader`."""
    return not (hasattr(stream, "throw") or hasattr(stream, "athrow"))


def survives(stream: object, error: BaseException) -> bool:
    """Whether an asynchronous stream may continue after an exception or a cancellation."""
    from asyncio import CancelledError

    return goes_on(stream) and isinstance(error, Exception | CancelledError)


def _exception(typ: Any, val: Any, tb: TracebackType | None) -> BaseException:
    """The exception that `throw` was given in any of its spellings."""
    if isinstance(typ, BaseException):
        return typ
    error = val if isinstance(val, BaseException) else typ() if val is None else typ(val)
    result: BaseException = error.with_traceback(tb)
    return result
