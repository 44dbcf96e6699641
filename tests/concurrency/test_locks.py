"""The order in which threads take the application's locks is recorded, and had again."""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from vcr_world.ports import VcrWorld
from world.real import RealWorld

from concurrency.sessions import watchdog
from vcr_gen import Cassette, DivergenceError, TapeEvent
from vcr_gen.errors import UnusedEventsError, UsageError
from vcr_gen.runtime.tape.storage import Reading

PATIENCE = 6.0
"""Longer than any of these replays may take: so none of them went on by waiting it out."""
PROGRAMS = 160


class Shared:
    """What the threads of a program have in common."""

    def __init__(self) -> None:
        self.locks = [threading.Lock() for _ in range(3)]
        self.one, self.two, self.three = self.locks
        self.again = threading.RLock()
        self.gate = threading.Semaphore(2)
        self.changed = threading.Condition()
        self.work: queue.Queue[str] = queue.Queue()
        self.log: list[str] = []
        """What happened while a lock was held: in the order in which it did."""
        self.logs: list[list[str]] = [[], [], [], []]
        """The same for each lock."""

    def lock(self, number: int) -> Any:
        return (self.one, self.two, self.three, self.again)[number]


Program = Callable[[Any, Shared], Any]


def session(path: Path, mode: str, program: Program, *, watch: bool = True, **options: Any) -> Any:
    shared = Shared()
    options = {"patience": PATIENCE, **options}
    with watchdog(20), Cassette(path, mode, **options) as cassette:
        if watch:
            cassette.watch_locks(shared)
        answer = program(VcrWorld.attach(cassette, RealWorld), shared)
    return answer, shared.log


def same(path: Path, program: Program) -> Any:
    recorded = session(path, "all", program)
    began = time.monotonic()
    for _ in range(2):
        assert session(path, "none", program) == recorded
    assert time.monotonic() - began < PATIENCE
    return recorded


def in_threads(*works: Callable[[], Any]) -> None:
    def run(work: Callable[[], Any]) -> None:
        with suppress(DivergenceError):  # the session keeps it
            work()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@dataclass
class Made:
    """A random program of threads that take locks, and what each of them saw."""

    seed: int
    seen: dict[str, list[str]] = field(default_factory=dict)

    def run(self, world: Any, shared: Shared) -> Any:
        self.seen = {}
        chance = random.Random(self.seed)
        names = "abcdef"[: chance.randint(2, 6)]
        plans = [(name, chance.getrandbits(32)) for name in names]
        if chance.random() < 0.5:
            with ThreadPoolExecutor(len(plans)) as pool:
                list(pool.map(lambda plan: self._work(world, shared, *plan), plans))
        else:
            in_threads(*(lambda plan=plan: self._work(world, shared, *plan) for plan in plans))
        return self.seen, shared.logs

    def _work(self, world: Any, shared: Shared, name: str, seed: int) -> None:
        chance = random.Random(seed)
        mine = self.seen.setdefault(name, [])
        for number in range(6):
            step = chance.randrange(6)
            which = chance.randrange(4)
            lock, guarded = shared.lock(which), shared.logs[which]
            key = f"{name}{number}"
            match step:
                case 0:
                    mine.append(world.peek(key))
                case 1:
                    with lock:
                        mine.append(world.peek(key))
                        guarded.append(key)
                case 2:
                    with lock:
                        guarded.append(key)
                        mine.append(str(guarded))
                case 3:
                    with shared.again, shared.again:
                        shared.logs[3].append(key)
                        mine.append(world.peek(f"{shared.logs[3]}"))
                case 4:
                    taken = lock.acquire(blocking=False)
                    mine.append(f"{taken}")
                    if taken:
                        mine.append(world.peek(key))
                        lock.release()
                case 5:
                    with shared.gate:
                        mine.append(world.peek(key))


