"""Exceptions that end a process, and come from a tape: a program that catches them replays."""

import sys

import pytest
from sample.bridges import RealShell
from vcr_sample import VcrShell

from vcr_gen import Cassette
from vcr_gen.errors import UnusedEventsError


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
