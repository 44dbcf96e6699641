"""Sessions that use every kind of call, as lists of independent steps.

A step takes the wrapper and returns what it saw. Steps can be dropped, repeated and swapped, and
each differs from its neighbours, so that every such change is a change of behaviour.
"""

import asyncio
import inspect
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sample.application import Application, RealClient
from sample.bridges import (
    RealBus,
    RealDatabase,
    RealDevice,
    RealFeed,
    RealLocks,
    RealShell,
    RealTable,
    StubbornFeed,
)
from sample.models import Level, Step
from vcr_sample import (
    VcrBus,
    VcrDatabase,
    VcrDevice,
    VcrFeed,
    VcrLocks,
    VcrServer,
    VcrShell,
    VcrTable,
)

from vcr_gen import Cassette, DivergenceError, Driver, VcrError

STATE = {"cwd": Path("/proj/a"), "count": 3}
ANCHORS = {"project": "/proj"}


def facts(error: BaseException) -> list[Any]:
    """All that one can tell of an exception."""
    cause = error.__cause__
    return [type(error), repr(error.args), repr(vars(error)), facts(cause) if cause else None]


def attempt(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a call returns, or the facts of what it raises."""
    try:
        return function(*arguments)
    except (DivergenceError, VcrError):
        raise
    except BaseException as error:
        return facts(error)


Steps = Sequence[Callable[[Any], Any]]


@dataclass(frozen=True)
class Outbound:
    """A program that calls the environment, step by step."""

    name: str
    wrapper: Any
    real: Any
    steps: Steps

    def record(self, path: Path) -> Any:
        with Cassette(path, "all", initial_state=STATE, anchors=ANCHORS) as cassette:
            return self._run(cassette, self.wrapper.attach(cassette, self.real), self.steps)

    def replay(self, path: Path, steps: Steps | None = None) -> Any:
        with Cassette(path, "none", anchors=ANCHORS, patience=0.5) as cassette:
            wrapper = self.wrapper(cassette=cassette)
            return self._run(cassette, wrapper, self.steps if steps is None else steps)

    def _run(self, cassette: Cassette, wrapper: Any, steps: Steps) -> Any:
        log = [dict(cassette.initial_state)]
        LOCKED.cassette = cassette
        if any(inspect.iscoroutinefunction(step) for step in steps):

            async def program() -> None:
                log.extend([await step(wrapper) for step in steps])

            asyncio.run(program())
        else:
            log.extend(step(wrapper) for step in steps)
        return log


class Agent(Application):
    """An application that calls the environment, by steps that can be changed."""

    shell: Any
    feed: Any
    steps: Steps = (
        lambda agent: agent.shell.read(len(agent.log)),
        lambda agent: agent.shell.tell("between"),
        lambda agent: agent.shell.read("after"),
    )

    def status(self) -> str:
        self.log.extend(step(self) for step in self.steps)
        return f"{len(self.log)} seen"

    def count(self, upto: int) -> Any:
        for number in range(upto):
            self.log.append(self.shell.join("item", n=number))
            yield number
        return None

    async def start(self, name: str, arguments: str = "") -> str:
        self.log.append((arguments, await self.shell.arun(name, 0.001 * len(name))))
        self.log.extend(step(self) for step in self.steps)
        return name.upper()


@dataclass(frozen=True)
class Inbound:
    """An environment that calls a program, which calls the environment in turn."""

    name: str
    environment: Callable[[Any], Any]

    def record(self, path: Path) -> Any:
        agent = Agent()
        with Cassette(path, "all", initial_state=STATE, anchors=ANCHORS) as cassette:
            agent.shell = VcrShell(cassette=cassette, inner=RealShell())
            server = VcrServer(cassette=cassette, inner=agent)
            if inspect.iscoroutinefunction(self.environment):
                asyncio.run(self.environment(server))
            else:
                self.environment(server)
            return [dict(cassette.initial_state), *agent.log]

    def replay(self, path: Path, steps: Steps | None = None) -> Any:
        agent = Agent()
        if steps is not None:
            agent.steps = steps
        with Cassette(path, "none", anchors=ANCHORS) as cassette:
            agent.shell = VcrShell(cassette=cassette)
            driver = Driver(cassette, VcrServer(cassette=cassette, inner=agent))
            if inspect.iscoroutinefunction(self.environment):
                asyncio.run(driver.run())
            else:
                driver.run_sync()
            return [dict(cassette.initial_state), *agent.log]

    @property
    def steps(self) -> Steps:
        return Agent.steps


def drained(stream: Any) -> Any:
    """The items of a stream, and what it returns."""
    seen = []
    while True:
        try:
            seen.append(next(stream))
        except StopIteration as finished:
            return seen, finished.value


def talked(feed: Any) -> Any:
    talk = feed.talk(3)
    seen = [next(talk), talk.send("hello"), talk.throw(ValueError("no"))]
    try:
        talk.send("bye")
    except StopIteration as finished:
        seen.append(finished.value)
    return seen


def closed_early(feed: Any) -> Any:
    lines = feed.lines("qrs")
    first = next(lines)
    lines.close()
    return first


def broken(feed: Any) -> Any:
    lines = feed.lines("x!")
    return [next(lines), attempt(next, lines)]


def entered(locks: Any, name: str, swallows: bool, error: BaseException | None) -> Any:
    seen = []

    def inside() -> Any:
        with locks.lock(name, swallows) as value:
            seen.append(value)
            if error is not None:
                raise error

    return attempt(inside), seen


def read_rows(database: Any) -> Any:
    with database.transaction() as cursor:
        rows, end = drained(cursor.rows())
        return end, [(row.number, drained(row.cells())) for row in rows]


def passed_back(database: Any) -> Any:
    one, same = database.cursor(), database.same()
    return [database.use(one), database.use_all([same, one]), one.fetch(1)]


def subscribed(bus: Any) -> Any:
    seen: list[int] = []

    def notify(number: int) -> str:
        seen.append(number)
        return "x" * number

    stop = bus.on("topic", notify)
    first = [*seen]
    total = bus.publish(2)
    second = [*seen]
    stop()
    return [first, total, second, bus.publish(3), seen]


def went_on(letters: str) -> Callable[[Any], Any]:
    """Asks a stream on that raises in between."""

    def step(feed: Any) -> Any:
        lines = feed.lines(letters)
        return [attempt(next, lines) for _ in range(len(letters) + 1)]

    return step


def told_later(count: int) -> Callable[[Any], Any]:
    """Waits for callbacks of a thread, each of which calls the environment in turn."""

    def step(bus: Any) -> Any:
        inbox: queue.Queue[int] = queue.Queue()

        def notify(number: int) -> str:
            inbox.put(number)
            return f"{count} {bus.publish(number + count)}"

        heard = []
        for _ in range(count):
            bus.after(notify)
            heard.append(inbox.get(timeout=3))
        return heard, bus.wait()

    return step


def listened(bus: Any) -> Any:
    seen = []

    def listen(event: str, weight: int = 1) -> str:
        seen.append((event, weight))
        return event * weight

    return bus.listen(listen), [*seen]


def each(bus: Any) -> Any:
    seen = []

    def notify(number: int) -> str:
        seen.append(number)
        return "y" * number

    return bus.each([1, 2], notify), [*seen]


def sized(device: Any) -> Any:
    device.size = 7
    size = device.size
    del device.size
    return size


def celled(table: Any) -> Any:
    table["new"] = 5
    del table["a"]
    return [drained(iter(table)), attempt(lambda: table["gone"])]


async def gathered(shell: Any) -> Any:
    done: list[Any] = []

    async def one(name: str, delay: float) -> None:
        done.append(await shell.arun(name, delay))

    await asyncio.gather(one("slow", 0.005), one("fast", 0.001))
    return done


async def expired(shell: Any) -> Any:
    try:
        async with asyncio.timeout(0.004):
            await shell.hang()
    except TimeoutError:
        return "expired"


async def failed(shell: Any) -> Any:
    try:
        await shell.afail("notes")
    except Exception as error:
        return facts(error)


async def awaited(shell: Any) -> Any:
    return [await shell.later("later"), await shell.maybe("maybe", True)]


async def streamed(feed: Any) -> Any:
    return [item async for item in feed.alines("ab")]


async def streamed_later(feed: Any) -> Any:
    lines = await feed.alines_later("xyz")
    first = await anext(lines)
    await lines.aclose()
    return first


async def atalked(feed: Any) -> Any:
    talk = feed.atalk(1)
    return [await anext(talk), await talk.asend("abc"), await talk.athrow(ValueError("no"))]


async def auploaded(feed: Any) -> Any:
    async def chunks() -> Any:
        yield b"a"
        yield b"bc"

    return await feed.aupload(chunks())


def calls_in(server: Any) -> None:
    server.run(Step("build", ("a", "b"), {"cpu": 1}, Level.HIGH))
    server.status()
    server.join("a", "b", n=1)
    server.login("me", token="hunter2")
    server.read("text")
    attempt(server.fail, "boom")
    server.load = 4
    list(server.count(2))


def objects_in(server: Any) -> None:
    room = server.open("hall")
    room.say("hi")
    server.close(room)
    talk = server.talk(3)
    next(talk)
    talk.send("hello")
    talk.close()
    server.subscribe(len)
    server.consume(iter([b"ab", b"c"]))
    server.handler("<")("x")
    server.connect(RealClient(2))
    server.status()
    with server.lock(True):
        raise KeyError("x")


async def overlapping_in(server: Any) -> None:
    await asyncio.gather(server.start("longer name"), server.start("x"))
    _ = [number async for number in server.acount(2)]
    async with server.alock(False) as key:
        server(key)


def in_pool(*calls: str, workers: int = 2) -> Callable[[Any], Any]:
    """A job of a pool that makes these calls, and another beside it."""

    def step(shell: Any) -> Any:
        def job(keys: Sequence[str]) -> Any:
            return [shell.read(key) for key in keys]

        shell.tell(f"a pool for {calls[0]}")
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(job, [calls, ["beside", *calls[:1], "it"]]))

    return step


def in_threads(shell: Any) -> Any:
    seen: dict[str, list[Any]] = {}
    shell.tell("two threads")

    def work(name: str) -> None:
        with suppress(DivergenceError, VcrError):  # and the rest is not used
            seen[name] = [shell.read(f"{name} {number}") for number in range(2)]

    threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(seen.items())


class Shared:
    """What threads change under a lock, each in its turn."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.seen: list[Any] = []


def under_lock(shell: Any) -> Any:
    shared = Shared()
    shell.tell("a lock")
    LOCKED.watch(shared)

    def job(name: str) -> None:
        for _ in range(2):
            with shared.lock:
                shared.seen.append(shell.read(f"{name} {len(shared.seen)}"))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(job, ["first", "second"]))
    return shared.seen


