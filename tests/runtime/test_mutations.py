"""Strictness, proven by mutation: every single change of a program or of a file is noticed.

A mutant is *caught* when the replay ends with an error of ours, or when the application itself saw
something else than when it was recorded. `EQUIVALENT` lists what may differ unnoticed, and why.

A few thousand mutants are tried, the same ones each time; all of them with `VCR_GEN_ALL_MUTANTS=1`.
"""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from mutants import File, Mutant, Watch, mutants, orders, reordered, sample, watching
from mutation_sessions import SESSIONS
from mutation_sessions.threads import THREADS, in_pool

from vcr_gen import DivergenceError, VcrError
from vcr_gen.errors import CassetteFormatError

CASES = pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.name)
EVERY = os.environ.get("VCR_GEN_ALL_MUTANTS") == "1"
CAUGHT, EQUAL, SURVIVED = "caught", "equivalent", "SURVIVED"

EQUIVALENT = {
    "time": "`at`, `took`, `timers`, `after` and `rounds` set the clock of a replay and its pace; "
    "when something happened is no claim about what happened",
    "recorded_at": "it says when, and counts only against a maximum age",
    "signature": "the signatures in the head explain failures in words; compared are the events",
    "anchor": "a name left out of `anchors` only loses the check that it is declared; the texts "
    "still name it",
    "number": "a call's number is its name: another one that is free is as good",
    "within": "it repeats for readers what the strand says",
    "strand": "strands are found again by what they do, so that renamed tasks and pools replay; "
    "of what the environment does, the strand is only told to readers",
    "begins": "it helps to find a thread or a job again that begins with the same call as another",
    "lock": "locks are no boundary: where a program takes them otherwise they are left alone, and "
    "their calls are still asserted",
    "secret": "a secret is compared redacted: whatever stands in its place is the same",
    "rules": "the header tells what was loosened; what counts is what the program says now",
    "volatile": "a volatile value is told and not compared",
    "exit": "Python ignores what `__exit__` returns without an exception, and takes None for False",
    "threads": "an answer to a thread may change places with what another thread does: each sees "
    "what it saw, and which of the two runs on first is the system's affair, or that of locks",
    "early": "the application may do something before an event of the environment that was "
    "recorded first: each side is checked in its own order, and both orders are still right",
}


@pytest.fixture(scope="module")
def tally() -> Iterator[Counter[str]]:
    """Counts mutants over the whole module, and tells the kill rate at its end."""
    counts: Counter[str] = Counter()
    yield counts
    real = counts[CAUGHT] + counts[SURVIVED]
    rate = 100 * counts[CAUGHT] / max(1, real)
    reasons = ", ".join(f"{word} {counts[word]}" for word in EQUIVALENT if counts[word])
    print(f"\n{real} mutants, {rate:.2f} % caught; equivalent: {reasons}")
    assert not counts[SURVIVED]


def outcome(replay, *arguments):
    """What a replay came to: what the application saw, or the error that ended it."""
    try:
        return replay(*arguments)
    except (VcrError, DivergenceError):
        return "an error of ours"
    except BaseException as error:
        return f"the application ended with {error!r}"


def reason_for(mutant: Mutant, original: File) -> str:
    """Why a mutant may pass unnoticed; empty where it must be caught."""
    match mutant.where:
        case ("events", _, "at" | "took" | "clock" | "after" | "rounds"):
            return "time"
        case ("events", _, "timers", *_):
            return "time"
        case ("events", _, "items", _, "at") | ("events", _, "closed_at" | "ended_at"):
            return "time"
        case ("events", _, "strand" | "within" | "begins" as key):
            return key
        case ("events", int(number)) if mutant.what == "swap two entries":
            moved = original.events[number - 1]
            if application_drives(moved, original):
                return "early"
            return "threads" if in_two_threads(moved, original.events[number], original) else ""
        case ("events", int(number), "call") if mutant.what == "change a value":
            return "number"
        case ("events", _, "args", "token") if mutant.what == "change a value":
            return "secret"
        case ("events", _, "args", "at"):
            return "volatile"
        case ("events", int(number), "returned"):
            event = original.events[number]
            ignored = event.get("args", {}).get("exception") is None or not event["returned"]
            return "exit" if event.get("of") == "manager.exit" and ignored else ""
        case ("header", "recorded_at"):
            return "recorded_at"
        case ("header", "anchors", *_):
            return "anchor" if mutant.what.startswith("delete") else ""
        case ("header", "boundaries", *_):
            return "signature"
        case ("header", "rules", *_):
            return "rules"
    return ""


