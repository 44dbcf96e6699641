"""A program that was rewritten, and does the same at its boundary, still replays."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from concurrency.programs import Shape, Style, build, run
from concurrency.sessions import record, replay

COUNT = int(os.environ.get("VCR_GEN_PROGRAMS", "2000")) // 20
"""How many programs are rewritten in each way."""
STILL = Shape(cancellations=False, races=False)
"""Programs whose calls do not depend on who comes first: rewriting changes just that."""
STYLES = {
    "extra yields": Style(yields=True),
    "steps in tasks": Style(tasks=True),
    "task groups for gathers": Style(groups=True),
    "more executor jobs": Style(more_jobs=True),
    "fewer executor jobs": Style(fewer_jobs=True),
    "all at once": Style(yields=True, tasks=True, groups=True, fewer_jobs=True),
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_the_old_cassette_replays_the_rewritten_program(style: Style, tape: Path) -> None:
    for seed in range(COUNT):
        program = build(seed, replace(STILL, threads=seed % 2 == 0))
        record(tape, lambda world: run(program, world))

        replay(tape, lambda world: run(program, world, style))
