"""Streams of the application that call out when they are cancelled, closed or sent into."""

import asyncio
from contextvars import ContextVar
from typing import Any

import pytest
from sample.application import Application
from sample.bridges import RealShell
from tape_data import read_tape
from vcr_sample import VcrServer, VcrShell

from vcr_gen import Cassette, Driver

_seen: ContextVar[str] = ContextVar("seen", default="nothing")


class Counting(Application):
    """A server whose streams call the environment, also while they clean up."""

    shell: Any

    async def acount(self, upto: int) -> Any:
        try:
            for number in range(upto):
                self.log.append(await self.shell.arun(f"{number}", 0.01 * number))
                yield number
        except asyncio.CancelledError:
            self.log.append("cancelled")
            self.log.append(await self.shell.arun("cancelling"))
            raise
        finally:
            self.log.append(self.shell.read("clean"))
            self.log.append(await self.shell.arun("cleaned up"))

    async def atalk(self, first: int) -> Any:
        try:
            heard = yield first
            self.log.append((heard, await self.shell.arun(heard)))
            yield len(heard)
        finally:
            self.log.append(await self.shell.arun("hung up"))


class Stubborn(Counting):
    """A server that goes on when it is cancelled."""

    async def acount(self, upto: int) -> Any:
        for number in range(upto):
            try:
                self.log.append(await self.shell.arun(f"{number}", 0.02))
            except asyncio.CancelledError:
                self.log.append(await self.shell.arun("no"))
            yield number


class Impatient(Counting):
    """A server that gives up by a time-out of its own, which cancels the task that it runs in."""

    async def acount(self, upto: int) -> Any:
        for number in range(upto):
            try:
                async with asyncio.timeout(0.01):
                    self.log.append(await self.shell.arun(f"{number}", 0.05 * number))
            except TimeoutError:
                self.log.append(self.shell.read("too slow"))
            yield number


class Remembering(Counting):
    """A server that keeps something in a context variable from item to item."""

    async def acount(self, upto: int) -> Any:
        for number in range(upto):
            before = _seen.get()
            _seen.set((await self.shell.arun(f"{number}")).out)
            self.log.append((before, _seen.get()))
            yield number


def served(path: Any, build: Any, environment: Any) -> list[Any]:
    """Record, drive, and insist that the application saw the same."""
    logs = []
    for mode in ("all", "none"):
        application = build()
        logs.append(application.log)
        with Cassette(path, mode) as cassette:
            application.shell = VcrShell.attach(cassette, RealShell)
            server = VcrServer(cassette=cassette, inner=application)
            replaying = Driver(cassette, server).run if mode == "none" else None
            asyncio.run(replaying() if replaying else environment(server))
    assert logs[0] == logs[1]
    return list(logs[0])


async def cancelled_while_waiting(server: Any) -> None:
    stream = server.acount(5)
    assert [await anext(stream), await anext(stream)] == [0, 1]
    task = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0.005)
    task.cancel("by the environment")
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_clean_up_of_a_cancelled_stream_comes_after_what_caused_it(tape):
    log = served(tape.path, Counting, cancelled_while_waiting)

    assert "cancelled" in log
    words = [next(iter(entry)) for entry in read_tape(tape.path)]
    clean_up = [entry for entry in read_tape(tape.path) if "'clean'" in repr(entry)]
    assert words.index("cancel") < read_tape(tape.path).index(clean_up[0])


def test_a_stream_that_goes_on_when_it_is_cancelled_does_so_again(tape):
    async def environment(server: Any) -> None:
        stream = server.acount(4)
        assert await anext(stream) == 0
        task = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0.005)
        task.cancel()
        assert await task == 1  # as it would without a wrapper
        assert [item async for item in stream] == [2, 3]

    log = served(tape.path, Stubborn, environment)

    assert len(log) == 4


def test_a_time_out_of_the_stream_s_own_is_no_cancellation(tape):
    async def environment(server: Any) -> None:
        assert [item async for item in server.acount(3)] == [0, 1, 2]

    log = served(tape.path, Impatient, environment)

    assert [entry for entry in read_tape(tape.path) if "cancel" in entry] == []
    assert "too slow" in log


def test_the_items_of_a_stream_are_made_in_one_context(tape):
    async def environment(server: Any) -> None:
        assert [item async for item in server.acount(3)] == [0, 1, 2]

    log = served(tape.path, Remembering, environment)

    assert [before for before, _ in log] == ["nothing", *(after for _, after in log[:-1])]


def test_closing_and_sending_take_their_turns(tape):
    async def environment(server: Any) -> None:
        async def closed() -> None:
            stream = server.acount(3)
            await anext(stream)
            await stream.aclose()

        async def sent() -> None:
            talk = server.atalk(1)
            await anext(talk)
            await talk.asend("hello")
            await talk.aclose()

        await asyncio.gather(closed(), sent(), server.start("x"))

    served(tape.path, Counting, environment)


def test_an_exhausted_stream_is_not_on_the_tape_any_more(tape):
    async def environment(server: Any) -> None:
        talk = server.atalk(1)
        await anext(talk)
        await talk.aclose()
        for use in (talk.asend("too late"), anext(talk)):
            with pytest.raises(StopAsyncIteration):
                await use
        await talk.aclose()

    served(tape.path, Counting, environment)


class Numbers(Counting):
    """A server whose streams are no generators, and go on when who reads them is cancelled."""

    def acount(self, upto: int) -> Any:
        server, numbers = self, iter(range(upto))

        class Stream:
            def __aiter__(self) -> Any:
                return self

            async def __anext__(self) -> int:
                number = next(numbers, None)
                if number is None:
                    raise StopAsyncIteration
                try:
                    server.log.append(await server.shell.arun(f"{number}", 60 * (number % 2)))
                except asyncio.CancelledError:
                    server.log.append("cancelled")
                    raise
                async with asyncio.timeout(1):
                    server.log.append(await server.shell.arun("more"))
                return number

        return Stream()


def test_a_stream_of_a_class_goes_on_when_its_reader_was_cancelled(tape):
    async def environment(server: Any) -> None:
        stream, seen = server.acount(5), []
        while True:
            try:
                seen.append(await asyncio.wait_for(anext(stream), 0.1))
            except TimeoutError:
                seen.append("time-out")
            except StopAsyncIteration:
                break
        assert seen == [0, "time-out", 2, "time-out", 4]

    log = served(tape.path, Numbers, environment)
    assert log.count("cancelled") == 2