@dataclass
class Locked:
    """The cassette of the session that runs, for steps that have locks."""

    cassette: Cassette | None = None

    def watch(self, owner: object) -> None:
        assert self.cassette is not None
        self.cassette.watch_locks(owner)


LOCKED = Locked()


SESSIONS: tuple[Outbound | Inbound, ...] = (
    Outbound(
        "calls",
        VcrShell,
        RealShell,
        (
            lambda shell: shell.run(
                Step("build", ("a", "b"), {"cpu": 2, "disk": None}, Level.HIGH), cwd=Path("/proj/x")
            ),
            lambda shell: [shell.read(3), shell.read("ab", twice=True)],
            lambda shell: shell.join("a", "b", n=1),
            lambda shell: shell.grep("x"),
            lambda shell: len(shell.login("me", "hunter2")) > 0,
            lambda shell: shell.stamp(1.5, "Name"),
            lambda shell: shell.store([1, {"deep": [2.5, b"\xff", None]}, True]),
            lambda shell: attempt(shell.fail, "boom"),
            lambda shell: attempt(shell.fail, "cause"),
        ),
    ),
    Outbound(
        "streams",
        VcrFeed,
        RealFeed,
        (
            lambda feed: drained(feed.lines("abc")),
            closed_early,
            broken,
            talked,
            lambda feed: drained(feed.words(True)),
            lambda feed: feed.words(False),
            lambda feed: feed.upload(iter([b"ab", b"\xff"])),
        ),
    ),
    Outbound("streams that go on", VcrFeed, StubbornFeed, (went_on("a!b"), went_on("?!"))),
    Outbound(
        "handles",
        VcrDatabase,
        RealDatabase,
        (
            read_rows,
            passed_back,
            lambda database: [(name, found.fetch(1)) for name, found in database.named().items()],
            lambda database: database.find(False),
            lambda database: [
                part if isinstance(part, int) else part.fetch(2) for part in database.pair()
            ],
            lambda database: database.clone().label(),
        ),
    ),
    Outbound(
        "managers",
        VcrLocks,
        RealLocks,
        (
            lambda locks: entered(locks, "one", True, KeyError("k")),
            lambda locks: entered(locks, "two", False, KeyError("k")),
            lambda locks: entered(locks, "three", True, None),
        ),
    ),
    Outbound(
        "callbacks",
        VcrBus,
        RealBus,
        (
            subscribed,
            listened,
            each,
            lambda bus: bus.maker("!")("a"),
        ),
    ),
    Outbound("callbacks of threads", VcrBus, RealBus, (told_later(1), told_later(2))),
    Outbound(
        "members",
        VcrDevice,
        RealDevice,
        (
            sized,
            lambda device: [device.name, device.kind],
            lambda device: device.make(5).size,
            lambda device: attempt(lambda: device.serial),
        ),
    ),
    Outbound(
        "dunders",
        VcrTable,
        RealTable,
        (
            celled,
            lambda table: [table("name"), len(table)],
            lambda table: ["b" in table, bool(table)],
        ),
    ),
    Outbound("async calls", VcrShell, RealShell, (gathered, expired, failed, awaited)),
    Outbound("async streams", VcrFeed, RealFeed, (streamed, streamed_later, atalked, auploaded)),
    Outbound(
        "threads",
        VcrShell,
        RealShell,
        (in_pool("a", "b", "c"), in_threads, in_pool("d", "e"), under_lock),
    ),
    Inbound("calls in", calls_in),
    Inbound("objects in", objects_in),
    Inbound("overlapping in", overlapping_in),
)
