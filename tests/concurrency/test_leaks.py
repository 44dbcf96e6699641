"""A session leaves loops as it found them, keeps to itself, and says where it cannot be exact."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
import uvloop
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import BOUND, record, replay, same, watchdog
from vcr_gen import Cassette, DivergenceError, InexactReplayWarning


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

    assert both("all") == both("none")


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


def test_a_loop_that_is_never_idle_gets_its_results_and_a_warning(tape: Path) -> None:
    async def spin(world: Any) -> str:
        task = asyncio.create_task(world.fetch("a"))
        while not task.done():
            await asyncio.sleep(0)
        return str(task.result())

    with pytest.warns(InexactReplayWarning, match="1 results were handed to a loop"):
        record(tape, spin)


def test_a_replay_on_a_loop_that_is_never_idle_ends(tape: Path) -> None:
    async def fetch(world: Any) -> str:
        return str(await world.fetch("a"))

    async def spin(world: Any) -> str:
        task = asyncio.create_task(world.fetch("a"))
        while not task.done():
            await asyncio.sleep(0)
        return str(task.result())

    recorded = record(tape, fetch)

    assert replay(tape, spin) == recorded


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


def taken() -> list[int]:
    """The signals of a session, which have no meaning of their own."""
    real_time = range(signal.SIGRTMIN, signal.SIGRTMAX + 1)
    return [number for number in real_time if signal.getsignal(number) is not signal.SIG_DFL]


@pytest.mark.parametrize("ends_with", [None, ZeroDivisionError, DivergenceError])
def test_a_replay_gives_back_its_signal(ends_with: type[BaseException] | None, tape: Path) -> None:
    record(tape, lambda world: world.fetch("a"))

    async def main() -> list[int]:
        with Cassette(tape, "none") as cassette:
            during = taken()
            world = VcrWorld.attach(cassette, RealWorld)
            await world.fetch("b" if ends_with is DivergenceError else "a")
            if ends_with is ZeroDivisionError:
                raise ZeroDivisionError
        return during

    if ends_with is None:
        assert len(asyncio.run(main())) == 1
    else:
        with pytest.raises(ends_with):
            asyncio.run(main())
    assert taken() == []


def test_two_replays_at_once_have_two_signals_and_other_threads_none(tape: Path) -> None:
    record(tape, lambda _: asyncio.sleep(0))
    found: list[list[int]] = []

    def aside() -> None:
        with Cassette(tape, "none"):
            found.append(taken())

    with Cassette(tape, "none"):
        with Cassette(tape, "none"):
            found.append(taken())
        thread = threading.Thread(target=aside)
        thread.start()
        thread.join()
    assert [len(one) for one in found] == [2, 1]
    assert taken() == []


def test_a_signal_left_by_a_replay_that_another_thread_closed_is_taken_again(tape: Path) -> None:
    record(tape, lambda _: asyncio.sleep(0))
    cassette = Cassette(tape, "none")
    cassette.__enter__()
    thread = threading.Thread(target=cassette.close, args=(ZeroDivisionError(),))
    thread.start()
    thread.join()
    left = taken()
    signal.raise_signal(left[0])  # it does nothing any more
    with Cassette(tape, "none"):
        assert taken() == left
    assert taken() == []


def test_a_signal_that_the_program_uses_is_left_alone(tape: Path) -> None:
    record(tape, lambda _: asyncio.sleep(0))
    heard: list[int] = []
    before = signal.signal(signal.SIGRTMAX, lambda number, _: heard.append(number))
    try:
        with Cassette(tape, "none"):
            assert taken() == [signal.SIGRTMAX - 1, signal.SIGRTMAX]
            signal.raise_signal(signal.SIGRTMAX)
    finally:
        signal.signal(signal.SIGRTMAX, before)
    assert heard == [signal.SIGRTMAX]
    assert taken() == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_replay_that_its_loop_left_open_does_not_reach_what_comes_after(tape: Path) -> None:
    """The program goes on after the divergence until its loop is ended: nobody closes it."""

    async def again_and_again(world: Any) -> None:
        while True:
            try:
                await world.fetch("b")
            except BaseException:
                await asyncio.sleep(0.01)

    record(tape, lambda world: world.fetch("a"))
    with pytest.raises(DivergenceError) as held:
        replay(tape, again_and_again, patience=0.1)
    waiting = threading.Event()
    assert not waiting.wait(1.0)
    assert held.value.divergence.boundary == "World"
    assert not [one.name for one in threading.enumerate() if one.name.startswith("vcr-gen")]


def lent(tape: Path) -> Iterator[Any]:
    """A world as a fixture of any scope gives it."""
    with Cassette(tape, "none", patience=0.1) as cassette:
        yield VcrWorld.attach(cassette, RealWorld)


def meets_it(world: Any) -> None:
    world.peek("b")


def waits_for_who_meets_it(world: Any) -> None:
    threading.Thread(target=world.peek, args=("b",), daemon=True).start()
    threading.Event().wait()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("program", [meets_it, waits_for_who_meets_it])
def test_who_has_a_replay_from_a_generator_is_told_once_of_its_divergence(
    program: Any, tape: Path
) -> None:
    with Cassette(tape, "all") as cassette:
        VcrWorld.attach(cassette, RealWorld).peek("a")
    lender = lent(tape)
    world = next(lender)
    with watchdog(), pytest.raises(DivergenceError):
        program(world)
    assert not threading.Event().wait(0.5)  # another test, which has nothing to do with it
    with pytest.raises(DivergenceError):
        next(lender)
    assert taken() == []
