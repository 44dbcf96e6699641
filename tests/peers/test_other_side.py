"""One tape, played to the program that asked, and to the program that was asked."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sessions import RealClient, RealServer, record
from vcr_far_link import VcrClient as FarClient
from vcr_far_link import VcrFeed as FarFeed
from vcr_far_link import VcrServer as FarServer
from vcr_link import VcrClient, VcrFeed, VcrLine, VcrServer

from vcr_gen import Cassette, DivergenceError, Driver
from vcr_gen.errors import CassetteError, UsageError, VerificationError

SIDES = ("server", "client")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / "tape.yaml"
    asyncio.run(record(path))
    return path


async def drive(path: Path, server: Any, *, collect: bool = False) -> None:
    with Cassette(path, "none", other_side=SIDES) as cassette:
        server.client = FarClient(cassette=cassette)
        far = FarServer(cassette=cassette, inner=server)
        await Driver(cassette, far, collect=collect).run()


def test_the_recorded_client_drives_the_server(tape: Path) -> None:
    heard = []

    class Server(RealServer):
        async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
            heard.append(method)
            return await super().request(method, params, progress)

    asyncio.run(drive(tape, Server()))
    assert heard == ["hello", "count", "ask", "announce", "goodbye"]


def test_what_the_server_does_differently_is_named(tape: Path) -> None:
    class Forgetful(RealServer):
        async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
            if method == "count":
                params = {"to": 1}
            if method == "ask":
                params = {"text": "who?"}
            return await super().request(method, params, progress)

    with pytest.raises(VerificationError) as caught:
        asyncio.run(drive(tape, Forgetful(), collect=True))
    text = str(caught.value)
    assert "client.request was called with different arguments" in text
    assert "$result.to" in text
    with pytest.raises(DivergenceError):
        asyncio.run(drive(tape, Forgetful()))


class Slow(RealServer):
    """Takes long for some requests, and may not let go when it is cancelled."""

    async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
        if method == "stubborn":
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                return "done anyway"
        if method == "slow":
            await asyncio.sleep(60)
        return method


@pytest.mark.parametrize("method", ["slow", "stubborn"])
@pytest.mark.parametrize("recorder", ["near", "far"])
def test_a_cancelled_call_is_cancelled_on_both_sides(
    tmp_path: Path, recorder: str, method: str
) -> None:
    path = tmp_path / "tape.yaml"

    async def program(server: Any) -> list[Any]:
        said = [await server.request("quick", {}, None)]
        task = asyncio.ensure_future(server.request(method, {}, None))
        await asyncio.sleep(0.05)
        task.cancel()
        said.append(await asyncio.gather(task, return_exceptions=True))
        said.append(await server.request("quick", {}, None))
        return said

    async def play(mode: str, near: bool, **options: Any) -> Any:
        with Cassette(path, mode, **options) as cassette:
            if near:
                return await program(VcrServer.attach(cassette, Slow))
            far = FarServer(cassette=cassette, inner=Slow())
            if mode == "all":
                return await program(far)
            return await Driver(cassette, far).run()

    asyncio.run(play("all", near=recorder == "near"))
    asyncio.run(play("none", near=recorder == "near"))
    asyncio.run(play("none", near=recorder == "far", other_side=["server"]))


def test_what_happened_inside_the_recorded_program_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"

    class Line:
        def say(self, text: str) -> str:
            return text

    async def recorded() -> None:
        with Cassette(path, "all") as cassette:
            line = VcrLine(cassette=cassette, inner=Line())
            server = VcrServer(cassette=cassette, inner=RealServer())
            line.say("before")
            await asyncio.to_thread(line.say, "in a job")
            await server.request("hello", {}, None)

    asyncio.run(recorded())
    with pytest.raises(UsageError, match="no boundary 'client'"):
        asyncio.run(drive(path, RealServer()))

    async def driven() -> None:
        with Cassette(path, "none", other_side=["server"]) as cassette:
            await Driver(cassette, FarServer(cassette=cassette, inner=RealServer())).run()

    asyncio.run(driven())


def test_a_wrapper_of_the_recorded_side_is_refused(tape: Path) -> None:
    cassette = Cassette(tape, "none", other_side=SIDES)
    with pytest.raises(UsageError, match="opposite direction"):
        VcrClient(cassette=cassette, inner=RealClient())
    cassette.close(RuntimeError())
    with pytest.raises(UsageError, match="not replayed"):
        Cassette(tape, "all", other_side=SIDES)


def test_a_stream_cannot_change_sides(tmp_path: Path) -> None:
    path = tmp_path / "tape.yaml"

    class Feed:
        def items(self, count: int) -> Iterator[int]:
            yield from range(count)

    with Cassette(path, "all") as cassette:
        assert list(VcrFeed(cassette=cassette, inner=Feed()).items(2)) == [0, 1]
    with (
        pytest.raises(CassetteError, match="only calls with plain values and callbacks"),
        Cassette(path, "none", other_side=["feed"]) as cassette,
    ):
        Driver(cassette, FarFeed(cassette=cassette, inner=Feed())).run_sync()


def test_answers_and_calls_of_a_server_may_come_in_any_order(tmp_path: Path) -> None:
    """A server's progress is taken in before an answer that came first in the recording."""
    path = tmp_path / "tape.yaml"

    class Recorded(RealServer):
        async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
            if method == "slow":
                await asyncio.sleep(0.3)
                await progress(1)
            return method

    class Driven(RealServer):
        def __init__(self) -> None:
            super().__init__()
            self._progressed = asyncio.Event()

        async def request(self, method: str, params: dict[str, Any], progress: Any) -> Any:
            if method == "slow":
                await progress(1)
                self._progressed.set()
            await self._progressed.wait()
            return method

    async def recording() -> None:
        async def progress(done: int) -> None:
            pass

        with Cassette(path, "all") as cassette:
            server = VcrServer(cassette=cassette, inner=Recorded())
            slow = asyncio.ensure_future(server.request("slow", {}, progress))
            await server.request("quick", {}, None)
            await slow

    async def driving() -> None:
        with Cassette(path, "none", other_side=["server"]) as cassette:
            await Driver(cassette, FarServer(cassette=cassette, inner=Driven())).run()

    asyncio.run(recording())
    asyncio.run(driving())
