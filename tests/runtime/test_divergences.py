"""Divergences and leftovers: where they are raised, and what they tell."""

import asyncio
import re
import time
from contextlib import suppress
from pathlib import Path

import pytest
from changing_world import session
from sample.bridges import RealShell
from sample.models import Step
from vcr_sample import VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import DivergenceError, UnusedEventsError


def test_a_divergence_that_the_application_swallows_is_raised_at_close(tape):
    session(tape.path, "all", 1)
    cassette = Cassette(tape.path, "none")
    shell = VcrShell(cassette=cassette)
    with suppress(BaseException):
        shell.read(2)
    with pytest.raises(DivergenceError, match=r"Shell\.read"):
        cassette.close()


def test_except_exception_does_not_swallow_a_divergence(tape):
    session(tape.path, "all", 1)

    def program(shell):
        try:
            return shell.read(2)
        except Exception:
            return "swallowed"

    with pytest.raises(DivergenceError):
        tape.replay(VcrShell, program)


def test_leftover_events_are_raised_at_close_with_their_places(tape):
    session(tape.path, "all", 1, 2, 3)
    with pytest.raises(UnusedEventsError) as caught:
        session(tape.path, "none", 1)
    assert [event.number for event in caught.value.events] == [2, 3]
    assert "Shell.read" in str(caught.value)
    assert re.search(r"tape\.\w+:\d+", str(caught.value))


def test_the_error_of_the_test_is_not_hidden_by_leftovers(tape):
    session(tape.path, "all", 1, 2)

    def program(shell):
        shell.read(1)
        raise ZeroDivisionError("the program")

    with pytest.raises(ZeroDivisionError):
        tape.replay(VcrShell, program)


def test_a_divergence_tells_all_that_one_needs(tape):
    def program(shell, name="build"):
        shell.read(1)
        shell.run(Step(name, ("a",)), cwd=Path("/x"))

    tape.record(VcrShell, RealShell, program)
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrShell, lambda shell: program(shell, "bulid"))
    divergence, text = caught.value.divergence, str(caught.value)
    assert (divergence.boundary, divergence.method) == ("Shell", "run")
    assert divergence.event == 2  # as `vcr-gen cassette show` counts
    assert re.search(r"tape\.\w+:\d+", divergence.place)
    assert [found.path for found in divergence.differences] == ["step.name"]
    assert f"{Path(__file__).name}:" in divergence.call_site
    assert (divergence.kind, divergence.line) == ("argument", divergence.due.line)
    place = divergence.place.removeprefix(f"{Path.cwd()}/")
    for part in ("build", "bulid", place, divergence.call_site, divergence.hint):
        assert part in text


def test_a_secret_is_in_no_message(tape):
    tape.record(VcrShell, RealShell, lambda shell: shell.login("me", "hunter2"))
    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrShell, lambda shell: shell.login("you", "hunter3"))
    assert "hunter" not in str(caught.value)
    assert "hunter" not in repr(caught.value.divergence)


def test_a_replay_in_which_nothing_can_move_ends_at_once(tape):
    async def program(shell, forget=False):
        task = asyncio.create_task(shell.arun("one", 0.001))
        if not forget:
            await shell.arun("two", 0.002)
        await task

    tape.record(VcrShell, RealShell, program)
    started = time.perf_counter()
    with pytest.raises((DivergenceError, UnusedEventsError)):
        tape.replay(VcrShell, lambda shell: program(shell, forget=True))
    assert time.perf_counter() - started < 5


def test_a_failing_test_is_not_hidden_by_what_its_end_cancels(tape):
    async def program(shell, fail=False):
        slow = asyncio.create_task(shell.arun("slow", 0.05))
        await shell.arun("fast", 0.001)
        assert not fail, "the test's own failure"
        await slow

    tape.record(VcrShell, RealShell, program)
    with pytest.raises(AssertionError, match="the test's own failure") as failed:
        tape.replay(VcrShell, lambda shell: program(shell, fail=True))
    assert "was cancelled" in "".join(failed.value.__notes__)
