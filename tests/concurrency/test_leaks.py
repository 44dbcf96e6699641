"""A session leaves loops as it found them, keeps to itself, and says where it cannot be exact."""

import asyncio
import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvloop
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import BOUND, record, replay, same, watchdog
from vcr_gen import Cassette, DivergenceError, InexactReplayWarning
from vcr_gen.runtime.strands.stack_frames import frames_from, frames_of_threads


async def program(world: Any) -> list[str]:
    log: list[str] = []

    async def one(key: str) -> None:
        log.append(await world.fetch(key))
        await asyncio.sleep(0.001)
        log.append(await world.fetch(f"{key} again"))

    await asyncio.gather(*(one(key) for key in "abc"))
    return log


TRACES = ["time", "call_at", "run_in_executor", "task factory", "selector"]


def traces(loop: asyncio.AbstractEventLoop) -> list[str]:
    """What a session puts in a loop, as far as it is still there."""
    hooked = type(getattr(loop, "_selector", None)).__module__.startswith("vcr_gen")
    names = [name for name in ("time", "call_at", "run_in_executor") if name in vars(loop)]
    names += ["task factory"] if loop.get_task_factory() is not None else []
    return names + (["selector"] if hooked else [])


def test_a_loop_is_left_as_it_was_found(tape: Path) -> None:
    async def main(mode: str) -> tuple[list[str], list[str]]:
        loop = asyncio.get_running_loop()
        with Cassette(tape, mode) as cassette:
            await program(VcrWorld.attach(cassette, RealWorld))
            during = traces(loop)
        return during, traces(loop)

    for mode in ("all", "none"):
        assert asyncio.run(main(mode)) == (TRACES, [])


async def _fail(world: Any) -> None:
    await world.fetch("a")
    raise ZeroDivisionError


@pytest.mark.parametrize("mode", ["all", "none"])
def test_so_it_is_after_an_error(mode: str, tape: Path) -> None:
    async def main() -> list[str]:
        with pytest.raises(ZeroDivisionError), Cassette(tape, mode) as cassette:
            await _fail(VcrWorld.attach(cassette, RealWorld))
        return traces(asyncio.get_running_loop())

    record(tape, lambda world: world.fetch("a"))
    assert asyncio.run(main()) == []


def test_so_it_is_after_a_divergence(tape: Path) -> None:
    async def main() -> list[str]:
        with pytest.raises(DivergenceError), Cassette(tape, "none") as cassette:
            await VcrWorld.attach(cassette, RealWorld).fetch("b")
        return traces(asyncio.get_running_loop())

    record(tape, lambda world: world.fetch("a"))
    with watchdog():
        assert asyncio.run(main()) == []


def test_timers_of_the_loop_go_on_after_the_close(tape: Path) -> None:
    async def main(mode: str) -> None:
        with Cassette(tape, mode) as cassette:
            waiting = asyncio.create_task(asyncio.sleep(0.02))
            await VcrWorld.attach(cassette, RealWorld).fetch("a")
        await asyncio.wait_for(waiting, BOUND)

    with watchdog():
        asyncio.run(main("all"))
        asyncio.run(main("none"))


