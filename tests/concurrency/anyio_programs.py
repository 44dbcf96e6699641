"""Random programs on anyio, so that they run on trio and on asyncio."""

from __future__ import annotations

import math
import random
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import anyio

from concurrency.program_steps import ProgramSteps, Step


@dataclass
class Run:
    """One run of a program: its boundary, and what it saw."""

    world: Any
    log: list[str] = field(default_factory=list)
    lock: anyio.Lock = field(default_factory=anyio.Lock)


class Builder(ProgramSteps):
    """Builds one program."""

    def __init__(self, chance: random.Random, *, crowds: bool) -> None:
        super().__init__(chance)
        self._crowds = crowds
        """Whether a scope with several tasks, or several scopes, may be cancelled."""

    def program(self) -> Step:
        return self.sequence([self.step(3) for _ in range(self._chance.randint(2, 4))])

    def step(self, depth: int) -> Step:
        leaves = ["fetch", "fetch", "refuse", "watch", "watch_part", "peek", "follow", "sleep"]
        leaves += ["subscribe", "subscribe"]
        inner = ["group", "group", "gate", "mutex", "signal", "pipeline", "move_on", "fail"]
        inner += ["cancel", "first", "shield"] if self._crowds else ["shield"]
        words = inner if depth > 0 and self._chance.random() < 0.6 else leaves
        made: Step = getattr(self, f"_{self._chance.choice(words)}")(depth)
        return made

    def sequence(self, steps: list[Step]) -> Step:
        async def step(run: Run) -> None:
            for one in steps:
                await one(run)

        return step

    def _watch(self, _: int) -> Step:
        key, count = self._name(), self._chance.randint(0, 3)

        async def step(run: Run) -> None:
            async with aclosing(run.world.watch(key, count)) as stream:
                async for item in stream:
                    run.log.append(f"item {item}")

        return step

    def _watch_part(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            async with aclosing(run.world.watch(key, 3)) as stream:
                run.log.append(f"first {await anext(stream)}")
            run.log.append(f"closed {key}")

        return step

    def _follow(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            async def listen(text: str) -> None:
                run.log.append(f"heard {text}")
                await anyio.lowlevel.checkpoint()
                run.log.append(f"heard {text} out")

            await run.world.follow(key, listen)

        return step

    def _sleep(self, _: int) -> Step:
        name, seconds = self._name(), self._chance.choice([0, 0.0003, 0.001, 0.002])

        async def step(run: Run) -> None:
            await anyio.sleep(seconds)
            run.log.append(f"slept {name}")

        return step

    def _group(self, depth: int) -> Step:
        children, name = self._children(depth), self._name()

        async def step(run: Run) -> None:
            async with anyio.create_task_group() as group:
                for child in children:
                    group.start_soon(child, run)
            run.log.append(f"group {name}")

        return step

    def _gate(self, depth: int) -> Step:
        children = self._children(depth)

        async def step(run: Run) -> None:
            gate = anyio.Semaphore(2)

            async def one(child: Step) -> None:
                async with gate:
                    await child(run)

            async with anyio.create_task_group() as group:
                for child in children:
                    group.start_soon(one, child)

        return step

    def _mutex(self, depth: int) -> Step:
        child, name = self.step(depth - 1), self._name()

        async def step(run: Run) -> None:
            try:
                run.lock.acquire_nowait()
            except (anyio.WouldBlock, RuntimeError):
                run.log.append(f"busy {name}")
                return
            try:
                await child(run)
            finally:
                run.lock.release()

        return step

    def _signal(self, depth: int) -> Step:
        before, children, name = self.step(depth - 1), self._children(depth), self._name()

        async def step(run: Run) -> None:
            event = anyio.Event()

            async def wait(child: Step) -> None:
                await event.wait()
                run.log.append(f"signalled {name}")
                await child(run)

            async with anyio.create_task_group() as group:
                for child in children:
                    group.start_soon(wait, child)
                await before(run)
                event.set()

        return step

    def _pipeline(self, depth: int) -> Step:
        del depth
        key, count = self._name(), self._chance.randint(2, 4)

        async def step(run: Run) -> None:
            send, receive = anyio.create_memory_object_stream[str](1)

            async def produce() -> None:
                async with send, aclosing(run.world.watch(key, count)) as stream:
                    async for item in stream:
                        await send.send(item)

            async def consume(name: str) -> None:
                async for item in receive:
                    run.log.append(f"{name} took {item}: {await run.world.fetch(name)}")

            with receive:
                async with anyio.create_task_group() as group:
                    group.start_soon(produce)
                    group.start_soon(consume, f"{key}a")
                    group.start_soon(consume, f"{key}b")

        return step

    def _move_on(self, depth: int) -> Step:
        child, name = self.step(depth - 1 if self._crowds else 0), self._name()
        seconds = self._chance.choice([0.0002, 0.0006, 0.0015, 0.01])

        async def step(run: Run) -> None:
            with anyio.move_on_after(seconds) as scope:
                await child(run)
            run.log.append(f"moved on {name} {scope.cancelled_caught}")

        return step

    def _fail(self, depth: int) -> Step:
        child, name = self.step(depth - 1 if self._crowds else 0), self._name()
        seconds = self._chance.choice([0.0002, 0.0006, 0.0015, 0.01])

        async def step(run: Run) -> None:
            try:
                with anyio.fail_after(seconds):
                    await child(run)
            except TimeoutError:
                run.log.append(f"timed out {name}")

        return step

    def _cancel(self, depth: int) -> Step:
        children, before, name = self._children(depth), self.step(0), self._name()

        async def step(run: Run) -> None:
            async with anyio.create_task_group() as group:
                for child in children:
                    group.start_soon(child, run)
                await before(run)
                run.log.append(f"cancel {name}")
                group.cancel_scope.cancel()

        return step

    def _first(self, depth: int) -> Step:
        children, name = self._children(depth), self._name()

        async def step(run: Run) -> None:
            winner = math.inf

            async def one(number: int, child: Step) -> None:
                nonlocal winner
                try:
                    await child(run)
                finally:
                    run.log.append(f"left {name} {number}")
                winner = min(winner, number)
                group.cancel_scope.cancel()

            async with anyio.create_task_group() as group:
                for number, child in enumerate(children):
                    group.start_soon(one, number, child)
            run.log.append(f"first {name} {winner}")

        return step

    def _shield(self, depth: int) -> Step:
        child, name = self.step(depth - 1), self._name()

        async def step(run: Run) -> None:
            with anyio.CancelScope(shield=True):
                await child(run)
                run.log.append(f"shielded {name}")

        return step


def build(seed: int, *, crowds: bool = True) -> Step:
    """The program of a seed."""
    return Builder(random.Random(seed), crowds=crowds).program()


async def run(program: Step, world: Any) -> list[str]:
    """Run a program and return what it saw."""
    one = Run(world)
    try:
        await program(one)
    except Exception as error:
        one.log.append(f"ended {type(error).__name__}")
    return list(one.log)
