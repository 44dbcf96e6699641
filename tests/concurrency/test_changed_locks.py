"""Locks are no boundary: a program may take them otherwise, but its calls are asserted."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from concurrency.lock_sessions import Program, Shared, in_threads, in_turns, session
from concurrency.thread_sessions import caught
from vcr_gen import DivergenceError

CHANGED: dict[str, Program] = {}


def changed(program: Program) -> Program:
    """List a program under its name."""
    CHANGED[program.__name__] = program
    return program


@changed
def without_locks(world: Any, shared: Shared) -> Any:
    in_threads(*(lambda n=n: [world.peek(f"{n}{i}") for i in range(4)] for n in "ab"))


@changed
def with_another_lock(world: Any, shared: Shared) -> Any:
    shared.one, shared.two = shared.two, shared.one
    in_turns(world, shared)


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
    session(tape, "all", in_turns)

    session(tape, "none", program, patience=0.5)


def test_a_cassette_without_watched_locks_replays_with_them_and_the_other_way_round(
    tape: Path,
) -> None:
    for recorded, replayed in ((True, False), (False, True)):
        session(tape, "all", in_turns, watch=recorded)

        session(tape, "none", in_turns, watch=replayed, patience=0.5)


def test_a_call_that_is_dropped_inside_a_lock_ends_the_replay(tape: Path) -> None:
    def program(world: Any, shared: Shared) -> Any:
        def work(name: str) -> None:
            for number in range(4):
                with shared.one:
                    if (name, number) != ("a", 2):
                        world.peek(f"{name}{number}")

        in_threads(*(lambda name=name: work(name) for name in "ab"))

    session(tape, "all", in_turns)

    with caught():
        session(tape, "none", program, patience=0.5)


def test_a_deadlock_ends_the_replay_of_who_waits_at_the_tape(tape: Path) -> None:
    threads: list[threading.Thread] = []

    def program(world: Any, shared: Shared, *, circle: bool) -> Any:
        both = threading.Barrier(2)

        def work(name: str, first: Any, second: Any) -> None:
            with first:
                world.peek(f"{name} one")
                if circle:
                    both.wait()
                    second.acquire(timeout=1)  # for ever, as far as the patience goes
                    return
            world.peek(f"{name} other")

        orders = {"a": (shared.one, shared.two), "b": (shared.two, shared.one)}
        threads[:] = [threading.Thread(target=work, args=(n, *orders[n])) for n in orders]
        for thread in threads:
            thread.start()
        if not circle:
            for thread in threads:
                thread.join()
        world.peek("end")

    session(tape, "all", partial(program, circle=False))

    with pytest.raises(DivergenceError) as diverged:
        session(tape, "none", partial(program, circle=True), patience=0.2)
    for thread in threads:
        thread.join()

    assert 'thread MainThread waits for World.peek(key="end")' in str(diverged.value)
    assert "waits for something else at" in str(diverged.value)
