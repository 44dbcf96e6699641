"""Calls of the environment into the application, driven from the tape."""

import asyncio
import gc

import pytest
from sample.application import Application, RealClient
from sample.bridges import RealShell, an_error
from sample.models import Result, Step
from tape_data import read_tape
from vcr_sample import VcrServer, VcrShell

from vcr_gen import Cassette, Driver
from vcr_gen.errors import DivergenceError


def test_sync_calls_are_made_again_with_the_recorded_arguments(tape):
    def environment(server):
        assert server.run(Step("build", ("a",)), timeout=9.0) == Result(1, "build")
        assert server.status() == "2 seen"

    assert tape.served(VcrServer, Application, environment) == [
        Step("build", ("a",)),
        "status",
    ]


def test_async_calls_are_made_again(tape):
    async def environment(server):
        assert await server.start("one", "-v") == "ONE"
        assert await server.later("two") == "TWO"
        assert server.status() == "6 seen"

    tape.served(VcrServer, Application, environment)


def test_what_is_raised_before_there_is_anything_to_await_is_asserted(tape):
    class Refuses(Application):
        def later(self, name):
            self.log.append(name)
            raise LookupError(name)

    async def environment(server):
        with pytest.raises(LookupError, match="two"):
            await server.later("two")

    assert tape.served(VcrServer, Refuses, environment) == ["two"]
    assert [entry["raised"]["args"] for entry in read_tape(tape.path)] == [["two"]]


def test_overlapping_calls_overlap_again(tape):
    async def environment(server):
        await asyncio.gather(server.start("long name"), server.start("x"), server.start("middle"))

    log = tape.served(VcrServer, Application, environment)
    assert [seen[1] for seen in log if seen[0] == "started"] == [
        "x",
        "middle",
        "long name",
    ]


def test_sync_and_async_calls_mix(tape):
    async def environment(server):
        task = asyncio.create_task(server.start("slow one"))
        await asyncio.sleep(0.001)
        server.status()
        await task
        server.status()

    log = tape.served(VcrServer, Application, environment)
    assert log.index("status") < log.index(("started", "slow one"))


@pytest.mark.parametrize(
    "kind", ["boom", "notes", "cause", "group", "file", "stop", "exit", "ends"]
)
def test_what_the_application_raises_is_asserted(tape, kind):
    def environment(server):
        with pytest.raises(type(an_error(kind))):
            server.fail(kind)

    tape.served(VcrServer, Application, environment)

    class Changed(Application):
        def fail(self, kind):
            self.log.append(("fail", kind))
            raise LookupError("something else")

    with pytest.raises(DivergenceError, match=r"server\.fail"):
        tape.replay_served(VcrServer, Changed(), sync=True)

    class Fixed(Application):
        def fail(self, kind):
            return None

    with pytest.raises(DivergenceError, match=r"server\.fail"):
        tape.replay_served(VcrServer, Fixed(), sync=True)


@pytest.mark.parametrize(("kind", "expected"), [("boom", "boom"), ("ends", "what ends more")])
def test_what_an_async_call_raises_is_asserted(tape, kind, expected, caplog):
    async def environment(server):
        with pytest.raises(BaseException, match=expected):
            await server.afail(kind)
        await server.start("after")

    tape.served(VcrServer, Application, environment)
    gc.collect()
    assert not caplog.records  # asyncio complains about an exception that nobody retrieves


def test_a_call_that_the_environment_cancels_is_cancelled_again(tape):
    async def environment(server):
        task = asyncio.create_task(server.sleep())
        await server.start("meanwhile")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    log = tape.served(VcrServer, Application, environment)
    assert log[-1] == "cancelled"


def test_another_answer_than_recorded_is_a_divergence(tape):
    tape.record_served(VcrServer, Application(), lambda server: server.status())

    class Changed(Application):
        def status(self):
            return "changed"

    with pytest.raises(DivergenceError, match=r"server\.status"):
        tape.replay_served(VcrServer, Changed(), sync=True)


def test_defaults_variadics_overloads_and_secrets_come_in_as_they_did(tape):
    def environment(server):
        server.grep("x")
        server.grep("x", 3)
        server.join("a", "b", n=1)
        server.read(3)
        server.read("text")
        server.login("me", token="hunter2")

    log = tape.served(VcrServer, Application, environment)
    assert log == [
        ("x", 2),
        ("x", 3),
        (("a", "b"), {"n": 1}),
        3,
        "text",
        ("login", "me"),
    ]
    assert b"hunter2" not in tape.path.read_bytes()


def test_properties_attributes_class_methods_and_dunders_come_in(tape):
    def environment(server):
        server.load = 5
        assert server.load == 5
        server.topic = "news"
        assert server.topic == "news"
        assert server.version() == "1"
        assert len(server) == 2
        assert server["a"] == 1
        with pytest.raises(KeyError):
            server["b"]
        assert server("abc") == "cba"

    assert tape.served(VcrServer, Application, environment) == [
        5,
        "load",
        "a",
        "b",
        "abc",
    ]


def test_an_unrecorded_member_reaches_the_application_in_any_mode(tape):
    application = Application()
    tape.record_served(VcrServer, application, lambda server: server.shutdown())
    assert application.closed
    with Cassette(tape.path, "none") as cassette:
        again = Application()
        VcrServer(cassette=cassette, inner=again).shutdown()
        assert again.closed


def test_outbound_calls_inside_inbound_ones_are_answered_from_the_tape(tape):
    class Agent(Application):
        shell: VcrShell

        async def start(self, name, arguments=""):
            self.log.append((await self.shell.arun(name, 0.001 * len(name))).out)
            self.log.append(self.shell.read(name))
            return name

        def status(self):
            self.log.append(self.shell.read(7))
            return "fine"

    async def environment(server):
        await asyncio.gather(server.start("one"), server.start("three"))
        server.status()

    recorded, replayed = Agent(), Agent()
    with Cassette(tape.path, "all") as cassette:
        recorded.shell = VcrShell(cassette=cassette, inner=RealShell())
        asyncio.run(environment(VcrServer(cassette=cassette, inner=recorded)))
    with Cassette(tape.path, "none") as cassette:
        replayed.shell = VcrShell(cassette=cassette)
        asyncio.run(Driver(cassette, VcrServer(cassette=cassette, inner=replayed)).run())
    assert recorded.log == replayed.log == ["one", "one", "three", "three", 7]
    served = {entry["call"] for entry in read_tape(tape.path) if entry.get("inbound")}
    assert {entry["within"] for entry in read_tape(tape.path) if "within" in entry} == served


def test_clients_of_the_environment_are_handles_inside_the_application(tape):
    async def environment(server):
        client = RealClient(2)
        server.connect(client)
        assert await server.aconnect([RealClient(), client]) == 2

    assert tape.served(VcrServer, Application, environment) == [10, [1, 2]]
