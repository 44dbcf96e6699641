"""Programs that drop, add, alter or swap one call are caught, and soon."""

import random
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from concurrency.asyncio_programs import Shape, build, run
from concurrency.mutants import KINDS, Kind, Made, Mutant, Watched, swaps
from concurrency.program_seeds import seed_blocks
from concurrency.program_steps import Step
from concurrency.sessions import BOUND, record, replay
from vcr_gen.errors import DivergenceError, UnusedEventsError


@pytest.mark.parametrize("seeds", seed_blocks(10))
@pytest.mark.parametrize("kind", KINDS)
def test_every_program_that_makes_another_call_is_caught_within_the_bound(
    kind: Kind, seeds: Sequence[int], tape: Path
) -> None:
    for seed in seeds:
        program = build(seed, Shape(timers=seed % 2 == 0, repeats=False))
        made = _record(tape, program)
        changes = _choose(random.Random(seed), kind, made)
        if changes is None:
            continue

        began = time.monotonic()
        with pytest.raises(BaseException) as caught:  # noqa: PT011 - looked at below
            replay(tape, partial(_run_changed, program, kind, changes))

        assert time.monotonic() - began < BOUND, f"seed {seed}"
        assert _is_divergence(caught.value), f"seed {seed}"


def _is_divergence(error: BaseException) -> bool:
    """Whether an error is ours, or a task group's with nothing else in it."""
    if isinstance(error, BaseExceptionGroup):
        return all(_is_divergence(one) for one in error.exceptions)
    return isinstance(error, DivergenceError | UnusedEventsError)


async def _run_changed(
    program: Step, kind: Kind, changes: dict[int, Made], world: Any
) -> list[str]:
    return await run(program, Mutant(world, kind=kind, changes=changes))


def _record(tape: Path, program: Step) -> list[Made]:
    watched: list[Watched] = []

    async def main(world: Any) -> None:
        watched.append(Watched(world))
        await run(program, watched[0])

    record(tape, main)
    return watched[0].made


def _choose(chance: random.Random, kind: Kind, made: list[Made]) -> dict[int, Made] | None:
    """Which call to change, if the program has one that can be."""
    if kind == "swap":
        ways = swaps(made)
        return chance.choice(ways) if ways else None
    if not made:
        return None
    number = chance.randrange(len(made))
    return {number: made[number]}
