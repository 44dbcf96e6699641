"""Context managers, callbacks and handles that cross between environment and application."""

import asyncio

import pytest
from sample.application import Application
from tape_data import read_tape
from vcr_sample import VcrServer

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError


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

    with pytest.raises(DivergenceError, match=r"the end of the block `with server\.lock\("):
        tape.replay_served(VcrServer, Changed(), sync=True)


def test_a_callback_of_the_environment_is_answered_from_the_tape(tape):
    def environment(server):
        assert server.subscribe(len) == 1

    assert tape.served(VcrServer, Application, environment) == [[3, 5]]

    class Changed(Application):
        def subscribe(self, notify):
            self.log.append([notify("two"), notify("three")])
            return 1

    with pytest.raises(DivergenceError, match=r"the function `notify` given to server\.subscribe"):
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
    assert {entry.get("on") for entry in read_tape(tape.path)} >= {"#1", "#3"}


def test_an_application_may_hand_itself_out(tape):
    def environment(server):
        assert server.itself()("ab") == "ba"

    assert tape.served(VcrServer, Application, environment) == ["ab"]


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
