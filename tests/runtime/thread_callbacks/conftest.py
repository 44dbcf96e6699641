"""One tape for each test, and no thread that outlives it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from taping import Tape

pytest.register_assert_rewrite("broker")


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    """In one format: threads are the same in both, and each test replays many times."""
    return Tape(tmp_path / "tape.jsonl")


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    """What a test started must end with it, also where it fails."""
    before = set(threading.enumerate())
    yield
    left = set(threading.enumerate()) - before
    for thread in left:
        thread.join(30)
    assert [thread for thread in left if thread.is_alive()] == []
