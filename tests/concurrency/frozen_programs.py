"""Concurrent programs of which cassettes are frozen. They do not change, nor do the cassettes."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

Log = list[str]


async def gathered_calls(world: Any) -> Log:
    first = await asyncio.gather(*(world.fetch(f"page {number}") for number in range(4)))
    return [*first, *await asyncio.gather(*(world.fetch("same") for _ in range(3)))]


async def workers_on_a_queue(world: Any) -> Log:
    jobs: asyncio.Queue[int] = asyncio.Queue()
    log: Log = []

    async def worker(name: str) -> None:
        while not jobs.empty():
            number = jobs.get_nowait()
            log.append(f"{name}: {await world.fetch(f'job {number}')}")

    for number in range(6):
        jobs.put_nowait(number)
    await asyncio.gather(worker("a"), worker("b"))
    return log


async def time_outs_and_retries(world: Any) -> Log:
    log: Log = []
    for attempt in range(3):
        try:
            async with asyncio.timeout(0.05):
                log.append(await world.fetch(f"attempt {attempt}"))
                await asyncio.sleep(0.1 if attempt < 2 else 0)
        except TimeoutError:
            log.append(f"time-out {attempt}")
            await asyncio.sleep(0.01)
    return log


async def cancelled_mirrors(world: Any) -> Log:
    mirrors = [asyncio.create_task(world.fetch(f"mirror {number}")) for number in range(3)]
    done, pending = await asyncio.wait(mirrors, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.wait(mirrors)
    return sorted(task.result() for task in done)


async def streams_and_callbacks(world: Any) -> Log:
    log: Log = []

    async def listen(text: str) -> None:
        log.append(f"heard {text}")

    async def read() -> None:
        async for item in world.watch("stream", 3):
            log.append(item)

    def hear(text: str) -> None:
        log.append(text)

    await asyncio.gather(read(), world.follow("news", listen), world.subscribe("more", hear))
    return log


async def jobs_that_begin_alike(world: Any) -> Log:
    def job(number: int) -> str:
        return f"{world.peek('clock')} {world.peek(f'own {number}')}"

    return list(await asyncio.gather(*(asyncio.to_thread(job, number) for number in range(4))))


async def sleeps_after_computing(world: Any) -> Log:
    log = [await world.fetch("before")]
    time.sleep(0.03)
    try:
        async with asyncio.timeout(0.02):
            time.sleep(0.03)
            await asyncio.sleep(1)
    except TimeoutError:
        log.append("time-out")
    return [*log, await world.fetch("after")]


def jobs_of_a_pool(world: Any) -> Log:
    def job(number: int) -> str:
        return f"{world.peek('clock')} {world.peek(f'job {number}')}"

    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(job, range(6)))


def threads_that_wait_for_each_other(world: Any) -> Log:
    log: Log = []
    ready = threading.Event()

    def first() -> None:
        log.append(world.peek("first"))
        ready.set()

    def second() -> None:
        ready.wait()
        log.append(world.peek("second"))

    threads = [threading.Thread(target=target) for target in (second, first)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return log


IN_A_LOOP: tuple[Callable[[Any], Awaitable[Log]], ...] = (
    gathered_calls,
    workers_on_a_queue,
    time_outs_and_retries,
    cancelled_mirrors,
    streams_and_callbacks,
    jobs_that_begin_alike,
    sleeps_after_computing,
)
IN_THREADS: tuple[Callable[[Any], Log], ...] = (jobs_of_a_pool, threads_that_wait_for_each_other)
