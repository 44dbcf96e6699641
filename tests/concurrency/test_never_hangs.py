"""Whatever a changed program does, its replay ends soon and says who waits for what."""

import asyncio
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

import pytest
import uvloop
from vcr_world.ports import VcrService, VcrWorld
from world.real import RealWorld

from concurrency.sessions import BOUND, record, replay, watchdog
from concurrency.thread_sessions import session
from vcr_gen import Cassette, DivergenceError
from vcr_gen.errors import UnusedEventsError

Program = Callable[[Any], Awaitable[Any]]

LOOPS = {"asyncio": None, "uvloop": uvloop.new_event_loop}


def diverges(tape: Path, recorded: Program, changed: Program) -> str:
    """Record one program, replay the other, and return how that ended."""
    record(tape, recorded)
    began = time.monotonic()
    with pytest.raises(DivergenceError) as caught:
        replay(tape, changed)
    assert time.monotonic() - began < BOUND
    return str(caught.value)


async def two_calls(world: Any) -> None:
    await asyncio.gather(world.fetch("a"), world.fetch("b"))


def test_waiting_for_what_never_finished_in_the_recording_diverges(tape: Path) -> None:
    async def leave(world: Any) -> None:
        task = asyncio.create_task(world.fetch("slow"))
        await asyncio.sleep(0)
        leaving.append(task)

    async def wait(world: Any) -> None:
        await world.fetch("slow")

    leaving: list[asyncio.Task[str]] = []
    text = diverges(tape, leave, wait)

    assert "the program waits for an answer that the recording does not have" in text
    assert "waiting:\n    task Task-" in text
    assert f"{Path(__file__).name}:" in text
    assert " in wait\n" in text


@pytest.mark.parametrize("thing", ["queue", "lock", "event"])
def test_a_deadlock_on_a_thing_of_its_own_diverges_and_names_the_next_event(
    thing: str, tape: Path
) -> None:
    async def deadlock(world: Any) -> None:
        await world.fetch("a")
        lock = asyncio.Lock()
        await lock.acquire()
        waits = {"queue": asyncio.Queue[str]().get, "lock": lock.acquire}
        await waits.get(thing, asyncio.Event().wait)()
        await world.fetch("b")

    async def fine(world: Any) -> None:
        await world.fetch("a")
        await world.fetch("b")

    text = diverges(tape, fine, deadlock)

    assert 'the program never made the call World.fetch(key="b")' in text
    assert 'last events done:\n    World.fetch(key="a")' in text
    assert 'next expected event:\n    World.fetch(key="b")' in text


def test_dropping_the_call_that_another_task_waits_for_diverges(tape: Path) -> None:
    def program(*, drops: bool) -> Program:
        async def main(world: Any) -> None:
            done = asyncio.Event()

            async def first() -> None:
                if not drops:
                    await world.fetch("a")
                    done.set()

            async def second() -> None:
                other = asyncio.create_task(world.fetch("c"))
                await done.wait()
                await world.fetch("b")
                await other

            await asyncio.gather(first(), second())

        return main

    text = diverges(tape, program(drops=False), program(drops=True))

    assert 'never made the call World.fetch(key="a")' in text
    assert 'waits for World.fetch(key="c") returning' in text


