"""Callbacks that are not asynchronous come where they came, though they cannot wait."""

import asyncio
import random
import socket
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from vcr_world.ports import VcrWorld

from concurrency.asyncio_programs import Shape, build, run
from concurrency.program_seeds import seed_blocks
from concurrency.sessions import record, replay, watchdog
from vcr_gen import Cassette

SHAPES = {
    "alone": Shape(timers=False, cancellations=False, callbacks=True),
    "with timers and cancellations": Shape(callbacks=True),
}


@pytest.mark.parametrize("seeds", seed_blocks(20))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_random_programs_with_callbacks_replay_to_the_identical_log(
    shape: Shape, seeds: Sequence[int], tape: Path
) -> None:
    for seed in seeds:
        program = build(seed, shape)

        recorded = record(tape, partial(run, program))
        replayed = replay(tape, partial(run, program))

        assert recorded == replayed, f"seed {seed}"


class Sender:
    """A world whose news comes over sockets, from a thread that sends when it likes."""

    def __init__(self) -> None:
        self._sockets = [socket.socketpair(type=socket.SOCK_DGRAM) for _ in range(3)]
        self._thread = threading.Thread(target=self._send)

    def _send(self) -> None:
        for number in range(12):
            time.sleep(random.random() / 1000)
            self._sockets[number % 3][0].send(b"%d" % number)

    async def subscribe(self, key: str, listener: Callable[[str], None]) -> None:
        loop, done, heard = asyncio.get_running_loop(), asyncio.Event(), 0

        def read(receiving: socket.socket) -> None:
            nonlocal heard
            listener(f"{key} {receiving.recv(10).decode()}")
            heard += 1
            if heard == 12:
                done.set()

        for _, receiving in self._sockets:
            loop.add_reader(receiving, read, receiving)
        self._thread.start()
        await done.wait()
        for sending, receiving in self._sockets:
            loop.remove_reader(receiving)
            sending.close()
            receiving.close()


async def _busy(world: Any) -> list[str]:
    """A program that takes several rounds of the loop for each thing that it hears."""
    log: list[str] = []
    tasks: list[asyncio.Task[None]] = []

    async def react(text: str) -> None:
        for number in range(random.Random(text).randint(1, 6)):
            await asyncio.sleep(0)
            log.append(f"{text} {number}")

    def hear(text: str) -> None:
        log.append(text)
        tasks.append(asyncio.create_task(react(text)))

    await world.subscribe("news", hear)
    await asyncio.gather(*tasks)
    return log


def test_callbacks_that_input_wakes_come_between_the_same_steps(tape: Path) -> None:
    async def session(mode: str) -> list[str]:
        with Cassette(tape, mode) as cassette:
            return await _busy(VcrWorld.attach(cassette, Sender))

    for _ in range(10):
        with watchdog():
            assert asyncio.run(session("all")) == asyncio.run(session("none"))


class Hasty:
    """A world that calls back at once, and again without a pause."""

    async def subscribe(self, key: str, listener: Callable[[str], None]) -> None:
        listener(f"{key} at once")
        await asyncio.sleep(0)
        listener(f"{key} after a round")
        listener(f"{key} and again")
        await asyncio.sleep(0.001)
        listener(f"{key} later")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        listener(f"{key} two rounds later")


def test_callbacks_without_a_pause_come_between_the_same_steps(tape: Path) -> None:
    async def session(mode: str) -> list[str]:
        with Cassette(tape, mode) as cassette:
            world = VcrWorld.attach(cassette, Hasty)
            log: list[str] = []
            tasks: list[asyncio.Task[None]] = []

            async def react(text: str) -> None:
                for number in range(3):
                    log.append(f"{text} {number}")
                    await asyncio.sleep(0)

            def hear(text: str) -> None:
                log.append(text)
                tasks.append(asyncio.create_task(react(text)))

            async def one(key: str) -> None:
                await world.subscribe(key, hear)
                log.append(f"{key} is over")

            await asyncio.gather(*(one(key) for key in "abc"))
            await asyncio.gather(*tasks)
            return log

    with watchdog():
        assert asyncio.run(session("all")) == asyncio.run(session("none"))


def test_a_callback_that_is_wanted_at_once_and_not_taken_is_a_divergence(tape: Path) -> None:
    async def session(mode: str, listener: Callable[[str], Any]) -> None:
        with Cassette(tape, mode) as cassette:
            world = VcrWorld.attach(cassette, Hasty)
            await world.subscribe("a", listener)

    def fail(text: str) -> None:
        raise ZeroDivisionError(text)

    with watchdog():
        asyncio.run(session("all", lambda _: None))
        with pytest.raises(BaseException, match="the application raised"):
            asyncio.run(session("none", fail))
