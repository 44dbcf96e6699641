"""Programs on trio are recorded and replayed as on asyncio, and what is not exact is said."""

import time
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from vcr_world.ports import VcrService, VcrWorld
from world.real import AnyWorld

from concurrency.sessions import BOUND, run_on, watchdog
from vcr_gen import Cassette, DivergenceError, Driver, InexactReplayWarning
from vcr_gen.errors import UsageError


def same(tape: Path, program: Any) -> Any:
    recorded = run_on("trio", tape, "all", program)
    assert run_on("trio", tape, "none", program) == recorded
    return recorded


def test_a_program_with_a_nursery_and_a_channel_is_exact(tape: Path) -> None:
    async def program(world: Any) -> list[str]:
        log: list[str] = []
        send, receive = trio.open_memory_channel[str](1)

        async def produce() -> None:
            async with send:
                async for item in world.watch("order", 4):
                    await send.send(item)

        async def consume(name: str) -> None:
            async for item in receive:
                with trio.move_on_after(0.001) as scope:
                    log.append(f"{name} {item} {await world.fetch(name)}")
                log.append(f"{name} {scope.cancelled_caught}")

        async with trio.open_nursery() as nursery:
            nursery.start_soon(produce)
            for name in "abc":
                nursery.start_soon(consume, name)
        return log

    for _ in range(10):
        assert len(same(tape, program)) >= 4


def test_a_minute_of_sleep_takes_no_time(tape: Path) -> None:
    async def program(world: Any, pause: float) -> list[str]:
        before = trio.current_time()
        await trio.sleep(pause)
        slept = round((trio.current_time() - before) / pause)
        return [await world.fetch("a"), str(slept)]

    recorded = run_on("trio", tape, "all", lambda world: program(world, 0.01))
    began = time.monotonic()

    replayed = run_on("trio", tape, "none", lambda world: program(world, 60))
    assert replayed == [recorded[0], "1"]  # a busy recording sleeps longer
    assert time.monotonic() - began < BOUND


class Application:
    """Answers requests, with calls of its own."""

    def __init__(self, world: Any) -> None:
        self._world = world
        self.log: list[str] = []

    async def handle(self, request: str) -> str:
        try:
            self.log.append(await self._world.fetch(request))
        except trio.Cancelled:
            self.log.append(f"cancelled {request}")
            raise
        return f"done {request}"


def test_inbound_calls_that_overlap_and_are_cancelled_are_driven_again(tape: Path) -> None:
    async def session(mode: str) -> list[str]:
        with Cassette(tape, mode) as cassette:
            application = Application(VcrWorld.attach(cassette, AnyWorld))
            service = VcrService(cassette=cassette, inner=application)
            if not cassette.recording:
                await Driver(cassette, service).run()
                return application.log
            async with trio.open_nursery() as nursery:
                for request in "abcd":
                    nursery.start_soon(service.handle, request)
                with trio.CancelScope() as scope:
                    nursery.start_soon(trio.lowlevel.checkpoint)
                    scope.cancel()
                    await service.handle("late")
            return application.log

    with watchdog():
        recorded = trio.run(session, "all")
        replayed = trio.run(session, "none")

    assert recorded == replayed
    assert len([line for line in recorded if "#" in line]) == 4


def test_a_cancellation_by_the_caller_reaches_the_application_before_its_clean_up(
    tape: Path,
) -> None:
    class Careful:
        def __init__(self, world: Any) -> None:
            self._world = world
            self.log: list[str] = []
            self.at_work = trio.Event()

        async def handle(self, request: str) -> str:
            try:
                self.at_work.set()
                await trio.sleep_forever()
            finally:
                with trio.CancelScope(shield=True):
                    self.log.append(await self._world.fetch(f"undo {request}"))
            return request

    async def session(mode: str) -> list[str]:
        with Cassette(tape, mode) as cassette:
            careful = Careful(VcrWorld.attach(cassette, AnyWorld))
            service = VcrService(cassette=cassette, inner=careful)
            if not cassette.recording:
                await Driver(cassette, service).run()
                return careful.log
            async with trio.open_nursery() as nursery:
                nursery.start_soon(service.handle, "a")
                await careful.at_work.wait()
                nursery.cancel_scope.cancel()
            return careful.log

    with watchdog():
        recorded = trio.run(session, "all")
        replayed = trio.run(session, "none")

    assert recorded == replayed == ["undo a#1"]


