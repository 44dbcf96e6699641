"""Random concurrent programs replay to the log that they had when they were recorded."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
import uvloop

from concurrency import anyio_programs
from concurrency.asyncio_programs import Shape, build, run
from concurrency.program_seeds import seed_blocks
from concurrency.sessions import record, replay, run_on

SHAPES = {
    "calls alone": Shape(timers=False, cancellations=False),
    "timers": Shape(cancellations=False),
    "cancellations": Shape(timers=False),
    "timers and cancellations": Shape(),
    "executor jobs": Shape(threads=True),
}


@pytest.mark.parametrize("seeds", seed_blocks(5))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_random_programs_replay_to_the_identical_log(
    shape: Shape, seeds: Sequence[int], tape: Path
) -> None:
    for seed in seeds:
        program = build(seed, shape)

        recorded = record(tape, partial(run, program))
        replayed = replay(tape, partial(run, program))

        assert recorded == replayed, f"seed {seed}"


@pytest.mark.parametrize("seeds", seed_blocks(10))
def test_so_do_programs_that_keep_their_loop_busy(seeds: Sequence[int], tape: Path) -> None:
    for seed in seeds:
        program = build(seed, Shape(computing=True))

        recorded = record(tape, partial(run, program))
        replayed = replay(tape, partial(run, program))

        assert recorded == replayed, f"seed {seed}"


@pytest.mark.parametrize("seeds", seed_blocks(40))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_so_do_they_on_uvloop(shape: Shape, seeds: Sequence[int], tape: Path) -> None:
    for seed in seeds:
        program = build(seed, shape)

        recorded = record(tape, partial(run, program), loop_factory=uvloop.new_event_loop)
        replayed = replay(tape, partial(run, program), loop_factory=uvloop.new_event_loop)

        assert recorded == replayed, f"seed {seed}"


@pytest.mark.parametrize("seeds", seed_blocks(10))
@pytest.mark.parametrize("backend", ["trio", "asyncio"])
def test_so_do_programs_on_anyio(backend: str, seeds: Sequence[int], tape: Path) -> None:
    """In which order anyio cancels several tasks on asyncio is chance: it keeps them in a set."""
    for seed in seeds:
        program = anyio_programs.build(seed, crowds=backend == "trio")

        recorded = run_on(backend, tape, "all", partial(anyio_programs.run, program))
        replayed = run_on(backend, tape, "none", partial(anyio_programs.run, program))

        assert recorded == replayed, f"seed {seed}"
