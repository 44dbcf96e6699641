"""Random concurrent programs: built from a seed, run on a boundary, with a log of what they see."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

Step = Callable[["Run"], Awaitable[None]]


@dataclass(frozen=True)
class Style:
    """How a program is written; none of it changes what it does at its boundary."""

    yields: bool = False
    """It yields to the loop before every step."""
    tasks: bool = False
    """It runs every step in a task of its own."""
    groups: bool = False
    """It has task groups where there were gathers."""
    more_jobs: bool = False
    """It hands pure work to an executor before every step."""
    fewer_jobs: bool = False
    """It does pure work itself where it used an executor."""


@dataclass
class Run:
    """One run of a program: its boundary, its shared things, and what it saw."""

    world: Any
    style: Style = field(default_factory=Style)
    log: list[str] = field(default_factory=list)
    queue: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True)
class Shape:
    """What a program may be made of."""

    timers: bool = True
    cancellations: bool = True
    threads: bool = False
    races: bool = True
    """Which calls are made may depend on who comes first."""
    repeats: bool = True
    """Several calls may be equal."""
    callbacks: bool = False
    """The world calls back; a callback that is not asynchronous cannot wait for its turn."""
    depth: int = 3


class Builder:
    """Builds one program."""

    def __init__(self, chance: random.Random, shape: Shape) -> None:
        self._chance = chance
        self._shape = shape
        self._names = 0

    def program(self) -> Step:
        steps = [self.step(self._shape.depth) for _ in range(self._chance.randint(2, 4))]
        return _sequence(steps)

    def step(self, depth: int) -> Step:
        leaves = ["fetch", "fetch", "fetch", "refuse", "watch", "watch_part", "peek", "follow"]
        leaves += ["yield", "put", "get"]
        if self._shape.callbacks:
            leaves += ["subscribe", "subscribe"]
        if self._shape.timers:
            leaves += ["sleep", "sleep"]
        if self._shape.threads:
            leaves += ["thread", "thread_call", "executor"]
        inner = ["gather", "gather", "group", "mutex", "gate", "spawn", "signal"]
        if self._shape.races:
            inner += ["lock", "pipeline"]
        if self._shape.timers:
            inner += ["wait_for", "timeout"]
        if self._shape.cancellations:
            inner += ["cancel", "shield", "first"]
        word = self._chance.choice(inner if depth > 0 and self._chance.random() < 0.6 else leaves)
        made: Step = getattr(self, f"_{word}")(depth)
        return made

    def _name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def _children(self, depth: int, most: int = 3) -> list[Step]:
        return [
            _sequence([self.step(depth - 1) for _ in range(self._chance.randint(1, 2))])
            for _ in range(self._chance.randint(2, most))
        ]

    def _fetch(self, _: int) -> Step:
        key = self._chance.choice([self._name(), "same"])
        if not self._shape.repeats:
            key = self._name()

        async def step(run: Run) -> None:
            run.log.append(f"> {key}")
            run.log.append(f"< {await run.world.fetch(key)}")

        return step

    def _refuse(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            try:
                await run.world.refuse(key)
            except Exception as error:
                run.log.append(f"! {type(error).__name__} {error}")

        return step

    def _watch(self, _: int) -> Step:
        key, count = self._name(), self._chance.randint(0, 3)

        async def step(run: Run) -> None:
            async for item in run.world.watch(key, count):
                run.log.append(f"item {item}")

        return step

    def _watch_part(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            stream = run.world.watch(key, 3)
            run.log.append(f"first {await anext(stream)}")
            await stream.aclose()
            run.log.append(f"closed {key}")

        return step

    def _peek(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            run.log.append(f"peek {run.world.peek(key)}")

        return step

    def _yield(self, _: int) -> Step:
        name = self._name()

        async def step(run: Run) -> None:
            await asyncio.sleep(0)
            run.log.append(f"yielded {name}")

        return step

    def _sleep(self, _: int) -> Step:
        name, seconds = self._name(), self._chance.choice([0.0003, 0.001, 0.002])

        async def step(run: Run) -> None:
            await asyncio.sleep(seconds)
            run.log.append(f"slept {name}")

        return step

    def _put(self, _: int) -> Step:
        name = self._name()

        async def step(run: Run) -> None:
            run.queue.put_nowait(name)
            run.log.append(f"put {name}")

        return step

    def _get(self, _: int) -> Step:
        async def step(run: Run) -> None:
            run.log.append(f"got {run.queue.get_nowait() if not run.queue.empty() else None}")

        return step

    def _thread(self, _: int) -> Step:
        name = self._name()

        async def step(run: Run) -> None:
            if run.style.fewer_jobs:
                result = name * 2
            else:
                result = await asyncio.to_thread(lambda: name * 2)
            run.log.append(f"thread {result}")

        return step

    def _thread_call(self, _: int) -> Step:
        name = self._name()

        async def step(run: Run) -> None:
            result = await asyncio.to_thread(run.world.peek, name)
            run.log.append(f"thread {result}")

        return step

    def _executor(self, _: int) -> Step:
        """Two jobs on a pool of their own, each with calls in it."""
        name, count = self._name(), self._chance.randint(1, 3)

        async def step(run: Run) -> None:
            def job(which: str) -> list[str]:
                return [run.world.peek(f"{name}{which}{number}") for number in range(count)]

            loop = asyncio.get_running_loop()
            pool = ThreadPoolExecutor(2)
            try:
                jobs = [loop.run_in_executor(pool, job, which) for which in "ab"]
                for done in asyncio.as_completed(jobs):
                    run.log.append(f"job {await done}")
            finally:
                pool.shutdown(wait=False)  # to wait here would block the loop for its own jobs

        return step

    def _follow(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            async def listen(text: str) -> None:
                run.log.append(f"heard {text}")
                await asyncio.sleep(0)
                run.log.append(f"heard {text} out")

            await run.world.follow(key, listen)

        return step

    def _subscribe(self, _: int) -> Step:
        key = self._name()

        async def step(run: Run) -> None:
            await run.world.subscribe(key, lambda text: run.log.append(f"told {text}"))

        return step

    def _gather(self, depth: int) -> Step:
        children = self._children(depth)

        async def step(run: Run) -> None:
            if run.style.groups:
                async with asyncio.TaskGroup() as group:
                    for child in children:
                        group.create_task(child(run))
                return
            done = await asyncio.gather(*(child(run) for child in children), return_exceptions=True)
            run.log.append(f"gathered {[type(one).__name__ for one in done]}")

        return step

    def _group(self, depth: int) -> Step:
        children = self._children(depth)

        async def step(run: Run) -> None:
            try:
                async with asyncio.TaskGroup() as group:
                    for child in children:
                        group.create_task(child(run))
            except* Exception as errors:
                run.log.append(f"group {[type(one).__name__ for one in errors.exceptions]}")

        return step

    def _lock(self, depth: int) -> Step:
        child, name = self.step(depth - 1), self._name()

        async def step(run: Run) -> None:
            if run.lock.locked():
                run.log.append(f"busy {name}")
                return
            async with run.lock:
                await child(run)

        return step

    def _mutex(self, depth: int) -> Step:
        children = self._children(depth)

        async def step(run: Run) -> None:
            lock = asyncio.Lock()

            async def one(child: Step) -> None:
                async with lock:
                    await child(run)

            await asyncio.gather(*(one(child) for child in children), return_exceptions=True)
            run.log.append("mutex passed")

        return step

    def _gate(self, depth: int) -> Step:
        children = self._children(depth)

        async def step(run: Run) -> None:
            gate = asyncio.Semaphore(2)

            async def one(child: Step) -> None:
                async with gate:
                    await child(run)

            await asyncio.gather(*(one(child) for child in children), return_exceptions=True)
            run.log.append("gate passed")

        return step

    def _pipeline(self, depth: int) -> Step:
        """A producer, two consumers and a queue that is full now and then."""
        before, key, count = self.step(depth - 1), self._name(), self._chance.randint(2, 4)

        async def step(run: Run) -> None:
            queue: asyncio.Queue[str] = asyncio.Queue(maxsize=1)

            async def produce() -> None:
                async for item in _relabelled(run.world.watch(key, count)):
                    await queue.put(item)
                await before(run)
                for _ in range(2):
                    await queue.put("")

            async def consume(name: str) -> None:
                while item := await queue.get():
                    run.log.append(f"{name} took {item}: {await run.world.fetch(name)}")

            async with asyncio.TaskGroup() as group:
                group.create_task(produce())
                group.create_task(consume(f"{key}a"))
                group.create_task(consume(f"{key}b"))

        return step

    def _signal(self, depth: int) -> Step:
        """One who waits for an event that another sets."""
        before, after, name = self.step(depth - 1), self.step(depth - 1), self._name()

        async def step(run: Run) -> None:
            event = asyncio.Event()

            async def wait() -> None:
                await event.wait()
                run.log.append(f"signalled {name}")
                await after(run)

            waiting = asyncio.create_task(wait())
            try:
                await before(run)
            finally:
                event.set()
                await asyncio.wait([waiting])

        return step

    def _spawn(self, depth: int) -> Step:
        child, rest, name = self.step(depth - 1), self.step(depth - 1), self._name()

        async def step(run: Run) -> None:
            task = asyncio.create_task(child(run))
            try:
                await rest(run)
            finally:
                await asyncio.wait([task])
            run.log.append(f"joined {name}")

        return step

    def _wait_for(self, depth: int) -> Step:
        child, name = self.step(depth - 1), self._name()
        seconds = self._chance.choice([0.0002, 0.0006, 0.0015, 0.01])

        async def step(run: Run) -> None:
            try:
                await asyncio.wait_for(child(run), seconds)
            except TimeoutError:
                run.log.append(f"timed out {name}")

        return step

    def _timeout(self, depth: int) -> Step:
        child, name = self.step(depth - 1), self._name()
        seconds = self._chance.choice([0.0002, 0.0006, 0.0015, 0.01])

        async def step(run: Run) -> None:
            try:
                async with asyncio.timeout(seconds):
                    await child(run)
            except TimeoutError:
                run.log.append(f"timed out {name}")

        return step

    def _cancel(self, depth: int) -> Step:
        child, before, name = self.step(depth - 1), self.step(0), self._name()

        async def step(run: Run) -> None:
            task = asyncio.create_task(child(run))
            await before(run)
            run.log.append(f"cancel {name} {task.cancel()}")
            await asyncio.wait([task])
            run.log.append(f"cancelled {name} {task.cancelled()}")

        return step

    def _shield(self, depth: int) -> Step:
        child, name = self.step(depth - 1), self._name()

        async def step(run: Run) -> None:
            task = asyncio.ensure_future(child(run))
            try:
                await asyncio.shield(task)
            finally:
                await asyncio.wait([task])
                run.log.append(f"shielded {name}")

        return step

    def _first(self, depth: int) -> Step:
        children = self._children(depth)
        name = self._name()

        async def step(run: Run) -> None:
            tasks = [asyncio.create_task(child(run)) for child in children]
            done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            run.log.append(f"first {name} {[tasks.index(task) for task in tasks if task in done]}")
            for task in pending:
                task.cancel()
            await asyncio.wait(tasks)

        return step


async def _relabelled(stream: AsyncIterator[str]) -> AsyncIterator[str]:
    """An asynchronous generator of the application's own."""
    async for item in stream:
        yield f"[{item}]"


def _sequence(steps: list[Step]) -> Step:
    async def step(run: Run) -> None:
        for one in steps:
            if run.style.yields:
                await asyncio.sleep(0)
            if run.style.more_jobs:
                await asyncio.to_thread(len, "work")
            if run.style.tasks:
                await asyncio.create_task(_as_coroutine(one(run)))
            else:
                await one(run)

    return step


async def _as_coroutine(step: Awaitable[None]) -> None:
    await step


def build(seed: int, shape: Shape) -> Step:
    """The program of a seed."""
    return Builder(random.Random(seed), shape).program()


async def run(program: Step, world: Any, style: Style | None = None) -> list[str]:
    """Run a program and return what it saw before it came to its end."""
    one = Run(world, style or Style())
    try:
        await program(one)
    except Exception as error:
        one.log.append(f"ended {type(error).__name__}")
    return list(one.log)
