"""A program that was rewritten, and does the same at its boundary, still replays."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from concurrency.asyncio_programs import Shape, Style, build, run
from concurrency.program_seeds import seed_blocks
from concurrency.sessions import record, replay

STILL = Shape(timers=False, cancellations=False, races=False, repeats=False)
"""Programs whose calls do not depend on who comes first, for rewriting changes just that.

No two of their calls are equal: which task made which could not be told after a rewriting.
"""
SHAPES = {
    "without timers": STILL,
    "with timers and time-outs": replace(STILL, timers=True),
}
STYLES = {
    "extra yields": Style(yields=True),
    "steps in tasks": Style(tasks=True),
    "task groups for gathers": Style(groups=True),
    "executor jobs of pure work": Style(more_jobs=True),
    "all but jobs at once": Style(yields=True, tasks=True, groups=True),
}


@pytest.mark.parametrize("seeds", seed_blocks(40))
@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_old_cassette_replays_the_rewritten_program(
    shape: Shape, style: Style, seeds: Sequence[int], tape: Path
) -> None:
    for seed in seeds:
        program = build(seed, shape)
        record(tape, partial(run, program))

        replay(tape, partial(run, program, style=style))


def test_pure_work_that_leaves_or_enters_an_executor_changes_nothing(tape: Path) -> None:
    def program(*, before: bool, after: bool) -> Any:
        async def work(on_executor: bool) -> int:
            return await asyncio.to_thread(sum, [1, 2]) if on_executor else sum([1, 2])

        async def one(world: Any, key: str) -> list[str]:
            log = [await world.fetch(key), str(await work(before))]
            return [*log, await world.fetch(f"{key} again"), str(await work(after))]

        async def main(world: Any) -> Any:
            return await asyncio.gather(*(one(world, key) for key in "abc"))

        return main

    choices = [(before, after) for before in (True, False) for after in (True, False)]
    for before, after in choices:
        recorded = record(tape, program(before=before, after=after))
        for now_before, now_after in choices:
            replayed = replay(tape, program(before=now_before, after=now_after))
            assert recorded == replayed
