"""Record, then replay, is the identity: for random sessions with random values."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample.bridges import RealShell
from sample.models import Level, Result, Step
from vcr_sample import VcrShell

from vcr_gen import Cassette, DivergenceError, VcrError
from vcr_gen.errors import EncodeError

TEXT = st.text(max_size=12)
NUMBERS = st.integers(-(2**70), 2**70)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | TEXT | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(TEXT, inner, max_size=3)
    | st.tuples(inner, inner),
    max_leaves=8,
)
STEPS = st.builds(
    Step,
    name=TEXT,
    tags=st.lists(TEXT, max_size=3).map(tuple),
    limits=st.dictionaries(TEXT, st.none() | st.integers(), max_size=3),
    level=st.sampled_from(Level),
)
PATHS = st.lists(st.sampled_from(["a", "b.c", "d e", "é"]), max_size=3).map(lambda p: Path(*p))
CALLS = st.one_of(
    st.tuples(st.just("run"), STEPS, PATHS),
    st.tuples(st.just("read"), st.integers() | TEXT),
    st.tuples(st.just("store"), st.lists(VALUES, max_size=4)),
    st.tuples(st.just("join"), st.lists(TEXT, max_size=3), st.integers()),
    st.tuples(st.just("fail"), st.sampled_from(["boom", "cause", "group", "file"])),
)


class Echo(RealShell):
    """Gives back what it was given, so that every value crosses both ways."""

    def run(self, step, *, cwd, timeout=1.0):
        return Result(len(step.tags), step.name, cwd)


def perform(shell, call):
    match call:
        case ("run", step, cwd):
            return shell.run(step, cwd=cwd)
        case ("join", parts, number):
            return shell.join(*parts, number=number)
        case (name, value):
            return getattr(shell, name)(value)


def session(path, mode, calls):
    """What each call came to."""
    log = []
    with Cassette(path, mode) as cassette:
        shell = VcrShell.attach(cassette, Echo)
        for call in calls:
            try:
                log.append(repr(perform(shell, call)))
            except VcrError:
                raise
            except Exception as error:
                log.append((type(error), str(error), repr(vars(error))))
    return log


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(calls=st.lists(CALLS, max_size=6), ending=st.sampled_from(["yaml", "jsonl"]))
def test_a_replay_tells_the_program_what_the_recording_told_it(tmp_path, calls, ending):
    path = tmp_path / f"tape.{ending}"
    recorded = session(path, "all", calls)
    assert session(path, "none", calls) == recorded
    assert session(path, "verify", calls) == recorded


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    calls=st.lists(CALLS, min_size=1, max_size=4),
    other=CALLS,
    position=st.integers(0, 3),
    ending=st.sampled_from(["yaml", "jsonl"]),
)
def test_another_call_at_any_place_is_noticed(tmp_path, calls, other, position, ending):
    path = tmp_path / f"tape.{ending}"
    position %= len(calls)
    changed = [*calls[:position], other, *calls[position + 1 :]]
    session(path, "all", calls)
    if repr(changed) == repr(calls):
        session(path, "none", changed)
        return
    with pytest.raises((DivergenceError, EncodeError)):
        session(path, "none", changed)
