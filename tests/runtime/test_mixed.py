"""A Protocol that carries both ways."""

import asyncio

import pytest
from vcr_sample import VcrPeer

from vcr_gen import Cassette, Driver
from vcr_gen.errors import DivergenceError


class APeer:
    """The outbound member is the environment's, the inbound ones are the application's."""

    def __init__(self):
        self.log = []

    def send(self, text):
        return len(text)

    def on_message(self, text):
        self.log.append(text)
        return text.upper()

    async def on_alarm(self, level):
        await asyncio.sleep(0)
        self.log.append(level)
        return "!" * level


def record(tape):
    with Cassette(tape.path, "all") as cassette:
        peer = VcrPeer(cassette=cassette, inner=APeer())

        async def environment():
            assert peer.on_message("hi") == "HI"
            assert await peer.on_alarm(2) == "!!"

        asyncio.run(environment())


def test_inbound_members_are_driven(tape):
    record(tape)
    peer = APeer()
    with Cassette(tape.path, "none") as cassette:
        asyncio.run(Driver(cassette, VcrPeer(cassette=cassette, inner=peer)).run())
    assert peer.log == ["hi", 2]


def test_what_inbound_members_answer_is_asserted(tape):
    record(tape)

    class Changed(APeer):
        def on_message(self, text):
            return "changed"

    with (
        pytest.raises(DivergenceError, match=r"Peer\.on_message"),
        Cassette(tape.path, "none") as cassette,
    ):
        asyncio.run(Driver(cassette, VcrPeer(cassette=cassette, inner=Changed())).run())


def test_outbound_members_are_answered_from_the_tape_and_do_not_reach_the_object(tape):
    class Untouchable(APeer):
        def send(self, text):
            raise AssertionError("a replay touched the environment")

    with Cassette(tape.path, "all") as cassette:
        assert VcrPeer(cassette=cassette, inner=APeer()).send("abc") == 3
    with Cassette(tape.path, "none") as cassette:
        assert VcrPeer(cassette=cassette, inner=Untouchable()).send("abc") == 3
