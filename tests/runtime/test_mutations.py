"""Strictness, proven by mutation: every single change of a program or of a file is noticed.

A mutant is *caught* when the replay ends with an error of ours, or when the application itself saw
something else than when it was recorded. What may differ unnoticed is listed below, with reasons.
"""

import traceback
from collections import Counter
from pathlib import Path

import pytest
from mutants import File, Mutant, Watch, mutants, orders, sample, watching
from sessions import SESSIONS

from vcr_gen import DivergenceError, VcrError

CASES = pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
TALLY: Counter[str] = Counter()
SURVIVED: list[str] = []

EQUIVALENT = {
    "time": "`at`, `took` and `timers` drive the clock of a replay; when something happened is no "
    "claim about what happened",
    "recorded_at": "it says when, and counts only against a maximum age",
    "signature": "the signatures in the head explain failures in words; what is compared are the "
    "events themselves",
}


def equivalent(mutant: Mutant) -> str:
    """Why a mutant may pass; empty where it must be caught."""
    where = mutant.where
    if where[0] == "events" and where[-1] in ("at", "took", "timers"):
        return "time"
    if where == ("header", "recorded_at") and mutant.what == "change a value":
        return "recorded_at"
    if where[:2] == ("header", "boundaries"):
        return "signature"
    return ""


def outcome(replay):
    """What a replay came to: what the application saw, or the error that ended it."""
    try:
        return "log", replay()
    except (VcrError, DivergenceError) as error:
        return "ours", error
    except BaseException as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return "other", f"{error!r} at {frame.filename}:{frame.lineno} in {frame.name}"


@CASES
def test_every_change_of_the_file_is_caught(session, tmp_path):
    path = tmp_path / "tape.jsonl"
    recorded = session.record(path)
    everything = list(mutants(File.read(path)))
    for format_, chosen in (("jsonl", everything), ("yaml", sample(everything, 60, session.name))):
        target = tmp_path / f"mutant.{format_}"
        for mutant in chosen:
            mutant.file.write(target)
            kind, seen = outcome(lambda: session.replay(target))
            judge(session, mutant, kind, seen, recorded)
    assert not SURVIVED


def judge(session, mutant, kind, seen, recorded):
    if kind == "ours" or (kind == "log" and seen != recorded) or kind == "other":
        TALLY["caught"] += 1
        return
    reason = equivalent(mutant)
    if reason:
        TALLY[reason] += 1
    else:
        SURVIVED.append(f"{session.name}: {mutant.what} {mutant.where}")