def test_two_cassettes_on_two_loops_in_two_threads_do_not_touch(tmp_path: Path) -> None:
    def session(name: str, mode: str, logs: dict[str, Any]) -> None:
        async def main() -> None:
            with Cassette(tmp_path / f"{name}.yaml", mode) as cassette:
                world = VcrWorld.attach(cassette, RealWorld)
                logs[name] = [await program(world) for _ in range(5)]

        asyncio.run(main())

    def both(mode: str) -> dict[str, Any]:
        logs: dict[str, Any] = {}
        threads = [threading.Thread(target=session, args=(name, mode, logs)) for name in "xy"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(2 * BOUND)
        return logs

    recorded = both("all")
    assert sorted(recorded) == ["x", "y"]
    assert both("none") == recorded


@pytest.mark.filterwarnings("ignore:.*another cassette was open:vcr_gen.InexactReplayWarning")
def test_two_cassettes_on_one_loop_each_replay_their_own(tmp_path: Path) -> None:
    async def main(mode: str) -> list[list[str]]:
        with (
            Cassette(tmp_path / "one.yaml", mode) as one,
            Cassette(tmp_path / "two.yaml", mode) as two,
        ):
            first = await program(VcrWorld.attach(one, RealWorld))
            second = await program(VcrWorld.attach(two, RealWorld))
            assert traces(asyncio.get_running_loop())
        assert traces(asyncio.get_running_loop()) == []
        return [first, second]

    with watchdog():
        assert asyncio.run(main("all")) == asyncio.run(main("none"))


@pytest.mark.asyncio
async def test_a_session_in_the_loop_of_pytest_asyncio_is_exact(tape: Path) -> None:
    await _session_here(tape)


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_session_in_the_loop_of_anyio_is_exact(tape: Path, anyio_backend: str) -> None:
    await _session_here(tape)


async def _session_here(tape: Path) -> None:
    logs = []
    for mode in ("all", "none"):
        with Cassette(tape, mode) as cassette:
            logs.append(await program(VcrWorld.attach(cassette, RealWorld)))
    assert logs[0] == logs[1]
    assert traces(asyncio.get_running_loop()) == []


def test_programs_on_anyio_are_exact_on_asyncio(tape: Path) -> None:
    async def with_anyio(world: Any) -> list[str]:
        log: list[str] = []

        async def one(key: str) -> None:
            log.append(await world.fetch(key))
            with anyio.move_on_after(0.0005):
                log.append(await world.fetch(f"{key} again"))

        async with anyio.create_task_group() as group:
            for key in "abc":
                group.start_soon(one, key)
        return log

    same(tape, with_anyio)


async def spin(world: Any) -> str:
    task = asyncio.create_task(world.fetch("a"))
    while not task.done():
        await asyncio.sleep(0)
    return str(task.result())


def test_a_loop_that_is_never_idle_gets_its_results_and_a_warning(tape: Path) -> None:
    with pytest.warns(InexactReplayWarning, match="1 results were delivered to an event loop"):
        record(tape, spin)


def test_a_replay_on_a_loop_that_is_never_idle_ends(tape: Path) -> None:
    async def fetch(world: Any) -> str:
        return str(await world.fetch("a"))

    recorded = record(tape, fetch)

    assert replay(tape, spin) == recorded


@pytest.mark.filterwarnings("ignore:.*another cassette was open:vcr_gen.InexactReplayWarning")
def test_cassettes_closed_in_the_order_in_which_they_were_opened_leave_the_loop_too(
    tmp_path: Path,
) -> None:
    async def main(mode: str) -> list[str]:
        one, two = Cassette(tmp_path / "one.yaml", mode), Cassette(tmp_path / "two.yaml", mode)
        first = await program(VcrWorld.attach(one, RealWorld))
        world = VcrWorld.attach(two, RealWorld)
        before = await world.fetch("before")
        one.close()
        after = await asyncio.gather(world.fetch("after"), asyncio.sleep(0.001))
        two.close()
        assert traces(asyncio.get_running_loop()) == []
        return [*first, before, str(after)]

    with watchdog():
        assert asyncio.run(main("all")) == asyncio.run(main("none"))


@pytest.mark.parametrize("loop_factory", [None, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_loop_in_debug_mode_is_exact(loop_factory: Any, tape: Path) -> None:
    async def main(mode: str) -> list[str]:
        with Cassette(tape, mode) as cassette:
            return await program(VcrWorld.attach(cassette, RealWorld))

    def run(mode: str) -> list[str]:
        with watchdog(), asyncio.Runner(debug=True, loop_factory=loop_factory) as runner:
            return runner.run(main(mode))

    assert run("all") == run("none")


def test_a_task_factory_of_the_program_is_left_alone_and_replays(tape: Path) -> None:
    """Where Python has eager tasks, with those; else with a factory that does nothing special."""

    def plain(loop: asyncio.AbstractEventLoop, work: Any, **options: Any) -> "asyncio.Task[Any]":
        return asyncio.Task(work, loop=loop, **options)

    factory = getattr(asyncio, "eager_task_factory", plain)

    async def main(mode: str) -> list[str]:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(factory)
        with Cassette(tape, mode) as cassette:
            log = await program(VcrWorld.attach(cassette, RealWorld))
        assert loop.get_task_factory() is factory
        return log

    with watchdog():
        assert asyncio.run(main("all")) == asyncio.run(main("none"))


def test_looking_where_threads_stand_keeps_nothing_that_they_had_at_hand() -> None:
    """Nor makes garbage of it: early Pythons 3.12 crash on collecting buffers."""
    ready, leave = threading.Event(), threading.Event()
    held: list[weakref.ref[threading.Event]] = []

    def work() -> None:
        at_hand = threading.Event()
        held.append(weakref.ref(at_hand))
        ready.set()
        leave.wait()

    def look() -> int:
        frames = frames_of_threads()
        return len([frame for frame in frames.values() if any(frames_from(frame))])

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    gc.disable()
    try:
        assert look() >= 1
        leave.set()
        thread.join()
        assert held[0]() is None
    finally:
        gc.enable()


@pytest.fixture
def rare_switches() -> Iterator[None]:
    """Let a thread run until it waits: one that was not joined is seen."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(2.0)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("rare_switches")
def test_no_thread_of_the_runtime_outlives_the_close(tape: Path) -> None:
    def session(mode: str, keys: str) -> None:
        with Cassette(tape, mode) as cassette:
            world = VcrWorld.attach(cassette, RealWorld)
            for key in keys:
                thread = threading.Thread(target=peek, args=(world, key))
                thread.start()
                thread.join()
            world.peek("last")

    def peek(world: Any, key: str) -> None:
        with suppress(DivergenceError):
            world.peek(key)

    before = set(threading.enumerate())
    for mode, keys in (("all", "abc"), ("none", "abc"), ("none", "axc")):
        with watchdog(), suppress(DivergenceError):
            session(mode, keys)
        left = set(threading.enumerate()) - before
        assert not [thread.name for thread in left if thread.name.startswith("vcr-gen")]


def test_older_pythons_list_the_frames_of_threads_without_collecting_garbage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames_of_all = sys._current_frames
    collecting = []

    def listing() -> Any:
        collecting.append(gc.isenabled())
        return frames_of_all()

    monkeypatch.setattr(sys, "_current_frames", listing)
    frames_of_threads()
    assert collecting == [sys.version_info >= (3, 11, 9)]
    assert gc.isenabled()
