"""Streams of the application, pulled and asserted from the tape."""

import asyncio
from collections import UserList
from contextlib import suppress

import pytest
from sample.application import Application
from sample.bridges import RealShell, Stubborn
from sample.models import BoomError
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


class StubbornApplication(Application):
    """Answers with streams that raise and go on."""

    letters = "a!b"

    def words(self):
        self.log.append("asked")
        return Stubborn(self.letters)


def _asks_on(server):
    stream, seen = server.words(), []
    for _ in range(4):
        with suppress(LookupError):
            seen.append(next(stream, "over"))
    assert seen == ["a", "b", "over"]


def test_an_iterator_of_the_application_goes_on_after_it_raised(tape):
    tape.served(VcrServer, StubbornApplication, _asks_on)


@pytest.mark.parametrize("letters", ["a?b", "aab", "a!!"])
def test_what_such_an_iterator_of_the_application_does_is_asserted(tape, letters):
    tape.record_served(VcrServer, StubbornApplication(), _asks_on)
    changed = StubbornApplication()
    changed.letters = letters
    with pytest.raises(DivergenceError):
        tape.replay_served(VcrServer, changed, sync=True)


def test_an_iterable_of_the_application_that_no_codec_knows_is_asserted_item_by_item(tape):
    class Odd(Application):
        def words(self):
            self.log.append("words")
            return UserList(["x", "y"])

    def environment(server):
        assert list(server.words()) == ["x", "y"]

    assert tape.served(VcrServer, Odd, environment) == ["words"]
    assert tape.words() == ["call", "item", "next", "item", "next", "end"]


@pytest.mark.parametrize("waits", [False, True])
def test_a_consumer_that_asks_at_once_leaves_no_event(tmp_path, waits):
    class Counting(Application):
        async def acount(self, upto):
            for number in range(upto):
                self.log.append(number)
                yield number

    async def session(mode):
        with Cassette(tmp_path / "tape.yaml", mode) as cassette:
            application = Counting()
            server = VcrServer(cassette=cassette, inner=application)
            if cassette.calls_real:
                async for _ in server.acount(3):
                    if waits:
                        await asyncio.sleep(0.01)
            else:
                await Driver(cassette, server).run()
            return application.log

    assert asyncio.run(session("all")) == asyncio.run(session("none")) == [0, 1, 2]
    text = (tmp_path / "tape.yaml").read_text()
    assert text.count("next_at:") == 1
    assert ("- next:" in text) is waits
