"""Streams, context managers, callbacks and handles that the application gives the environment."""

import asyncio

import pytest
from sample.application import Application
from sample.bridges import RealShell
from sample.models import BoomError
from taping import entries
from vcr_sample import VcrServer, VcrShell

from vcr_gen import Cassette, Driver
from vcr_gen.errors import DivergenceError


def test_a_stream_of_the_application_is_pulled_and_asserted(tape):
    def environment(server):
        assert list(server.count(3)) == [0, 1, 2]
        assert list(server.words()) == ["x", "y"]

    log = tape.served(VcrServer, Application, environment)
    assert log == [("count", 0), ("count", 1), ("count", 2), "count over", "words"]

    class Changed(Application):
        def count(self, upto):
            yield from [0, 1, 7]

    with pytest.raises(DivergenceError, match=r"server\.count"):
        tape.replay_served(VcrServer, Changed(), sync=True)


@pytest.mark.parametrize("items", [[0, 1], [0, 1, 2, 3]])
def test_a_stream_with_fewer_or_more_items_is_a_divergence(tape, items):
    tape.record_served(VcrServer, Application(), lambda server: list(server.count(3)))

    class Changed(Application):
        def count(self, upto):
            yield from items

    with pytest.raises(DivergenceError, match=r"server\.count"):
        tape.replay_served(VcrServer, Changed(), sync=True)


def test_a_stream_is_closed_early_where_the_environment_closed_it(tape):
    def environment(server):
        stream = server.count(3)
        next(stream)
        stream.close()
        server.status()

    log = tape.served(VcrServer, Application, environment)
    assert log == [("count", 0), "count over", "status"]


def test_a_stream_that_raises_is_asserted(tape):
    def environment(server):
        stream = server.count(4)
        assert [next(stream) for _ in range(4)] == [0, 1, 2, 3]
        with pytest.raises(BoomError):
            next(stream)

    tape.served(VcrServer, Application, environment)


def test_the_environment_sends_and_throws_into_a_generator(tape):
    def environment(server):
        talk = server.talk(3)
        assert [next(talk), talk.send("hello"), talk.throw(ValueError("no"))] == [3, 5, -1]
        with pytest.raises(StopIteration):
            talk.send("bye")

    assert tape.served(VcrServer, Application, environment) == ["hello", "no", "bye"]


def test_an_async_stream_of_the_application_is_pulled_and_asserted(tape):
    async def environment(server):
        assert [number async for number in server.acount(2)] == [0, 1]
        assert [number async for number in await server.acount_later(1)] == [0]

    log = tape.served(VcrServer, Application, environment)
    assert log == [("acount", 0), ("acount", 1), "acount over", ("acount", 0), "acount over"]


def test_an_async_stream_is_closed_raised_and_interleaved_as_recorded(tape):
    async def environment(server):
        closed, raises = server.acount(3), server.acount(4)
        await anext(closed)
        await anext(raises)
        await closed.aclose()
        with pytest.raises(BoomError):
            _ = [number async for number in raises]
        await server.start("after")

    tape.served(VcrServer, Application, environment)


def test_the_environment_sends_and_throws_into_an_async_generator(tape):
    async def environment(server):
        talk = server.atalk(1)
        assert [await anext(talk), await talk.asend("ab")] == [1, 2]
        assert await talk.athrow(ValueError("no")) == -1
        await talk.aclose()

    assert tape.served(VcrServer, Application, environment) == ["ab", "no"]


def test_a_cancelled_async_stream_of_the_application_is_cancelled_again(tape):
    class Slow(Application):
        async def acount(self, upto):
            yield 1
            try:
                await asyncio.Event().wait()
            finally:
                self.log.append("cancelled")

    async def environment(server):
        stream = server.acount(3)
        await anext(stream)
        task = asyncio.ensure_future(anext(stream))
        await server.start("meanwhile")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert tape.served(VcrServer, Slow, environment)[-1] == "cancelled"


@pytest.mark.parametrize("swallows", [True, False])
@pytest.mark.parametrize("error", [None, KeyError, ValueError])
@pytest.mark.parametrize("member", ["lock", "hold"])
def test_a_context_manager_of_the_application_is_entered_and_left(tape, swallows, error, member):
    def environment(server):
        try:
            with getattr(server, member)(swallows) as key:
                assert key == "key"
                if error is not None:
                    raise error("x")
        except (KeyError, ValueError):
            server.status()

    log = tape.served(VcrServer, Application, environment)
    assert log[0] == ("locked", swallows)
    assert "unlocked" in log


@pytest.mark.parametrize("swallows", [True, False])
@pytest.mark.parametrize("error", [None, KeyError, ValueError])
@pytest.mark.parametrize("member", ["alock", "ahold"])
def test_an_async_context_manager_of_the_application_is_left(tape, swallows, error, member):
    async def environment(server):
        try:
            async with getattr(server, member)(swallows) as key:
                assert key == "key"
                if error is not None:
                    raise error("x")
        except (KeyError, ValueError):
            server.status()

    log = tape.served(VcrServer, Application, environment)
    assert log[0] == ("locked", swallows)
    assert "unlocked" in log


