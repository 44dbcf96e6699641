"""Streams in a replay: recorded ones are fed item by item, the application's own are asserted."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, final

from vcr_gen.errors import DecodeError, DivergenceError
from vcr_gen.runtime.boundary.base_streams import AsyncStream, Stream, goes_on, survives
from vcr_gen.runtime.loops.backends import as_answer
from vcr_gen.runtime.replay.engine import Player
from vcr_gen.runtime.replay.stream_readers import NOTHING_MORE
from vcr_gen.runtime.tape.events import End, Event, Item, Signal
from vcr_gen.runtime.values.channel import Bound

__all__ = [
    "AssertedAsyncStream",
    "AssertedStream",
    "ReplayedAsyncStream",
    "ReplayedStream",
    "raised",
]


def raised(player: Player, event: Event, bound: Bound) -> BaseException:
    """The exception with which a recorded call ended."""
    if isinstance(event, End) and event.outcome == "raised":
        return player.restore_exception(bound, event)
    return asyncio.CancelledError()


def _given(player: Player, event: Item, bound: Bound) -> Any:
    """The item of a recorded stream; raised where it is an exception."""
    if not event.raised:
        return player.restore(bound.value, event)
    raise player.restore_exception(bound, event)


def _check_closed(player: Player, event: Event, bound: Bound) -> None:
    """Raise what the recorded stream raised when it was closed."""
    if isinstance(event, Item) and event.raised:
        _given(player, event, bound)
    if not isinstance(event, End):
        wrong = DecodeError(path=bound.nothing.what, expected="an end", got="more of the stream")
        raise player.unreadable(wrong, event)
    if event.outcome != "returned":
        raise raised(player, event, bound)
    player.restore(bound.nothing, event)


@final
class ReplayedStream(Stream):
    """Feeds a recorded stream, one item at a time, when the tape has it due."""

    def __init__(self, player: Player, call: int, bound: Bound) -> None:
        self._player = player
        self._call = call
        self._bound = bound
        self._readers = player.readers()
        self._over = False

    def __next__(self) -> Any:
        if self._over:
            raise StopIteration
        event = self._player.hear(self._call, readers=self._readers)
        if event is NOTHING_MORE:
            raise StopIteration
        if isinstance(event, Item):
            return _given(self._player, event, self._bound)
        self._over = True
        if isinstance(event, End) and event.outcome == "returned":
            raise StopIteration(self._player.restore(self._bound.returned, event))
        raise raised(self._player, event, self._bound)

    def send(self, value: Any, /) -> Any:
        if value is not None and not self._over:
            stored = self._player.store(self._bound.sent, value)
            self._player.signal(
                Signal(call=self._call, kind="sent", value=stored), self._bound.sent
            )
        return self.__next__()

    def raise_inside(self, error: BaseException) -> Any:
        if self._over:
            raise error
        stored = self._player.store(self._bound.raised, as_answer(error))
        self._player.signal(
            Signal(call=self._call, kind="thrown", value=stored), self._bound.raised
        )
        return self.__next__()

    def close(self) -> None:
        if self._over:
            return
        self._over = True
        self._player.signal(Signal(call=self._call, kind="closed"), None)
        event = self._player.hear(self._call, readers=self._readers)
        self._over = not isinstance(event, Item)  # while somebody reads it, it may refuse
        _check_closed(self._player, event, self._bound)


@final
class ReplayedAsyncStream(AsyncStream):
    """The same for an asynchronous stream."""

    def __init__(self, player: Player, call: int, bound: Bound) -> None:
        self._player = player
        self._call = call
        self._bound = bound
        self._readers = player.readers()
        self._over = False

    async def __anext__(self) -> Any:
        if self._over:
            raise StopAsyncIteration
        try:
            event = await self._player.hear_async(self._call, readers=self._readers)
        except BaseException:  # it was cancelled, and not every stream survives that
            self._over = not self._player.is_left(self._call)
            raise
        if event is NOTHING_MORE:
            raise StopAsyncIteration
        if isinstance(event, Item):
            return _given(self._player, event, self._bound)
        self._over = True
        if isinstance(event, End) and event.outcome == "returned":
            self._player.restore(self._bound.nothing, event)
            raise StopAsyncIteration
        raise raised(self._player, event, self._bound)

    async def asend(self, value: Any, /) -> Any:
        if value is not None and not self._over:
            stored = self._player.store(self._bound.sent, value)
            self._player.signal(
                Signal(call=self._call, kind="sent", value=stored), self._bound.sent
            )
        return await self.__anext__()

    async def raise_inside(self, error: BaseException) -> Any:
        if self._over:
            raise error
        stored = self._player.store(self._bound.raised, as_answer(error))
        self._player.signal(
            Signal(call=self._call, kind="thrown", value=stored), self._bound.raised
        )
        return await self.__anext__()

    async def aclose(self) -> None:
        if self._over:
            return
        self._over = True
        self._player.signal(Signal(call=self._call, kind="closed"), None)
        event = await self._player.hear_async(self._call, readers=self._readers)
        self._over = not isinstance(event, Item)  # while somebody reads it, it may refuse
        _check_closed(self._player, event, self._bound)


class _Asserted:
    """What the player is told of a stream of the application's, of either kind."""

    def __init__(self, player: Player, call: int, bound: Bound, own: Any) -> None:
        self._player = player
        self._call = call
        self._bound = bound
        self._own = own
        self._over = False

    def _given(self, item: Any) -> Any:
        stored = self._player.store(self._bound.value, item)
        self._player.produce(self._call, Item(call=self._call, value=stored), self._bound.value)
        return self._bound.value.forward(item)

    def _raised(self, error: BaseException) -> None:
        if self._over:
            self._end("raised", self._bound.raised, error)
            return
        stored = self._player.store(self._bound.raised, error)
        item = Item(call=self._call, value=stored, raised=True)
        self._player.produce(self._call, item, self._bound.raised)

    def _end(self, outcome: Any, passing: Any, value: Any) -> None:
        end = End(call=self._call, outcome=outcome, value=self._player.store(passing, value))
        self._player.produce(self._call, end, passing)


