"""Cassettes of concurrent programs that an earlier version recorded still replay.

`freeze_programs.py` recorded them once. They stay as they are: changing them would hide that old
cassettes no longer replay.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from concurrency.frozen_programs import IN_A_LOOP, IN_THREADS
from concurrency.sessions import replay
from concurrency.thread_sessions import session

FROZEN = Path(__file__).parent / "frozen"


def frozen_path(program: Callable[[Any], Any]) -> Path:
    """The cassette of a program."""
    return FROZEN / f"{program.__name__}.yaml"


def seen_path(cassette: Path) -> Path:
    """The file that holds the log that the program had when the cassette was recorded."""
    return cassette.with_suffix(".seen.json")


def _seen(program: Callable[[Any], Any]) -> Any:
    return json.loads(seen_path(frozen_path(program)).read_text("utf-8"))


@pytest.mark.parametrize("program", IN_A_LOOP)
def test_a_frozen_program_in_a_loop_replays(program: Callable[[Any], Any]) -> None:
    assert _seen(program) == replay(frozen_path(program), program)


@pytest.mark.parametrize("program", IN_THREADS)
def test_a_frozen_program_in_threads_replays(program: Callable[[Any], Any]) -> None:
    assert _seen(program) == session(frozen_path(program), "none", program)
