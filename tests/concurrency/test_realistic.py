"""Ten programs as people write them, each replayed to the log it had."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from vcr_world.ports import VcrService, VcrWorld
from world.ports import WorldError
from world.real import RealWorld

from concurrency import thread_sessions
from concurrency.sessions import record, replay, same, watchdog
from vcr_gen import Cassette, Driver


def test_a_crawler_with_a_semaphore_visits_in_the_same_order(tape: Path) -> None:
    links = {"/": ["/a", "/b", "/c"], "/a": ["/d"], "/b": ["/d", "/e"], "/e": ["/"]}

    async def crawl(world: Any) -> list[str]:
        seen, visited, gate = {"/"}, [], asyncio.Semaphore(2)

        async def visit(page: str) -> None:
            async with gate:
                visited.append(await world.fetch(page))
            fresh = [link for link in links.get(page, []) if link not in seen]
            seen.update(fresh)
            await asyncio.gather(*(visit(link) for link in fresh))

        await visit("/")
        return visited

    assert len(same(tape, crawl)) == 6


def test_a_producer_and_consumers_share_the_work_as_they_did(tape: Path) -> None:
    async def pipeline(world: Any) -> list[str]:
        queue: asyncio.Queue[str | None] = asyncio.Queue(maxsize=2)
        log: list[str] = []

        async def produce() -> None:
            async for item in world.watch("order", 6):
                await queue.put(item)
            for _ in range(3):
                await queue.put(None)

        async def consume(name: str) -> None:
            while (item := await queue.get()) is not None:
                log.append(f"{name} {item} {await world.fetch(item)}")

        await asyncio.gather(produce(), consume("a"), consume("b"), consume("c"))
        return log

    assert len(same(tape, pipeline)) == 6


def test_a_minute_of_retries_with_backoff_replays_in_no_time(tape: Path) -> None:
    async def retry(world: Any, pause: float) -> list[tuple[str, int]]:
        log, now = [], asyncio.get_running_loop().time
        for attempt in range(5):
            try:
                async with asyncio.timeout(100 * pause):
                    await world.refuse(f"attempt {attempt}")
            except WorldError as error:
                before = now()
                await asyncio.sleep(pause * 2**attempt)
                log.append((str(error), round((now() - before) / pause)))
        return log

    pause = 0.005
    recorded = record(tape, lambda world: retry(world, pause))
    began = time.monotonic()
    replayed = replay(tape, lambda world: retry(world, pause))
    minute = replay(tape, lambda world: retry(world, 2.0))

    assert recorded == replayed
    assert all(waited >= 2**attempt for attempt, (_, waited) in enumerate(recorded))
    assert [waited for _, waited in minute] == [1, 2, 4, 8, 16]  # a busy recording waits longer
    assert [error for error, _ in minute] == [error for error, _ in recorded]
    assert time.monotonic() - began < 30  # the replayed minute has no real second


def test_a_fan_out_takes_the_same_first_answer(tape: Path) -> None:
    async def ask(world: Any) -> list[str]:
        log = []
        for round_ in range(3):
            mirrors = [asyncio.create_task(world.fetch(f"{round_} {mirror}")) for mirror in "abc"]
            done, pending = await asyncio.wait(mirrors, return_when=asyncio.FIRST_COMPLETED)
            log.extend(sorted(task.result() for task in done))
            for task in pending:
                task.cancel()
            await asyncio.wait(mirrors)
        return log

    assert len(same(tape, ask)) >= 3


def test_subscribers_hear_the_same_messages_in_the_same_order(tape: Path) -> None:
    async def listen(world: Any) -> list[str]:
        heard: list[str] = []
        await asyncio.gather(*(world.subscribe(topic, heard.append) for topic in ("news", "sport")))
        return heard

    assert len(same(tape, listen)) == 4


def test_a_thread_pool_with_shared_state_counts_the_same(tape: Path) -> None:
    def program(world: Any) -> Counter[str]:
        lock, counts = threading.Lock(), Counter[str]()

        def work(key: str) -> None:
            answer = world.peek(key)
            with lock:
                counts[answer[0]] += len(answer)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, [f"{letter}{number}" for letter in "abc" for number in range(5)]))
        return counts

    thread_sessions.same(tape, program)


def test_a_streaming_proxy_passes_items_on_as_they_came(tape: Path) -> None:
    async def proxy(world: Any) -> list[str]:
        log: list[str] = []
        send = log.append

        async def upper(key: str) -> AsyncIterator[str]:
            async for item in world.watch(key, 3):
                yield item.upper()

        async def client(key: str) -> None:
            async for item in upper(key):
                send(item)

        await asyncio.gather(client("left"), client("right"))
        return log

    assert len(same(tape, proxy)) == 6


class Server:
    """An application that is called, and calls out for each request."""

    def __init__(self, world: Any) -> None:
        self._world = world
        self.log: list[str] = []

    async def handle(self, request: str) -> str:
        self.log.append(f"> {request}")
        answer = str(await self._world.fetch(request))
        self.log.append(f"< {answer}")
        return answer


def test_a_server_serves_overlapping_requests_as_it_did(tape: Path) -> None:
    async def live() -> list[str]:
        with Cassette(tape, "all") as cassette:
            server = Server(VcrWorld.attach(cassette, RealWorld))
            service = VcrService(cassette=cassette, inner=server)
            await asyncio.gather(*(service.handle(f"request {number}") for number in range(5)))
            return server.log

    async def driven() -> list[str]:
        with Cassette(tape, "none") as cassette:
            server = Server(VcrWorld.attach(cassette, RealWorld))
            await Driver(cassette, VcrService(cassette=cassette, inner=server)).run()
            return server.log

    with watchdog():
        recorded, replayed = asyncio.run(live()), asyncio.run(driven())

    assert recorded == replayed
    assert recorded != sorted(recorded)


def test_a_rate_limiter_spaces_calls_as_it_did(tape: Path) -> None:
    async def limited(world: Any) -> list[str]:
        log: list[str] = []
        now, free_at = asyncio.get_running_loop().time, 0.0

        async def call(key: str) -> None:
            nonlocal free_at
            wait = max(0.0, free_at - now())
            free_at = max(now(), free_at) + 0.002
            await asyncio.sleep(wait)
            log.append(f"{now():.6f} {await world.fetch(key)}")

        await asyncio.gather(*(call(f"call {number}") for number in range(6)))
        return log

    assert len(same(tape, limited)) == 6


def test_a_failing_child_cancels_the_same_siblings(tape: Path) -> None:
    async def group(world: Any) -> list[str]:
        log: list[str] = []

        async def child(key: str) -> None:
            try:
                for number in range(20):
                    answer = await world.fetch(f"{key} {number}")
                    log.append(answer)
            except asyncio.CancelledError:
                log.append(f"{key} cancelled")
                raise

        async def failing() -> None:
            await world.fetch("first")
            await world.refuse("then")

        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(child("a"))
                tasks.create_task(child("b"))
                tasks.create_task(failing())
        except* WorldError as errors:
            log.append(str(errors.exceptions))
        return log

    assert "a cancelled" in same(tape, group)


def test_a_task_group_cancels_its_tasks_in_the_recorded_order(tape: Path) -> None:
    async def program(world: Any) -> list[int]:
        log: list[int] = []

        async def wait(number: int) -> None:
            try:
                await asyncio.sleep(60)
            finally:
                log.append(number)

        async def fail() -> None:
            await world.fetch("a")
            raise ZeroDivisionError

        try:
            async with asyncio.TaskGroup() as group:
                for number in range(10):
                    group.create_task(wait(number))
                group.create_task(fail())
        except* ZeroDivisionError:
            log.append(-1)
        return log

    recorded = record(tape, program)

    assert [recorded] * 5 == [replay(tape, program) for _ in range(5)]


def test_a_stream_that_is_left_while_its_item_waits_for_its_turn_is_closed(tape: Path) -> None:
    closed: list[str] = []

    class Eager:
        async def watch(self, key: str, count: int) -> AsyncIterator[str]:
            try:
                for number in range(count):
                    yield f"{key} {number}"
            finally:
                closed.append(key)

    async def session(mode: str) -> list[str]:
        with Cassette(tape, mode) as cassette:
            stream = VcrWorld.attach(cassette, Eager).watch("a", 2)
            asking = asyncio.create_task(anext(stream))
            for _ in range(3):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait([asking])
            return [str(asking.cancelled()), *closed]

    with watchdog():
        assert asyncio.run(session("all")) == ["True", "a"]
        assert asyncio.run(session("none")) == ["True", "a"]
