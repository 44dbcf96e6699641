"""A call that nothing overlaps takes a short way through a replay."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from sample.bridges import RealShell
from vcr_sample import VcrShell

import vcr_gen
from vcr_gen import Cassette, DivergenceError

_PACKAGE = str(Path(vcr_gen.__file__).parent)


def crossed(call: Callable[[], Any]) -> set[str]:
    """The modules of ours that a call runs code of."""
    modules: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(_PACKAGE):
            modules.add(path.removeprefix(_PACKAGE))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return modules


def test_a_plain_call_crosses_few_modules_and_makes_nobody_wait(tape):
    def program(shell):
        for _ in range(3):  # the first call of a strand finds out which recorded strand it is
            shell.tell("hello")
        return crossed(lambda: shell.tell("hello"))

    tape.record(VcrShell, RealShell, program)
    modules = tape.replay(VcrShell, program)

    assert len(modules) <= 25, sorted(modules)
    assert "/runtime/replay/waiters.py" not in modules
    assert "/runtime/replay/decide.py" not in modules


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
