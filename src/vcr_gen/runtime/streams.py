"""Streams that pass a boundary: recorded item by item, and replayed one at a time."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Generator, Iterator
from contextvars import Context, copy_context
from types import TracebackType
from typing import TYPE_CHECKING, Any, final

from vcr_gen.runtime.binding import Bound
from vcr_gen.runtime.event_loops.libraries import as_answer, running_library
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.events import SignalKind

if TYPE_CHECKING:
    from vcr_gen.runtime.record.recorder import Recorder

__all__ = ["AsyncStream", "RecordedAsyncStream", "RecordedStream", "Stream", "goes_on"]


class Stream(Generator[Any, Any, Any], ABC):
    """An iterator with a generator's methods, as a call that streams gives it to its consumer."""

    @abstractmethod
    def raise_inside(self, error: BaseException) -> Any:
        """Throw an exception into the stream."""

    def throw(self, typ: Any, val: Any = None, tb: TracebackType | None = None, /) -> Any:
        return self.raise_inside(_exception(typ, val, tb))


class AsyncStream(AsyncGenerator[Any, Any], ABC):
    """The same for an asynchronous stream."""

    @abstractmethod
    async def raise_inside(self, error: BaseException) -> Any:
        """Throw an exception into the stream."""

    async def athrow(self, typ: Any, val: Any = None, tb: TracebackType | None = None, /) -> Any:
        return await self.raise_inside(_exception(typ, val, tb))


@final
class RecordedStream(Stream):
    """Passes a real stream on and records each item as it passes."""

    def __init__(
        self, recorder: "Recorder", call: int, bound: Bound, real: Iterator[Any], *, inbound: bool
    ) -> None:
        self._recorder = recorder
        self._tape = recorder.tape
        self._call = call
        self._bound = bound
        self._real = real
        self._inbound = inbound
        self._over = False

    def __next__(self) -> Any:
        if self._inbound and not self._over:  # it is the environment that asks, at this moment
            self._tape.signal(self._call, "next")
        return self._step(lambda: next(self._real))

    def send(self, value: Any, /) -> Any:
        if value is None or self._over:
            return self.__next__()
        stored, forwarded = self._recorder.give(self._bound.sent, value)
        self._tape.signal(self._call, "sent", stored)
        return self._step(lambda: _generator(self._real).send(forwarded))

    def raise_inside(self, error: BaseException) -> Any:
        if self._over:
            raise error
        self._tape.signal(self._call, "thrown", self._recorder.give(self._bound.raised, error)[0])
        return self._step(lambda: _generator(self._real).throw(error))

    def close(self) -> None:
        if self._over:
            return
        self._over = True
        self._tape.signal(self._call, "closed")
        with self._recorder.inside(self._call, inbound=self._inbound):
            with self._recorder.ending(self._call, self._bound):
                if hasattr(self._real, "close"):
                    self._real.close()
            self._tape.end(self._call, "returned")

    def _step(self, advance: Any) -> Any:
        if self._over:
            raise StopIteration
        with self._recorder.inside(self._call, inbound=self._inbound):
            try:
                item = advance()
            except StopIteration as finished:
                self._over = True
                stored, result = self._recorder.give(self._bound.returned, finished.value)
                self._tape.end(self._call, "returned", stored)
                raise StopIteration(result) from None
            except BaseException as error:
                if self._recorder.leaves_unfinished(self._bound, error):
                    raise
                going_on = goes_on(self._real)
                self._over = not (going_on and isinstance(error, Exception))
                self._recorder.raised(self._call, self._bound, error, goes_on=going_on)
                raise
            stored, forwarded = self._recorder.give(self._bound.value, item)
            self._tape.item(self._call, stored)
            return forwarded


