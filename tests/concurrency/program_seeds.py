"""The seeds of random programs: a few hundred in `make test`, thousands in `make test-slow`."""

import os
from typing import Any, Final

import pytest

FEW: Final = 400
MANY: Final = int(os.environ.get("VCR_GEN_PROGRAMS", "4000"))
"""How many programs there are in all; `make test-long` sets more."""
BLOCKS: Final = 8
"""How many tests share the programs of the slow tier, so that they can run side by side."""


def seed_blocks(share: int) -> list[Any]:
    """The seeds of one in `share` programs, in blocks; all blocks but the first are slow."""
    few, many = FEW // share, MANY // share
    slow = [
        pytest.param(range(few + block, many, BLOCKS), id=f"more, {block}", marks=pytest.mark.slow)
        for block in range(BLOCKS)
    ]
    return [pytest.param(range(few), id=f"first {few}"), *slow]