def test_a_manager_that_no_longer_swallows_is_a_divergence(tape):
    def environment(server):
        with server.lock(True):
            raise KeyError("x")

    tape.record_served(VcrServer, Application(), environment)

    class Changed(Application):
        def lock(self, swallows):
            return super().lock(False)

    with pytest.raises(DivergenceError, match=r"manager\.exit"):
        tape.replay_served(VcrServer, Changed(), sync=True)


def test_a_callback_of_the_environment_is_answered_from_the_tape(tape):
    def environment(server):
        assert server.subscribe(len) == 1

    assert tape.served(VcrServer, Application, environment) == [[3, 5]]

    class Changed(Application):
        def subscribe(self, notify):
            self.log.append([notify("two"), notify("three")])
            return 1

    with pytest.raises(DivergenceError, match=r"callable\.call"):
        tape.replay_served(VcrServer, Changed(), sync=True)


def test_an_async_callback_of_the_environment_is_awaited_by_the_application(tape):
    async def environment(server):
        async def notify(text):
            await asyncio.sleep(0.001)
            return len(text)

        assert await server.asubscribe(notify) == 1

    assert tape.served(VcrServer, Application, environment) == [[3, 5]]


def test_a_function_of_the_application_is_called_by_the_environment(tape):
    def environment(server):
        handle, other = server.handler("<"), server.handler(">")
        assert [handle("a"), other("b"), handle("c")] == ["<a", ">b", "<c"]

    log = tape.served(VcrServer, Application, environment)
    assert log == [("handled", "a"), ("handled", "b"), ("handled", "c")]


def test_streams_of_the_environment_are_consumed_by_the_application(tape):
    async def environment(server):
        async def chunks():
            yield b"x"
            await asyncio.sleep(0)
            yield b"yz"

        assert server.consume(iter([b"ab", b"\xff"])) == 3
        assert await server.aconsume(chunks()) == 3

    log = tape.served(VcrServer, Application, environment)
    assert log == [([b"ab", b"\xff"], None), [b"x", b"yz"]]


def test_objects_of_the_application_are_handles_for_the_environment(tape):
    def environment(server):
        room = server.open("hall")
        assert room.say("hi") == "hall: hi"
        assert room.sub("attic").sub("box").say("deep") == "hall/attic/box: deep"
        assert list(room.history()) == ["hi"]
        assert server.rooms()["hall"] is room
        assert server.close(room) == "hall"

    log = tape.served(VcrServer, Application, environment)
    assert log == [("hall", "hi"), ("hall/attic/box", "deep"), ("own room", "ARoom")]
    assert {entry.get("on") for entry in entries(tape.path)} >= {"#1", "#3"}


def test_an_application_may_hand_itself_out(tape):
    def environment(server):
        assert server.itself()("ab") == "ba"

    assert tape.served(VcrServer, Application, environment) == ["ab"]


class Caller(Application):
    """Calls the environment while it streams."""

    shell: VcrShell

    def count(self, upto):
        for number in range(upto):
            self.log.append(self.shell.read(number))
            yield number

    async def acount(self, upto):
        for number in range(upto):
            self.log.append(await self.shell.arun(str(number), 0.001))
            yield number
        self.log.append(self.shell.read(5))


@pytest.mark.parametrize("sync", [True, False])
def test_streams_of_the_application_may_call_the_environment(tape, sync):
    async def environment(server):
        one, two = server.acount(2), server.acount(2)
        await anext(one)
        await anext(two)
        for stream in (one, two):
            async for _ in stream:
                server.status()

    recorded, replayed = Caller(), Caller()
    with Cassette(tape.path, "all") as cassette:
        recorded.shell = VcrShell(cassette=cassette, inner=RealShell())
        server = VcrServer(cassette=cassette, inner=recorded)
        if sync:
            list(server.count(3))
        else:
            asyncio.run(environment(server))
    with Cassette(tape.path, "none") as cassette:
        replayed.shell = VcrShell(cassette=cassette)
        driver = Driver(cassette, VcrServer(cassette=cassette, inner=replayed))
        if sync:
            driver.run_sync()
        else:
            asyncio.run(driver.run())
    assert recorded.log == replayed.log


def test_a_test_may_consume_a_stream_of_the_application_itself(tape):
    def environment(server):
        stream, talk = server.count(3), server.talk(1)
        seen = [next(stream), next(talk), talk.send("ab")]
        stream.close()
        return seen

    with Cassette(tape.path, "all") as cassette:
        recorded = environment(VcrServer(cassette=cassette, inner=Application()))
    with Cassette(tape.path, "none") as cassette:
        assert environment(VcrServer(cassette=cassette, inner=Application())) == recorded


def test_a_test_may_enter_and_leave_managers_of_the_application_itself(tape):
    def by_hand(server):
        seen = []
        for _ in range(2):
            with server.lock(False) as entered:
                seen.append(entered)
        return seen

    seen = []
    for mode in ("all", "none"):
        with Cassette(tape.path, mode) as cassette:
            seen.append(by_hand(VcrServer(cassette=cassette, inner=Application())))
    assert seen[0] == seen[1]
    assert len(seen[0]) == 2
