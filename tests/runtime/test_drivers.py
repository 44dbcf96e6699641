"""Who plays the environment in a replay: a driver, or the test itself."""

import asyncio

import pytest
from sample.application import Application
from sample.bridges import RealShell
from sample.models import Result, Step
from vcr_sample import VcrServer, VcrShell

from vcr_gen import Cassette, Driver
from vcr_gen.errors import DivergenceError, UnusedEventsError, UsageError


def test_a_test_may_play_the_environment_itself(tape):
    tape.record_served(VcrServer, Application(), lambda server: server.run(Step("x")))
    with Cassette(tape.path, "none") as cassette:
        server = VcrServer(cassette=cassette, inner=Application())
        assert server.run(Step("x")) == Result(0, "x")
    with (
        pytest.raises(DivergenceError, match=r"server\.run"),
        Cassette(tape.path, "none") as cassette,
    ):
        VcrServer(cassette=cassette, inner=Application()).run(Step("y"))


def test_two_wrappers_of_one_inbound_boundary_are_told_apart(tape):
    def wrap(cassette):
        servers = [Application(), Application()]
        return servers, [VcrServer(cassette=cassette, inner=server) for server in servers]

    with Cassette(tape.path, "all") as cassette:
        _, (one, two) = wrap(cassette)
        two("b")
        one("a")
        two("c")
    with Cassette(tape.path, "none") as cassette:
        applications, wrappers = wrap(cassette)
        Driver(cassette, *wrappers).run_sync()
    assert [application.log for application in applications] == [["a"], ["b", "c"]]


def test_wrappers_may_have_drivers_of_their_own(tape):
    with Cassette(tape.path, "all") as cassette:
        for word in "ab":
            VcrServer(cassette=cassette, inner=Application())(word)

    async def drive(cassette):
        servers = [Application(), Application()]
        wrappers = [VcrServer(cassette=cassette, inner=server) for server in servers]
        await asyncio.gather(*(Driver(cassette, wrapper).run() for wrapper in wrappers))
        return [server.log for server in servers]

    with Cassette(tape.path, "none") as cassette:
        assert asyncio.run(drive(cassette)) == [["a"], ["b"]]


def test_a_call_that_nobody_drives_is_left_over(tape):
    tape.record_served(VcrServer, Application(), lambda server: server.status())
    with (
        pytest.raises(UnusedEventsError, match=r"server\.status"),
        Cassette(tape.path, "none"),
    ):
        pass


def test_an_async_call_needs_the_async_driver(tape):
    async def environment(server):
        await server.start("x")

    tape.record_served(VcrServer, Application(), environment)
    with pytest.raises(UsageError, match=r"await driver\.run"):
        tape.replay_served(VcrServer, Application(), sync=True)


def test_a_driver_refuses_what_it_cannot_drive(tape):
    tape.record(VcrShell, RealShell, lambda shell: shell.read(1))
    with (
        pytest.raises(UsageError, match="outbound"),
        Cassette(tape.path, "none") as cassette,
    ):
        Driver(cassette, VcrShell(cassette=cassette))
    with (
        pytest.raises(UsageError, match="generated wrapper"),
        Cassette(tape.path, "none") as cas,
    ):
        Driver(cas, Application())
    recording = Cassette(tape.path, "all")
    with pytest.raises(UsageError, match="works only in a replay"):
        Driver(recording, VcrServer(cassette=recording, inner=Application()))
    recording.close()
