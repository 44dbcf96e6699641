"""Wrappers of the sample package, made once by the real generator, and tapes to use them on."""

from pathlib import Path

import pytest
from wrapping import wrap_package

pytest.register_assert_rewrite("taping")
from taping import Tape  # noqa: E402 - after the registration

_WRAPPERS = wrap_package(Path(__file__).parent / "sample")


@pytest.fixture(params=["yaml", "jsonl"])
def tape(tmp_path: Path, request: pytest.FixtureRequest) -> Tape:
    """A tape in each format."""
    return Tape(tmp_path / f"tape.{request.param}")
