"""A thread is told from others by what it was started for, and does what it did."""

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from concurrency.thread_sessions import caught, session
from vcr_gen import DivergenceError

pytestmark = pytest.mark.usefixtures("quiet_threads")

Calls = dict[str, tuple[str, ...]]
"""What each thread calls, in order."""
Work = Callable[[str], None]
Spawn = Callable[[str, Work], threading.Thread]


def by_argument(name: str, work: Work) -> threading.Thread:
    return threading.Thread(target=work, args=(name,))


def by_keyword(name: str, work: Work) -> threading.Thread:
    return threading.Thread(target=lambda *, what: work(what), kwargs={"what": name})


def by_bound_keyword(name: str, work: Work) -> threading.Thread:
    return threading.Thread(target=partial(lambda *, what: work(what), what=name))


def by_name(name: str, work: Work) -> threading.Thread:
    return threading.Thread(target=lambda: work(threading.current_thread().name), name=name)


def by_function(name: str, work: Work) -> threading.Thread:
    def run_a() -> None:
        work("a")

    def run_b() -> None:
        work("b")

    return threading.Thread(target=run_a if name == "a" else run_b)


def by_attribute(name: str, work: Work) -> threading.Thread:
    class Own(threading.Thread):
        def __init__(self) -> None:
            super().__init__()
            self.what = name

        def run(self) -> None:
            work(self.what)

    return Own()


def by_timer(name: str, work: Work) -> threading.Thread:
    return threading.Timer(0.001, work, [name])


SPAWNS = pytest.mark.parametrize(
    "spawn",
    [
        by_argument,
        by_keyword,
        by_bound_keyword,
        by_name,
        by_function,
        by_attribute,
        by_timer,
    ],
)

CHANGES: dict[str, tuple[Calls, Calls]] = {
    "all calls of two threads": (
        {"a": ("a1", "a2"), "b": ("b1", "b2")},
        {"a": ("b1", "b2"), "b": ("a1", "a2")},
    ),
    "their first calls": (
        {"a": ("a1", "a2"), "b": ("b1", "b2")},
        {"a": ("b1", "a2"), "b": ("a1", "b2")},
    ),
    "their last calls": (
        {"a": ("a1", "a2"), "b": ("b1", "b2")},
        {"a": ("a1", "b2"), "b": ("b1", "a2")},
    ),
    "calls between equal ones": (
        {"a": ("x", "a1", "x"), "b": ("x", "b1", "x")},
        {"a": ("x", "b1", "x"), "b": ("x", "a1", "x")},
    ),
    "a call of one made by the other": (
        {"a": ("a1", "a2"), "b": ("b1",)},
        {"a": ("a1",), "b": ("b1", "a2")},
    ),
    "two calls of one": (
        {"a": ("a1", "a2"), "b": ("b1",)},
        {"a": ("a2", "a1"), "b": ("b1",)},
    ),
    "one call less": ({"a": ("a1", "a2"), "b": ("b1",)}, {"a": ("a1",), "b": ("b1",)}),
    "one call more": ({"a": ("a1",), "b": ("b1",)}, {"a": ("a1", "a2"), "b": ("b1",)}),
}


def threaded(calls: Calls, spawn: Spawn, *, at_once: bool) -> Callable[[Any], Any]:
    """A program of a thread each; step by step together, or one after the other."""

    def program(world: Any) -> Any:
        together = threading.Barrier(len(calls))
        seen: dict[str, list[str]] = {}

        def work(name: str) -> None:
            seen[name] = []
            try:
                for key in calls[name]:
                    if at_once:
                        together.wait()
                    seen[name].append(world.peek(key))
            except DivergenceError:
                together.abort()  # for who would wait for this one
                raise

        threads = [spawn(name, work) for name in calls]
        for thread in threads:
            thread.start()
            if not at_once:
                thread.join()
        for thread in threads:
            thread.join()
        return seen

    return program


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_a_thread_that_does_what_another_did_is_caught(
    change: str, at_once: bool, tape: Path
) -> None:
    before, after = CHANGES[change]
    if at_once and len({len(keys) for calls in (before, after) for keys in calls.values()}) > 1:
        at_once = False  # they could not go step by step
    recorded = session(tape, "all", threaded(before, by_argument, at_once=at_once))
    assert session(tape, "none", threaded(before, by_argument, at_once=at_once)) == recorded

    with caught():
        session(tape, "none", threaded(after, by_argument, at_once=at_once), patience=0.2)


@SPAWNS
@pytest.mark.parametrize("change", ["all calls of two threads", "their last calls"])
def test_threads_are_told_apart_by_all_that_they_were_started_for(
    change: str, spawn: Spawn, tape: Path
) -> None:
    before, after = CHANGES[change]
    recorded = session(tape, "all", threaded(before, spawn, at_once=True))
    assert session(tape, "none", threaded(before, spawn, at_once=True)) == recorded

    with caught():
        session(tape, "none", threaded(after, spawn, at_once=True), patience=0.2)


def test_the_message_names_the_thread_that_did_what_another_did(tape: Path) -> None:
    before, after = CHANGES["their last calls"]
    session(tape, "all", threaded(before, by_name, at_once=True))

    with caught() as diverged:
        session(tape, "none", threaded(after, by_name, at_once=True), patience=0.2)

    assert "World.peek was called by thread " in str(diverged.value)
    assert "; a different thread was recorded" in str(diverged.value)
    assert "threads swapped calls" in str(diverged.value)


def test_for_threads_that_are_equal_the_message_tells_of_the_order(tape: Path) -> None:
    def program(*keys: str) -> Callable[[Any], Any]:
        def run(world: Any) -> None:
            left = list(keys)

            def work() -> None:
                while left:
                    mine, left[:2] = left[:2], []
                    for key in mine:
                        world.peek(key)

            for _ in range(2):
                thread = threading.Thread(target=work)
                thread.start()
                thread.join()

        return run

    session(tape, "all", program("a", "b", "c", "d"))

    with caught() as diverged:
        session(tape, "none", program("b", "a", "c", "d"), patience=0.2)

    assert "equal threads swapped their work" in str(diverged.value)
    assert "pass order='lanes' to the cassette" in str(diverged.value)


@pytest.mark.parametrize("order", ["abc", "cab"])
def test_threads_may_be_started_in_another_order(order: str, tape: Path) -> None:
    calls: Calls = {name: ("login", f"{name}1", f"{name}2") for name in "abc"}
    session(tape, "all", threaded(calls, by_argument, at_once=False))

    other = {name: calls[name] for name in order}
    session(tape, "none", threaded(other, by_argument, at_once=False))


def test_a_step_moved_into_a_thread_of_its_own_is_no_divergence(tape: Path) -> None:
    def program(world: Any, *, moved: bool) -> None:
        def step() -> None:
            world.peek("a2")

        def work() -> None:
            world.peek("a1")
            if moved:
                thread = threading.Thread(target=step)
                thread.start()
                thread.join()
            else:
                step()
            world.peek("a3")

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    session(tape, "all", lambda world: program(world, moved=False))

    session(tape, "none", lambda world: program(world, moved=True))


def test_a_function_that_a_thread_runs_may_be_renamed(tape: Path) -> None:
    calls: Calls = {name: (f"{name}1", "x", f"{name}2") for name in "ab"}
    session(tape, "all", threaded(calls, by_argument, at_once=True))

    session(tape, "none", threaded(calls, by_function, at_once=True))
