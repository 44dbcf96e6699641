"""Steps of random asyncio programs that have others inside: in tasks, under locks, for a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from concurrency.asyncio_leaves import Run
from concurrency.program_steps import ProgramSteps, Step


class Scopes(ProgramSteps):
    """Groups of tasks, locks, pipelines, time-outs and cancellations."""

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