@final
class AssertedStream(_Asserted, Stream):
    """Passes the application's stream on and asserts each item against the tape."""

    def __init__(self, player: Player, call: int, bound: Bound, own: Iterator[Any]) -> None:
        super().__init__(player, call, bound, own)

    def __next__(self) -> Any:
        if not self._over:
            self._player.entrance.play(Signal(call=self._call, kind="next"), None)
        return self._step(lambda: next(self._own))

    def send(self, value: Any, /) -> Any:
        if value is None:
            return self.__next__()
        if not self._over:
            stored = self._player.store(self._bound.sent, value)
            self._player.entrance.play(
                Signal(call=self._call, kind="sent", value=stored), self._bound.sent
            )
        return self._step(lambda: self._own.send(value))

    def raise_inside(self, error: BaseException) -> Any:
        if not self._over:
            stored = self._player.store(self._bound.raised, as_answer(error))
            self._player.entrance.play(
                Signal(call=self._call, kind="thrown", value=stored), self._bound.raised
            )
        return self._step(lambda: self._own.throw(error))

    def close(self) -> None:
        if not self._over:
            self._player.entrance.play(Signal(call=self._call, kind="closed"), None)
            self._close()

    def follow(self, event: Event) -> None:
        """Do to the stream what its consumer did, as the tape has it."""
        match event:
            case Signal(kind="sent"):
                value = self._player.restore(self._bound.sent, event)
                self._step(lambda: self._own.send(value))
            case Signal(kind="thrown"):
                error = self._player.restore(self._bound.raised, event)
                self._step(lambda: self._own.throw(error))
            case Signal(kind="closed"):
                self._close()
                raise StopIteration
            case _:
                self._step(lambda: next(self._own))

    def _close(self) -> None:
        self._over = True
        with self._player.strands.inside(self._call):
            if hasattr(self._own, "close"):
                try:
                    self._own.close()
                except Exception as error:
                    self._end("raised", self._bound.raised, error)
                    raise
            self._end("returned", self._bound.nothing, None)

    def _step(self, advance: Any) -> Any:
        if self._over:
            raise StopIteration
        with self._player.strands.inside(self._call):
            try:
                item = advance()
            except StopIteration as finished:
                self._over = True
                self._end("returned", self._bound.returned, finished.value)
                raise
            except (DivergenceError, GeneratorExit, KeyboardInterrupt):
                raise
            except BaseException as error:
                self._over = not (goes_on(self._own) and isinstance(error, Exception))
                self._raised(error)
                raise
            return self._given(item)


@final
class AssertedAsyncStream(_Asserted, AsyncStream):
    """The same for an asynchronous stream."""

    def __init__(self, player: Player, call: int, bound: Bound, own: AsyncIterator[Any]) -> None:
        super().__init__(player, call, bound, aiter(own))

    async def __anext__(self) -> Any:
        if not self._over:
            self._player.entrance.play(Signal(call=self._call, kind="next"), None)
        return await self._step(anext(self._own))

    async def asend(self, value: Any, /) -> Any:
        if value is None:
            return await self.__anext__()
        if not self._over:
            stored = self._player.store(self._bound.sent, value)
            self._player.entrance.play(
                Signal(call=self._call, kind="sent", value=stored), self._bound.sent
            )
        return await self._step(self._own.asend(value))

    async def raise_inside(self, error: BaseException) -> Any:
        if not self._over:
            stored = self._player.store(self._bound.raised, as_answer(error))
            self._player.entrance.play(
                Signal(call=self._call, kind="thrown", value=stored), self._bound.raised
            )
        return await self._step(self._own.athrow(error))

    async def aclose(self) -> None:
        if not self._over:
            self._player.entrance.play(Signal(call=self._call, kind="closed"), None)
            await self._close()

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end."""
        return self._over

    async def follow(self, event: Event) -> None:
        """Do to the stream what its consumer did, as the tape has it."""
        match event:
            case Signal(kind="sent"):
                await self._step(self._own.asend(self._player.restore(self._bound.sent, event)))
            case Signal(kind="thrown"):
                await self._step(self._own.athrow(self._player.restore(self._bound.raised, event)))
            case Signal(kind="closed"):
                await self._close()
                raise StopAsyncIteration
            case _:
                await self._step(anext(self._own))

    async def _close(self) -> None:
        self._over = True
        with self._player.strands.inside(self._call):
            if hasattr(self._own, "aclose"):
                try:
                    await self._own.aclose()
                except (DivergenceError, GeneratorExit, KeyboardInterrupt):
                    raise
                except BaseException as error:
                    self._end("raised", self._bound.raised, as_answer(error))
                    raise
            self._end("returned", self._bound.nothing, None)

    async def _step(self, step: Any) -> Any:
        if self._over:
            step.close()
            raise StopAsyncIteration
        with self._player.strands.inside(self._call):
            try:
                item = await step
            except StopAsyncIteration:
                self._over = True
                self._end("returned", self._bound.nothing, None)
                raise
            except (DivergenceError, GeneratorExit, KeyboardInterrupt):
                raise
            except BaseException as error:
                self._over = not survives(self._own, error)
                self._raised(as_answer(error))
                raise
            return self._given(item)
