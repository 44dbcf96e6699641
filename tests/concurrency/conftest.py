"""Wrappers of the world that the programs of these tests live in."""

import gc
import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from wrapping import wrap_package

for _helper in ("sessions", "thread_sessions"):
    pytest.register_assert_rewrite(f"concurrency.{_helper}")

_WRAPPERS = wrap_package(Path(__file__).parent / "world")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Where a test records."""
    return tmp_path / "tape.yaml"


@pytest.fixture
def quiet_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Say nothing of threads that a divergence ended."""
    monkeypatch.setattr(threading, "excepthook", lambda _: None)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Keep asyncio from logging every task that a divergence ended.

    It does so when the task is collected, whenever that is, and formats a traceback then: in the
    middle of the work of Python 3.11's parser, which does not bear it.
    """
    logger = logging.getLogger("asyncio")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    yield
    gc.collect()
    logger.setLevel(before)
