"""Wrappers of the world that the programs of these tests live in."""

import gc
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from wrapping import wrap_package

_WRAPPERS = wrap_package(Path(__file__).parent / "world")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Where a test records."""
    return tmp_path / "tape.yaml"


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