def test_cancelling_a_call_that_came_to_its_end_diverges_at_once(tape: Path) -> None:
    async def patient(world: Any) -> None:
        await world.fetch("a")

    async def impatient(world: Any) -> None:
        task = asyncio.create_task(world.fetch("a"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    text = diverges(tape, patient, impatient)

    assert "World.fetch was cancelled; in the recording it completed" in text


def test_not_cancelling_a_call_that_was_cancelled_diverges(tape: Path) -> None:
    async def impatient(world: Any) -> None:
        task = asyncio.create_task(world.fetch("a"))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    async def patient(world: Any) -> None:
        await world.fetch("a")

    text = diverges(tape, impatient, patient)

    assert "World.fetch was cancelled in the recording" in text
    assert "task Task-" in text


def test_an_inbound_call_that_nobody_takes_diverges(tape: Path) -> None:
    class Application:
        async def handle(self, request: str) -> str:
            return request

    async def recorded() -> None:
        with Cassette(tape, "all") as cassette:
            await VcrService(cassette=cassette, inner=Application()).handle("hello")
            await VcrWorld.attach(cassette, RealWorld).fetch("a")

    async def undriven() -> None:
        with Cassette(tape, "none") as cassette:
            VcrService(cassette=cassette, inner=Application())
            await VcrWorld.attach(cassette, RealWorld).fetch("a")

    asyncio.run(recorded())
    with watchdog(), pytest.raises(DivergenceError) as caught:
        asyncio.run(undriven())

    assert "no driver makes the inbound call" in str(caught.value)
    assert "no Driver runs for this boundary" in str(caught.value)


def test_a_thread_that_never_comes_diverges_within_the_patience(tape: Path) -> None:
    def program(world: Any, *, both: bool) -> None:
        with ThreadPoolExecutor(2) as pool:
            jobs = [pool.submit(world.peek, "a")]
            if both:
                jobs[0].result()
                jobs.append(pool.submit(world.peek, "b"))
            for job in jobs:
                job.result()
        world.peek("c")

    session(tape, "all", partial(program, both=True))
    began = time.monotonic()
    with pytest.raises(DivergenceError) as caught:
        session(tape, "none", partial(program, both=False), patience=0.5)

    assert time.monotonic() - began < BOUND
    assert 'next expected event:\n    World.peek(key="b")' in str(caught.value)


def test_a_thread_that_hangs_in_the_program_does_not_hold_the_replay(tape: Path) -> None:
    gate = threading.Event()

    def program(world: Any, *, hangs: bool) -> None:
        def work() -> None:
            if hangs:
                gate.wait(60)
            else:
                world.peek("in a thread")

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        if not hangs:
            thread.join()
        world.peek("after")

    session(tape, "all", partial(program, hangs=False))
    began = time.monotonic()
    with pytest.raises(DivergenceError) as caught:
        session(tape, "none", partial(program, hangs=True), patience=0.5)
    gate.set()

    assert time.monotonic() - began < BOUND
    assert 'thread MainThread waits for World.peek(key="after")' in str(caught.value)
    assert "waits for something else at" in str(caught.value)
    assert f"{Path(__file__).name}" in str(caught.value)


def test_a_program_that_catches_everything_cannot_hide_a_divergence(tape: Path) -> None:
    async def swallow(world: Any) -> None:
        for key in ("x", "b"):
            try:
                await world.fetch(key)
            except BaseException:
                await asyncio.sleep(0)

    text = diverges(tape, two_calls, swallow)

    assert "World.fetch was called with different arguments" in text


def test_a_program_that_goes_round_and_round_is_told_at_its_next_call(tape: Path) -> None:
    async def again(world: Any) -> None:
        while True:
            try:
                await world.fetch("a")
            except Exception:
                await asyncio.sleep(0)

    async def once(world: Any) -> None:
        await world.fetch("a")

    text = diverges(tape, once, again)

    assert "World.fetch was called, but the tape has no more calls" in text


def test_a_program_that_stops_early_fails_at_the_close(tape: Path) -> None:
    async def nothing(world: Any) -> None:
        await asyncio.sleep(0)

    record(tape, two_calls)
    with pytest.raises(UnusedEventsError):
        replay(tape, nothing)


def asks_a_thread(world: Any, key: str) -> None:
    answers: queue.Queue[str] = queue.Queue()
    threading.Thread(target=lambda: answers.put(world.peek(key)), daemon=True).start()
    answers.get()


def asks_a_pool(world: Any, key: str) -> None:
    with ThreadPool(1) as pool:
        pool.map(world.peek, [key])


@pytest.mark.parametrize("program", [asks_a_thread, asks_a_pool])
@pytest.mark.usefixtures("quiet_threads")
def test_the_main_thread_does_not_wait_for_ever_for_a_thread_that_the_divergence_ended(
    program: Callable[[Any, str], None], tape: Path
) -> None:
    session(tape, "all", partial(program, key="a"), patience=0.2)

    with pytest.raises(DivergenceError, match="called with different arguments"):
        session(tape, "none", partial(program, key="b"), patience=0.2)


def test_a_loop_that_waits_for_a_thread_that_is_no_longer_started_is_told(tape: Path) -> None:
    async def program(world: Any, *, starts: bool) -> str:
        result: Future[str] = Future()
        thread = threading.Thread(target=lambda: result.set_result(world.peek("a")))
        waiting = asyncio.create_task(world.fetch("b"))
        await asyncio.sleep(0)
        if starts:
            thread.start()
        return f"{result.result()} {await waiting}"

    record(tape, partial(program, starts=True))
    began = time.monotonic()
    with pytest.raises(DivergenceError, match=r"never made the call World\.peek") as caught:
        replay(tape, partial(program, starts=False), patience=0.2)

    assert time.monotonic() - began < BOUND
    assert " in program\n" in str(caught.value)


def test_a_program_that_waits_for_its_own_thread_when_the_tape_is_used_up_is_told_that(
    tape: Path,
) -> None:
    def program(world: Any, *, sets: bool) -> None:
        done = threading.Event()

        def work() -> None:
            world.peek("a")
            if sets:
                done.set()

        threading.Thread(target=work).start()
        done.wait()

    session(tape, "all", partial(program, sets=True), patience=0.2)
    with pytest.raises(
        DivergenceError, match="likely: the program waits for its own task, thread"
    ) as caught:
        session(tape, "none", partial(program, sets=False), patience=0.2)

    assert "wait for the call before the cassette is closed" not in str(caught.value)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_nobody_will_wake_when_the_tape_is_used_up_is_told(
    loop: str, tape: Path
) -> None:
    async def program(world: Any, *, sets: bool) -> None:
        done = asyncio.Event()
        waiting = asyncio.create_task(done.wait())
        await world.fetch("a")
        await asyncio.to_thread(len, "a worker that idles wakes nobody")
        if sets:
            done.set()
        await waiting

    over = threading.Event()
    bystander = threading.Thread(target=over.wait)  # as other tests leave them, and test runners
    bystander.start()
    try:
        record(tape, partial(program, sets=True), loop_factory=LOOPS[loop])
        began = time.monotonic()
        with pytest.raises(
            DivergenceError, match="likely: the program waits for its own task"
        ) as caught:
            replay(tape, partial(program, sets=False), loop_factory=LOOPS[loop], patience=0.2)
    finally:
        over.set()
        bystander.join()

    assert time.monotonic() - began < BOUND
    assert " in program\n" in str(caught.value)


@pytest.mark.parametrize("waker", ["thread", "signal", "input", "job"])
@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_somebody_may_wake_waits_as_long_as_it_likes(
    loop: str, waker: str, tape: Path
) -> None:
    async def program(world: Any) -> str:
        said: str = await world.fetch("a")
        done, running = asyncio.Event(), asyncio.get_running_loop()
        if waker == "thread":
            threading.Timer(0.5, running.call_soon_threadsafe, (done.set,)).start()
        elif waker == "signal":
            running.add_signal_handler(signal.SIGHUP, done.set)
            kill = f"(sleep 0.5; kill -HUP {os.getpid()}) >/dev/null 2>&1 &"
            subprocess.run(["sh", "-c", kill], check=True)
        elif waker == "input":
            process = await asyncio.create_subprocess_exec("sleep", "0.5")
            await process.wait()
            done.set()
        else:
            await asyncio.to_thread(time.sleep, 0.5)
            done.set()
        await done.wait()
        running.remove_signal_handler(signal.SIGHUP)
        return said

    recorded = record(tape, program, loop_factory=LOOPS[loop])
    assert replay(tape, program, loop_factory=LOOPS[loop], patience=0.1) == recorded


async def _under_a_time_out(world: Any, *, last: bool) -> None:
    async with asyncio.timeout(30), asyncio.TaskGroup() as group:
        for key in ("a", "b", "c") if last else ("a", "b"):
            group.create_task(world.fetch(key))


def test_a_dropped_call_is_told_as_that_though_a_time_out_then_cancels_the_others(
    tape: Path,
) -> None:
    text = diverges(
        tape, partial(_under_a_time_out, last=True), partial(_under_a_time_out, last=False)
    )
    assert text.startswith('the program never made the call World.fetch(key="c")')


def test_the_time_out_of_a_program_that_dropped_a_call_says_which(tape: Path) -> None:
    async def program(world: Any, *, asks: bool) -> str:
        answers: asyncio.Queue[str] = asyncio.Queue()

        async def ask() -> None:
            answers.put_nowait(await world.fetch("a"))

        asking = asyncio.create_task(ask()) if asks else None
        answer = await asyncio.wait_for(answers.get(), 30)
        assert asking is not None
        return answer

    record(tape, partial(program, asks=True))
    with pytest.raises(TimeoutError) as caught:
        replay(tape, partial(program, asks=False))

    (note,) = caught.value.__notes__
    assert 'the program never made the call World.fetch(key="a")' in note
