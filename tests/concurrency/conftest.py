"""Wrappers of the world that the programs of these tests live in."""

from pathlib import Path

import pytest

from wrapping import wrap_package

_WRAPPERS = wrap_package(Path(__file__).parent / "world")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Where a test records."""
    return tmp_path / "tape.yaml"
