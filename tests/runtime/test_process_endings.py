"""Exceptions that end a process, and come from a tape: a program that catches them replays."""

import asyncio
import os
import subprocess
import sys

import pytest
from sample.bridges import RealFeed, RealShell
from vcr_sample import VcrFeed, VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import ReplayError, UnusedEventsError


class EndingShell(RealShell):
    """Ends whoever asks."""

    def fail(self, kind):
        raise {"exit": SystemExit(0), "ctrl-c": KeyboardInterrupt()}[kind]


@pytest.mark.parametrize("kind", ["exit", "ctrl-c"])
def test_one_that_is_caught_is_an_answer_like_any_other(tape, kind):
    def program(shell):
        with pytest.raises((SystemExit, KeyboardInterrupt)) as caught:
            shell.fail(kind)
        return type(caught.value)

    assert issubclass(tape.same(VcrShell, EndingShell, program), BaseException)


@pytest.mark.parametrize("kind", ["exit", "ctrl-c"])
def test_one_that_is_not_caught_fails_the_replay(tape, kind):
    def program(shell, *, catches):
        try:
            shell.fail(kind)
        except (SystemExit, KeyboardInterrupt):
            if not catches:
                raise

    tape.record(VcrShell, EndingShell, lambda shell: program(shell, catches=True))
    with pytest.raises(ReplayError, match=r"Shell\.fail raised .*did not catch it"):
        tape.replay(VcrShell, lambda shell: program(shell, catches=False))


def test_one_that_ends_a_stream_or_a_task_fails_the_replay_too(tape):
    class EndingFeed(RealFeed):
        def lines(self, name):
            yield "a"
            sys.exit(0)

        async def alines(self, name):
            yield "a"
            sys.exit(0)

    def program(feed, *, catches=True):
        try:
            list(feed.lines("x"))
        except SystemExit:
            if not catches:
                raise

    tape.record(VcrFeed, EndingFeed, program)
    tape.replay(VcrFeed, program)
    with pytest.raises(ReplayError, match=r"Feed\.lines raised SystemExit\(0\)"):
        tape.replay(VcrFeed, lambda feed: program(feed, catches=False))


async def read_async(shell, *, catches=True):
    try:
        await shell.afail("exit")
    except SystemExit:
        if not catches:
            raise


def test_one_that_ends_a_loop_fails_the_replay(tape):
    class EndingLater(RealShell):
        async def afail(self, kind):
            await asyncio.sleep(0)
            raise SystemExit(0)

    tape.record(VcrShell, EndingLater, read_async)
    tape.replay(VcrShell, read_async)
    with pytest.raises(ReplayError, match=r"Shell\.afail raised SystemExit\(0\)"):
        tape.replay(VcrShell, lambda shell: read_async(shell, catches=False))


SCRIPT = """
import sys
from sample.bridges import RealShell
from vcr_gen import Cassette
from vcr_sample import VcrShell

with Cassette(sys.argv[1], "none") as cassette:
    VcrShell.attach(cassette, RealShell).exit(0)
"""


def test_a_process_does_not_end_well_because_the_tape_says_so(tape):
    def program(shell):
        with pytest.raises(SystemExit):
            shell.exit(0)

    tape.record(VcrShell, RealShell, program)
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tape.path)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Shell.exit raised SystemExit(0), as recorded, but the program did not catch it" in (
        done.stderr
    )


def read_and_exit(path, code):
    with Cassette(path, "none") as cassette:
        VcrShell(cassette=cassette).read(1)
        sys.exit(code)


def test_a_program_that_exits_early_leaves_events_and_fails(tape):
    tape.record(VcrShell, RealShell, lambda shell: [shell.read(1), shell.read(2)])
    with pytest.raises(UnusedEventsError):
        read_and_exit(tape.path, 0)
    with pytest.raises(SystemExit):  # which the caller sees
        read_and_exit(tape.path, 3)
