"""A replay takes a signal for its time and gives it back, and does not reach what comes after."""

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import record, replay, watchdog
from vcr_gen import Cassette, DivergenceError


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