async def two_calls(world: Any) -> None:
    await world.fetch("a")
    await world.fetch("b")


async def _another_call(world: Any) -> None:
    await world.fetch("c")


async def _deadlock(world: Any) -> None:
    await world.fetch("a")
    await trio.Event().wait()


async def _deadlock_in_a_shield(world: Any) -> None:
    await world.fetch("a")
    with trio.CancelScope(shield=True):
        await trio.Event().wait()


async def _swallow(world: Any) -> None:
    for key in "xa":
        try:
            await world.fetch(key)
        except Exception:
            await trio.lowlevel.checkpoint()


async def _cancel(world: Any) -> None:
    with trio.move_on_after(0):
        await world.fetch("a")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (_another_call, "World.fetch was called with different arguments"),
        (_deadlock, 'stopped before World.fetch(key="b")'),
        (_deadlock_in_a_shield, 'stopped before World.fetch(key="b")'),
        (_swallow, "World.fetch was called with different arguments"),
        (_cancel, "World.fetch was cancelled; in the recording it completed"),
    ],
)
def test_a_changed_program_ends_with_the_divergence(changed: Any, says: str, tape: Path) -> None:
    run_on("trio", tape, "all", two_calls)
    began = time.monotonic()

    with pytest.raises(DivergenceError) as caught:
        run_on("trio", tape, "none", changed)

    assert says in str(caught.value)
    assert time.monotonic() - began < BOUND


def test_who_waits_is_named_with_its_line(tape: Path) -> None:
    async def leave(world: Any) -> None:
        with trio.move_on_after(0.001):
            await world.fetch("a")

    async def wait(world: Any) -> None:
        await world.fetch("a")

    async def until_it_is_cancelled(world: Any) -> None:
        while await _is_fast(world):
            pass

    async def _is_fast(world: Any) -> bool:
        with trio.move_on_after(0) as scope:
            await leave(world)
        return not scope.cancelled_caught

    run_on("trio", tape, "all", until_it_is_cancelled)
    with pytest.raises(DivergenceError) as caught:
        run_on("trio", tape, "none", wait)

    assert 'waits for World.fetch(key="a")' in str(caught.value)
    assert f"{Path(__file__).name}:" in str(caught.value)


def test_results_of_threads_are_not_exact_and_the_session_says_so(tape: Path) -> None:
    async def program(world: Any) -> list[str]:
        return [await world.fetch("a"), await trio.to_thread.run_sync(lambda: "b")]

    recorded = run_on("trio", tape, "all", program)
    with pytest.warns(InexactReplayWarning, match="threads passed results to trio tasks"):
        replayed = run_on("trio", tape, "none", program)

    assert recorded == replayed


def test_a_session_on_a_clock_of_another_kind_is_refused(tape: Path) -> None:
    async def main() -> None:
        with Cassette(tape, "all") as cassette:
            await VcrWorld.attach(cassette, AnyWorld).fetch("a")

    with pytest.raises(UsageError, match="MockClock"):
        trio.run(main, clock=trio.testing.MockClock())


def test_a_run_is_left_as_it_was_found(tape: Path) -> None:
    async def main(mode: str) -> None:
        runner = trio._core._run.GLOBAL_RUN_CONTEXT.runner
        before = runner.clock, runner.io_manager
        with trio.move_on_after(0.5) as scope:
            with Cassette(tape, mode) as cassette:
                await VcrWorld.attach(cassette, AnyWorld).fetch("a")
                assert runner.io_manager is not before[1]
            assert (runner.clock, runner.io_manager) == before
            await trio.sleep(60)
        assert scope.cancelled_caught

    with watchdog():
        trio.run(main, "all")
        trio.run(main, "none")


def test_a_second_cassette_in_a_run_is_refused(tmp_path: Path) -> None:
    async def main() -> None:
        with Cassette(tmp_path / "one.yaml", "all") as one:
            await VcrWorld.attach(one, AnyWorld).fetch("a")
            with Cassette(tmp_path / "two.yaml", "all") as two:
                await VcrWorld.attach(two, AnyWorld).fetch("b")

    with watchdog(), pytest.raises(UsageError, match="only one cassette can be open"):
        trio.run(main)
