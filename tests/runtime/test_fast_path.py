"""A call that nothing overlaps takes a short way through a replay."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from sample.bridges import RealFeed, RealShell
from vcr_sample import VcrFeed, VcrShell

import vcr_gen
from vcr_gen import Cassette, DivergenceError

DECISIONS = {"/runtime/replay/decide.py", "/runtime/replay/session_view.py"}
REDACTION = {"/runtime/privacy/finder.py", "/runtime/privacy/redactor.py"}

_PACKAGE = str(Path(vcr_gen.__file__).parent)


@contextmanager
def crossing() -> Iterator[set[str]]:
    """The modules of ours that the body runs code of."""
    modules: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(_PACKAGE):
            modules.add(path.removeprefix(_PACKAGE))

    sys.setprofile(note)
    try:
        yield modules
    finally:
        sys.setprofile(None)


def crossed(call: Callable[[], Any]) -> set[str]:
    """The modules of ours that a call runs code of."""
    with crossing() as modules:
        call()
    return modules


def test_a_plain_call_crosses_few_modules_and_makes_nobody_wait(tape):
    def program(shell):
        for _ in range(3):  # the first call of a strand finds out which recorded strand it is
            shell.tell("hello")
        return crossed(lambda: shell.tell("hello"))

    tape.record(VcrShell, RealShell, program)
    modules = tape.replay(VcrShell, program)

    assert len(modules) <= 25, sorted(modules)
    assert not modules & DECISIONS


def test_a_stream_that_nothing_disturbs_waits_for_no_item_and_redacts_nothing(tape):
    def program(feed):
        list(feed.lines("abc"))  # the strand is known from here on
        return crossed(lambda: list(feed.lines("a/b://c")))

    tape.record(VcrFeed, RealFeed, program)
    modules = tape.replay(VcrFeed, program)

    assert "/runtime/replay/replayed_streams.py" in modules
    assert not modules & DECISIONS
    assert not modules & REDACTION


def test_an_asynchronous_call_with_the_recorded_arguments_is_not_redacted(tape):
    async def program(shell):
        await shell.arun("first")
        with crossing() as modules:
            await shell.arun("https://example.com/a/b")
        return modules

    tape.record(VcrShell, RealShell, program)
    modules = tape.replay(VcrShell, program)

    assert "/runtime/replay/replay_session.py" in modules
    assert not modules & REDACTION


def test_a_call_that_differs_is_reported(tape):
    tape.record(VcrShell, RealShell, lambda shell: [shell.tell("a"), shell.tell("b")])

    with pytest.raises(DivergenceError) as caught:
        tape.replay(VcrShell, lambda shell: [shell.tell("a"), shell.tell("c")])

    assert [found.path for found in caught.value.divergence.differences] == ["text"]


def test_calls_of_two_wrappers_are_told_apart(tape):
    def program(path: Path, mode: str, real: Any) -> None:
        with Cassette(path, mode) as cassette:
            first, second = (VcrShell.attach(cassette, real) for _ in range(2))
            for shell in (first, second, first):
                shell.tell("same")

    program(tape.path, "all", RealShell)
    program(tape.path, "none", RealShell)