@final
class RecordedAsyncStream(AsyncStream):
    """Passes a real asynchronous stream on and records each item as it passes."""

    def __init__(
        self,
        recorder: "Recorder",
        call: int,
        bound: Bound,
        real: AsyncIterator[Any],
        *,
        inbound: bool,
    ) -> None:
        self._recorder = recorder
        self._tape = recorder.tape
        self._call = call
        self._bound = bound
        self._real = aiter(real)
        self._inbound = inbound
        self._over = False
        self._context: Context | None = None
        """What the application's steps share, each of which is a task of its own."""

    async def __anext__(self) -> Any:
        if self._inbound and not self._over:  # it is the environment that asks, in its turn
            await self._recorder.turn()
            self._tape.signal(self._call, "next")
        return await self._step(anext(self._real))

    async def asend(self, value: Any, /) -> Any:
        if value is None or self._over:
            return await self.__anext__()
        stored, forwarded = self._recorder.give(self._bound.sent, value)
        await self._signal("sent", stored)
        return await self._step(_async_generator(self._real).asend(forwarded))

    async def raise_inside(self, error: BaseException) -> Any:
        if self._over:
            raise error
        await self._signal("thrown", self._recorder.give(self._bound.raised, error)[0])
        return await self._step(_async_generator(self._real).athrow(error))

    async def aclose(self) -> None:
        if self._over:
            return
        self._over = True
        await self._signal("closed")
        await self._run(self._close())

    async def _signal(self, kind: SignalKind, value: Plain = None) -> None:
        """Record what the consumer does; the environment in its turn."""
        if self._inbound:
            await self._recorder.turn()
        self._tape.signal(self._call, kind, value)

    async def _step(self, step: Any) -> Any:
        if self._over:
            step.close()
            raise StopAsyncIteration
        return await self._run(self._advance(step))

    async def _run(self, step: Coroutine[Any, Any, Any]) -> Any:
        """Do one step: the environment's here, the application's as in a replay."""
        if not self._inbound:
            return await step

        def cancelled() -> None:
            self._tape.signal(self._call, "cancel")

        if self._context is None:
            self._context = copy_context()
        return await running_library().watch_for_cancel(step, cancelled, self._context)

    async def _advance(self, step: Any) -> Any:
        with self._recorder.inside(self._call, inbound=self._inbound):
            try:
                item = await self._await(step)
            except StopAsyncIteration:
                self._over = True
                self._tape.end(self._call, "returned")
                raise
            except BaseException as error:
                self._over = not (goes_on(self._real) and isinstance(error, Exception))
                raise
            stored, forwarded = self._recorder.give(self._bound.value, item)
            self._tape.item(self._call, stored)
            return forwarded

    async def _close(self) -> None:
        with self._recorder.inside(self._call, inbound=self._inbound):
            if hasattr(self._real, "aclose"):
                await self._await(self._real.aclose())
            self._tape.end(self._call, "returned")

    async def _leave(self) -> None:
        """Close the real stream, of which nobody will ask more."""
        if hasattr(self._real, "aclose"):
            await self._real.aclose()

    async def _await(self, step: Any) -> Any:
        """Await one step: the environment's in its turn, the application's as it comes."""
        going_on = goes_on(self._real) and not self._over
        if not self._inbound:
            return await self._recorder.hear(
                self._call, self._bound, step, self._leave, goes_on=going_on
            )
        try:
            return await step
        except (StopAsyncIteration, GeneratorExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self._recorder.raised(self._call, self._bound, as_answer(error), goes_on=going_on)
            raise


def goes_on(stream: object) -> bool:
    """Whether a stream may go on after an exception, as any but a generator can: `csv.reader`."""
    return not (hasattr(stream, "throw") or hasattr(stream, "athrow"))


def _exception(typ: Any, val: Any, tb: TracebackType | None) -> BaseException:
    """The exception that `throw` was given in any of its spellings."""
    if isinstance(typ, BaseException):
        return typ
    error = val if isinstance(val, BaseException) else typ() if val is None else typ(val)
    result: BaseException = error.with_traceback(tb)
    return result


def _generator(real: Iterator[Any]) -> Any:
    return real


def _async_generator(real: AsyncIterator[Any]) -> Any:
    return real