@pytest.mark.parametrize("part", range(4))
def test_random_programs_with_locks_come_to_the_same(part: int, tape: Path) -> None:
    for number in range(PROGRAMS // 4):
        program = Made(part * PROGRAMS + number)
        recorded = session(tape, "all", lambda world, shared, made=program: made.run(world, shared))
        began = time.monotonic()
        replayed = session(
            tape, "none", lambda world, shared, made=program: made.run(world, shared)
        )
        assert recorded == replayed, program.seed
        assert time.monotonic() - began < PATIENCE


def test_who_is_first_to_change_shared_state_is_so_again(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        def work(name: str) -> Callable[[], None]:
            def run() -> None:
                for _ in range(5):
                    with shared.one:
                        shared.log.append(f"{name} {len(shared.log)}")
                        world.peek(shared.log[-1])

            return run

        in_threads(*map(work, "abcd"))

    same(tape, program)


def test_a_thread_without_calls_takes_its_locks_in_turn_too(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        def silent() -> None:
            for number in range(10):
                with shared.one:
                    shared.log.append(f"silent {number}")

        def loud() -> None:
            for number in range(10):
                with shared.one:
                    shared.log.append(f"loud {number} {world.peek(str(len(shared.log)))}")

        in_threads(silent, loud)

    same(tape, program)


def test_a_queue_gives_the_same_worker_the_same_work(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        done: dict[str, list[str]] = {name: [] for name in "abc"}

        def work(name: str) -> None:
            while (item := shared.work.get()) != "end":
                done[name].append(world.peek(item))

        for number in range(9):
            shared.work.put(f"item {number}")
        for _ in "abc":
            shared.work.put("end")
        in_threads(*(lambda name=name: work(name) for name in "abc"))
        return done

    same(tape, program)


def test_a_condition_wakes_whom_it_woke(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        items: list[str] = []

        def consume(name: str) -> None:
            for _ in range(3):
                with shared.changed:
                    shared.changed.wait_for(lambda: items)
                    shared.log.append(f"{name} {items.pop()}")
                world.peek(name)

        def produce() -> None:
            for number in range(9):
                item = world.peek(f"{number}")
                with shared.changed:
                    items.append(item)
                    shared.changed.notify()

        in_threads(*(lambda name=name: consume(name) for name in "abc"), produce)

    same(tape, program)


def test_a_lock_that_one_thread_has_is_one_event(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        for number in range(50):
            with shared.one, shared.again, shared.again:
                world.peek(f"{number}")

    session(tape, "all", program)

    with Reading(tape) as reading:
        taken = [entry.data for entry in reading if entry.data.get("of") == "thread.lock"]
    assert [entry["args"]["lock"] for entry in taken] == ["Shared.one", "Shared.again"]


def test_locks_are_put_back_when_the_cassette_is_closed(tape: Path) -> None:
    shared = Shared()
    before = {**vars(shared)}
    condition = {**vars(shared.changed)}
    for fails in (False, True):
        with suppress(ZeroDivisionError), Cassette(tape, "all") as cassette:
            cassette.watch_locks(shared)
            assert shared.one is not before["one"]
            assert 1 / (not fails)
        assert {**vars(shared)} == before
        assert {**vars(shared.changed)} == condition
        with shared.one, shared.again, shared.changed, shared.gate:
            shared.changed.notify_all()


def test_modules_classes_and_slots_have_locks_too(tape: Path) -> None:
    class Slotted:
        __slots__ = ("guard",)

        def __init__(self) -> None:
            self.guard = threading.Lock()

    @dataclass(frozen=True)
    class Frozen:
        guard: Any = field(default_factory=threading.Lock)

    class Counter:
        guard = threading.Lock()

    class Heir(Counter):
        pass

    for owner in (Slotted(), Frozen(), Counter):
        real = owner.guard
        with Cassette(tape, "all") as cassette:
            cassette.watch_locks(owner)
            assert owner.guard is not real
            with owner.guard:
                assert owner.guard.locked()
                assert not owner.guard.acquire(timeout=0.001)
        assert owner.guard is real
    with Cassette(tape, "all") as cassette:
        for nothing in (Heir, Heir(), object()):
            with pytest.raises(UsageError, match="has no locks in its attributes"):
                cassette.watch_locks(nothing)
        with pytest.raises(UsageError, match="name the object that has it"):
            cassette.watch_locks(threading.Lock())


CHANGED: dict[str, Program] = {}


def changed(program: Program) -> Program:
    CHANGED[program.__name__] = program
    return program


def original(world: Any, shared: Shared) -> Any:
    def work(name: str) -> None:
        for number in range(4):
            with shared.one:
                world.peek(f"{name}{number}")

    in_threads(*(lambda name=name: work(name) for name in "ab"))


@changed
def without_locks(world: Any, shared: Shared) -> Any:
    in_threads(*(lambda n=n: [world.peek(f"{n}{i}") for i in range(4)] for n in "ab"))


@changed
def with_another_lock(world: Any, shared: Shared) -> Any:
    shared.one, shared.two = shared.two, shared.one
    original(world, shared)


@changed
def with_more_locks(world: Any, shared: Shared) -> Any:
    def work(name: str) -> None:
        for number in range(4):
            with shared.one:
                pass
            with shared.two, shared.one:
                world.peek(f"{name}{number}")

    in_threads(*(lambda name=name: work(name) for name in "ab"))


@changed
def with_one_lock_for_all(world: Any, shared: Shared) -> Any:
    def work(name: str) -> None:
        with shared.one:
            for number in range(4):
                world.peek(f"{name}{number}")

    in_threads(*(lambda name=name: work(name) for name in "ab"))


@pytest.mark.parametrize("program", CHANGED.values(), ids=CHANGED)
def test_locks_that_are_taken_otherwise_are_no_divergence(program: Program, tape: Path) -> None:
    session(tape, "all", original)

    session(tape, "none", program, patience=0.5)


def test_a_cassette_without_watched_locks_replays_with_them_and_the_other_way_round(
    tape: Path,
) -> None:
    for recorded, replayed in ((True, False), (False, True)):
        session(tape, "all", original, watch=recorded)

        session(tape, "none", original, watch=replayed, patience=0.5)


def test_a_call_that_is_dropped_inside_a_lock_ends_the_replay(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        def work(name: str) -> None:
            for number in range(4):
                with shared.one:
                    if (name, number) != ("a", 2):
                        world.peek(f"{name}{number}")

        in_threads(*(lambda name=name: work(name) for name in "ab"))

    session(tape, "all", original)

    with pytest.raises((DivergenceError, UnusedEventsError)):
        session(tape, "none", program, patience=0.5)


def test_a_deadlock_ends_the_replay(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        def work(name: str, first: Any, second: Any) -> None:
            with first:
                world.peek(f"{name} one")
                if second.acquire(timeout=3):
                    second.release()
            world.peek(f"{name} other")

        in_threads(
            lambda: work("a", shared.one, shared.two), lambda: work("b", shared.two, shared.one)
        )

    session(tape, "all", lambda world, shared: [program(world, shared), world.peek("end")])

    with pytest.raises((DivergenceError, UnusedEventsError)):
        session(tape, "none", program, patience=0.5)


def test_hooks_of_the_user_are_not_shown_locks(tape: Path) -> None:
    seen: list[tuple[str, str]] = []

    def note(event: TapeEvent) -> Any:
        seen.append((event.boundary, event.method))
        return event.value

    session(tape, "all", original, before_record=note)
    recorded, seen = seen, []
    session(tape, "none", original, before_replay=note)
    assert set(recorded) == set(seen) == {("World", "peek")}
    assert len(recorded) == len(seen)
