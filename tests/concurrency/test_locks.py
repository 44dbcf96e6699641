"""The order in which threads take the application's locks is recorded, and had again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tape_data import read_tape

from concurrency.lock_sessions import Shared, in_threads, in_turns, same, session
from vcr_gen import Cassette, TapeEvent
from vcr_gen.errors import UsageError


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

    taken = [entry for entry in read_tape(tape) if entry.get("of") == "thread.lock"]
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


def test_hooks_of_the_user_are_not_shown_locks(tape: Path) -> None:
    seen: list[tuple[str, str]] = []

    def note(event: TapeEvent) -> Any:
        seen.append((event.boundary, event.method))
        return event.value

    session(tape, "all", in_turns, before_record=note)
    recorded, seen = seen, []
    session(tape, "none", in_turns, before_replay=note)
    assert set(recorded) == set(seen) == {("World", "peek")}
    assert len(recorded) == len(seen)
