"""Who plays the environment in a replay: a driver, or the test itself."""

import subprocess
import sys
from pathlib import Path

import pytest
from sample.application import Application
from sample.bridges import RealShell
from sample.models import Result, Step
from vcr_sample import ServerRun, ServerStart, ServerStatus, VcrServer, VcrShell

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


def test_a_typed_driver_consumes_the_calls_that_are_due(tape):
    def environment(server):
        server.run(Step("x"))
        server.status()

    tape.record_served(VcrServer, Application(), environment)
    with Cassette(tape.path, "none") as cassette:
        server = VcrServer(cassette=cassette, inner=Application())
        call = cassette.consume(ServerRun)
        assert call == ServerRun(step=Step("x"), timeout=None)
        assert call(server) == Result(0, "x")
        assert cassette.consume(ServerStatus)(server) == "2 seen"
    with Cassette(tape.path, "none") as cassette:
        server = VcrServer(cassette=cassette, inner=Application())
        with pytest.raises(DivergenceError, match=r"server\.status"):
            cassette.consume(ServerStatus)
        with pytest.raises(DivergenceError):
            cassette.close()


def test_a_driver_may_take_either_of_two_calls(tape):
    def environment(server):
        server.status()
        server.run(Step("x"))

    tape.record_served(VcrServer, Application(), environment)
    with Cassette(tape.path, "none") as cassette:
        server = VcrServer(cassette=cassette, inner=Application())
        for expected in (ServerStatus, ServerRun):
            call = cassette.consume(ServerRun | ServerStatus)
            assert isinstance(call, expected)
            call(server)


def test_a_driver_that_takes_neither_call_diverges(tape):
    tape.record_served(VcrServer, Application(), lambda server: server.status())
    cassette = Cassette(tape.path, "none")
    VcrServer(cassette=cassette, inner=Application())
    with pytest.raises(DivergenceError, match=r"asked for server\.run or server\.start") as caught:
        cassette.consume(ServerRun | ServerStart)
    cassette.close(caught.value)


@pytest.mark.parametrize("call", [int, int | None, "ServerRun"])
def test_what_is_no_call_of_a_wrapper_cannot_be_consumed(tape, call):
    tape.record_served(VcrServer, Application(), lambda server: server.status())
    cassette = Cassette(tape.path, "none")
    with pytest.raises(UsageError, match=r"no wrapper with .* is attached"):
        cassette.consume(call)
    cassette.close(UsageError())


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


def test_a_type_checker_knows_what_consume_returns(tmp_path):
    import vcr_sample

    snippet = tmp_path / "driver.py"
    snippet.write_text(
        "from vcr_gen import Cassette\n"
        "from vcr_sample import ServerRun, ServerStart, ServerStatus, VcrServer\n"
        "from sample.models import Result, Step\n\n\n"
        "async def drive(cassette: Cassette, server: VcrServer) -> tuple[Step, Result, str]:\n"
        "    call = cassette.consume(ServerRun)\n"
        "    return call.step, call(server), await cassette.consume(ServerStart)(server)\n\n\n"
        "def either(cassette: Cassette, server: VcrServer) -> Result | str:\n"
        "    call = cassette.consume(ServerRun | ServerStatus)\n"
        "    assert isinstance(call, ServerRun | ServerStatus)\n"
        "    return call(server)\n"
    )
    generated = Path(vcr_sample.__file__).parent.parent
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-incremental", snippet],
        env={"MYPYPATH": f"{generated}:{here}:{here.parent.parent / 'src'}", "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["Success: no issues found in 1 source file"], (
        done.stdout + done.stderr
    )
