"""Random concurrent programs replay to the log that they had when they were recorded."""

import os
from functools import partial
from pathlib import Path

import pytest
import uvloop

from concurrency import anyio_programs
from concurrency.asyncio_programs import Shape, build, run
from concurrency.sessions import record, replay, run_on

COUNT = int(os.environ.get("VCR_GEN_PROGRAMS", "2000"))
"""How many programs there are in all; `make test-long` tries ten times as many."""

SHAPES = {
    "calls alone": Shape(timers=False, cancellations=False),
    "timers": Shape(cancellations=False),
    "cancellations": Shape(timers=False),
    "timers and cancellations": Shape(),
    "executor jobs": Shape(threads=True),
}
BLOCKS = 8
"""How many tests share the programs of a shape, so that they can run side by side."""


@pytest.mark.parametrize("block", range(BLOCKS))
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_random_programs_replay_to_the_identical_log(shape: Shape, block: int, tape: Path) -> None:
    for seed in range(block, COUNT // len(SHAPES), BLOCKS):
        program = build(seed, shape)

        recorded = record(tape, partial(run, program))
        replayed = replay(tape, partial(run, program))

        assert recorded == replayed, f"seed {seed}"


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_so_do_they_on_uvloop(shape: Shape, tape: Path) -> None:
    for seed in range(COUNT // 40):
        program = build(seed, shape)

        recorded = record(tape, partial(run, program), loop_factory=uvloop.new_event_loop)
        replayed = replay(tape, partial(run, program), loop_factory=uvloop.new_event_loop)

        assert recorded == replayed, f"seed {seed}"


@pytest.mark.parametrize("backend", ["trio", "asyncio"])
def test_so_do_programs_on_anyio(backend: str, tape: Path) -> None:
    """In which order anyio cancels several tasks on asyncio is chance: it keeps them in a set."""
    for seed in range(COUNT // 10):
        program = anyio_programs.build(seed, crowds=backend == "trio")

        recorded = run_on(backend, tape, "all", partial(anyio_programs.run, program))
        replayed = run_on(backend, tape, "none", partial(anyio_programs.run, program))

        assert recorded == replayed, f"seed {seed}"