def in_two_threads(one, other, file: File) -> bool:
    """Whether two entries belong to two different threads or jobs of a pool.

    What a callback does that came from a thread is that thread's; the main thread is one, too.
    """
    strands = {event["call"]: event.get("strand", "0") for event in file.events if "call" in event}
    threads = {event["strand"] for event in file.events if "begins" in event}
    inbound = (event["call"] for event in file.events if "inbound" in event)
    called = {f"@{call}" for call in inbound if strands[call] in threads}
    both = {strands[entry[next(iter(entry))]] for entry in (one, other)}
    return len(both) == 2 and both <= threads | called | {"0"}


def application_drives(entry, file: File) -> bool:
    """Whether an entry begins or ends with something that the application does."""
    inbound = {event["call"]: "inbound" in event for event in file.events if "call" in event}
    if "call" in entry:
        return True  # one side begins it, and the other ends it, if it ends here
    word = next(iter(entry))
    answers = word in ("item", "end")
    return answers == inbound[entry[word]]


@pytest.fixture(autouse=True)
def _quiet(caplog):
    """Loops that end with an error log what else was under way in them."""
    caplog.set_level("CRITICAL")


@CASES
def test_every_change_of_the_file_is_caught(session, tmp_path, tally):
    path = tmp_path / "tape.jsonl"
    recorded = session.record(path)
    original = File.read(path)
    every = list(mutants(original))
    chosen = every if EVERY else sample(every, 130, session.name)
    survived = []
    for number, mutant in enumerate(chosen):
        target = tmp_path / ("mutant.yaml" if number % 3 == 0 else "mutant.jsonl")
        mutant.file.write(target)
        if outcome(session.replay, target) != recorded:
            tally[CAUGHT] += 1
        elif reason := reason_for(mutant, original):
            tally[reason] += 1
        else:
            tally[SURVIVED] += 1
            survived.append((mutant.what, mutant.where))
    assert survived == []


@CASES
@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
def test_every_truncation_of_the_file_is_caught(session, tmp_path, tally, ending):
    path, target = tmp_path / f"tape.{ending}", tmp_path / f"cut.{ending}"
    session.record(path)
    whole = path.read_bytes()
    lines = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    cuts = sample([*lines[:-1], *range(1, len(whole) - 1, 97)], 40, session.name)
    for cut in cuts:
        target.write_bytes(whole[:cut])
        with pytest.raises(CassetteFormatError):
            session.replay(target)
        tally[CAUGHT] += 1


@CASES
def test_every_change_of_what_the_program_says_is_caught(session, tmp_path, tally):
    path = tmp_path / "tape.jsonl"
    session.record(path)
    plain = Watch()
    with watching(plain):
        session.replay(path)
    changes = [(at, variant) for at, room in enumerate(plain.variants) for variant in range(room)]
    assert changes
    survived = []
    for at, variant in changes if EVERY else sample(changes, 80, session.name):
        with watching(Watch(at=at, variant=variant)):
            if outcome(session.replay, path) == "an error of ours":
                tally[CAUGHT] += 1
            else:
                tally[SURVIVED] += 1
                survived.append((plain.names[at], variant))
    assert survived == []


@CASES
def test_every_dropped_repeated_or_swapped_step_is_caught(session, tmp_path, tally):
    path = tmp_path / "tape.jsonl"
    session.record(path)
    survived = []
    for what, steps in orders(session.steps):
        if outcome(session.replay, path, steps) == "an error of ours":
            tally[CAUGHT] += 1
        else:
            tally[SURVIVED] += 1
            survived.append(what)
    assert survived == []


@pytest.mark.parametrize("workers", [1, 2])
def test_every_change_of_order_inside_a_job_is_caught(workers, tmp_path, tally):
    path = tmp_path / "tape.jsonl"
    calls = ("a", "b", "c", "d")
    session = replace(THREADS[0], steps=(in_pool(*calls, workers=workers),))
    session.record(path)
    survived = []
    for changed in reordered(calls):
        steps = (in_pool(*changed, workers=workers),)
        if outcome(session.replay, path, steps) == "an error of ours":
            tally[CAUGHT] += 1
        else:
            tally[SURVIVED] += 1
            survived.append(changed)
    assert survived == []
