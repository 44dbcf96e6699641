"""Measures a recorded and a replayed call, against a naive recorder in the same run.

The naive recorder is what people write first: it dumps each call as a line of JSON, and in a replay
compares the arguments with the next line of a list it loaded. It knows no types, no order, no
streams, and does not survive a crash.

Run: .venv/bin/python tests/benchmarks/bench_runtime.py [CALLS ...]
"""

import asyncio
import json
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import random
from threading import Barrier, Thread
from time import process_time, sleep
from typing import Any
from unittest.mock import patch

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "runtime")]

from wrapping import wrap_package  # noqa: E402 - found through the path above

_WRAPPERS = wrap_package(HERE.parent / "runtime" / "sample")

from sample.bridges import RealShell  # noqa: E402 - as are these
from sample.models import Result, Step  # noqa: E402
from vcr_sample import VcrShell  # noqa: E402

from vcr_gen import Cassette  # noqa: E402
from vcr_gen.runtime.loops.session_loops import Loops  # noqa: E402
from vcr_gen.runtime.replay.engine import Engine  # noqa: E402
from vcr_gen.runtime.tape.events import Event  # noqa: E402

ROOT = Path("/work")


def program(shell: Any, count: int) -> None:
    """A program that calls its shell."""
    for number in range(count):
        step = Step(f"step {number}", ("build", "test"), {"cpu": number})
        shell.run(step, cwd=ROOT)


class NaiveShell:
    """Dumps each call as JSON, or reads it back."""

    def __init__(self, path: Path, real: RealShell | None) -> None:
        self._real = real
        self._lines: list[Any] = []
        self._next = 0
        if real is None:
            self._lines = [json.loads(line) for line in path.read_text().splitlines()]
        else:
            self._file = path.open("w")

    def run(self, step: Step, *, cwd: Path) -> Result:
        """One call."""
        arguments = {"step": asdict(step), "cwd": str(cwd)}
        arguments["step"]["level"] = step.level.value
        if self._real is None:
            recorded = self._lines[self._next]
            self._next += 1
            assert recorded["args"] == json.loads(json.dumps(arguments))
            return Result(**recorded["result"])
        result = self._real.run(step, cwd=cwd)
        stored = {"code": result.code, "out": result.out, "log": str(result.log)}
        json.dump({"of": "run", "args": arguments, "result": stored}, self._file)
        self._file.write("\n")
        self._file.flush()
        return result


def seconds(work: Callable[..., object], *arguments: object) -> float:
    """CPU time of one call."""
    started = process_time()
    work(*arguments)
    return process_time() - started


def record(path: Path, count: int) -> None:
    """Record a session of `count` calls."""
    with Cassette(path, "all") as cassette:
        program(VcrShell(cassette=cassette, inner=RealShell()), count)


def replay(path: Path, count: int) -> None:
    """Replay it."""
    with Cassette(path, "none") as cassette:
        program(VcrShell(cassette=cassette), count)


def record_naively(path: Path, count: int) -> None:
    """Record it as people do first."""
    program(NaiveShell(path, RealShell()), count)


def replay_naively(path: Path, count: int) -> None:
    """Replay that."""
    program(NaiveShell(path, None), count)


def peak(work: Callable[..., object], *arguments: object) -> float:
    """The most memory that a call allocates, in MiB."""
    tracemalloc.start()
    try:
        work(*arguments)
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def in_loop(work: Callable[..., Coroutine[Any, Any, None]], *arguments: object) -> float:
    """CPU time of a coroutine in a loop of its own."""
    return seconds(asyncio.run, work(*arguments))


async def synchronously(work: Callable[..., object], *arguments: object) -> None:
    """Calls that are not asynchronous, in a loop with whose turns a session reckons."""
    work(*arguments)


async def one_by_one(path: Path, mode: str, count: int) -> None:
    """A session of asynchronous calls, each awaited before the next one is made."""
    with Cassette(path, mode) as cassette:
        shell = VcrShell.attach(cassette, RealShell)
        for number in range(count):
            await shell.arun(f"step {number}")


@contextmanager
def without_turns() -> Iterator[None]:
    """The plain path: the same session, in which every answer enters as soon as it is there."""

    async def at_once(engine: Engine, call: int) -> Event:
        return engine.hear(call)

    with (
        patch.object(Loops, "hook", lambda *_, **__: None),
        patch.object(Engine, "hear_async", at_once),
    ):
        yield


async def overlapping(path: Path, mode: str, count: int, at_once: int) -> None:
    """A session of `count` asynchronous calls, so many of them at a time."""
    with Cassette(path, mode) as cassette:
        shell = VcrShell.attach(cassette, RealShell)
        for start in range(0, count, at_once):
            await asyncio.gather(*(shell.arun(f"{start} {n}") for n in range(at_once)))


def turns(path: Path, count: int = 4_000) -> bool:
    """Print what concurrency costs who does not need it, and who does; whether limits hold."""
    holds = True
    for name, work in (("record", record), ("replay", replay)):
        ratio = least(
            partial(in_loop, synchronously, work, path, count), partial(seconds, work, path, count)
        )
        holds &= shown(f"{name} of synchronous calls in a loop / without one", ratio, 1.10)
    for mode, name in (("all", "record"), ("none", "replay")):
        session = partial(in_loop, one_by_one, path, mode, count)
        ratio = least(session, without_turns()(session))
        holds &= shown(f"{name} of asynchronous calls, one by one / without turns", ratio, 1.10)
    for mode, name in (("all", "record"), ("none", "replay")):
        costs = {}
        for at_once in (10, 100, 1_000):
            if mode == "none":
                in_loop(overlapping, path, "all", count, at_once)
            runs = [in_loop(overlapping, path, mode, count, at_once) for _ in range(3)]
            costs[at_once] = min(runs) / count
        rows = ", ".join(f"{at_once}: {cost * 1e6:.1f}" for at_once, cost in costs.items())
        print(f"{name} of overlapping calls, µs per call by how many at a time: {rows}")
        growth = costs[1_000] / costs[10]
        holds &= shown(f"{name} of a call, a thousand at a time / ten at a time", growth, 1.5)
    return holds


class SlowShell(RealShell):
    """Answers that take a while, so that the calls of all threads overlap."""

    def run(self, step: Step, *, cwd: Path, timeout: float = 1.0) -> Result:
        """One call."""
        sleep(0.002 * random())
        return super().run(step, cwd=cwd, timeout=timeout)


def in_threads(path: Path, mode: str, count: int, threads: int, *, share: bool) -> float:
    """CPU time of `count` calls in threads, which share the work or have some of their own each.

    The threads themselves, and opening the cassette, are not counted.
    """
    steps = [Step(f"step {number}") for number in range(count)]
    shared = iter(steps)
    begin, end = Barrier(threads + 1), Barrier(threads + 1)

    with Cassette(path, mode) as cassette:
        shell = VcrShell.attach(cassette, SlowShell)

        def work(number: int) -> None:
            begin.wait()
            for step in shared if share else steps[number::threads]:
                shell.run(step, cwd=ROOT)
            end.wait()

        crew = [Thread(target=work, args=(number,)) for number in range(threads)]
        for thread in crew:
            thread.start()
        begin.wait()
        started = process_time()
        end.wait()
        cost = process_time() - started
        for thread in crew:
            thread.join()
        return cost


def many_threads(path: Path, count: int = 2_048) -> bool:
    """Print what a call costs by the number of threads that make calls; whether limits hold."""
    holds = True
    for mode, name, share, limit in (
        ("all", "recorded call", False, 2.0),
        ("none", "replayed call", False, 2.0),
        ("none", "replayed call of shared work", True, 2.5),
    ):
        costs = {}
        for threads in (2, 32, 128):
            if mode == "none":
                in_threads(path, "all", count, threads, share=share)
            runs = [in_threads(path, mode, count, threads, share=share) for _ in range(5)]
            costs[threads] = min(runs) / count
        rows = ", ".join(f"{threads}: {cost * 1e6:.1f}" for threads, cost in costs.items())
        print(f"{name}, µs by how many threads make calls: {rows}")
        growth = costs[128] / costs[2]
        holds &= shown(f"{name}, 128 threads / 2 threads", growth, limit)
    return holds


def least(one: Callable[[], float], other: Callable[[], float]) -> float:
    """How the cheapest runs of two compare: what else the machine does only adds to a run."""
    pairs = [(one(), other()) for _ in range(7)]
    return min(cost for cost, _ in pairs) / min(cost for _, cost in pairs)


def shown(label: str, ratio: float, limit: float) -> bool:
    """Print a ratio beside its limit; whether that holds."""
    verdict = "holds" if ratio <= limit else "BROKEN"
    print(f"{label:<60} {ratio:8.2f}  <= {limit:<5g} {verdict}", flush=True)
    return ratio <= limit


def calls(tape: Path, naive: Path, count: int = 3_000) -> bool:
    """Print what a call costs against a naive one, and what a short session costs."""
    holds = True
    most = {".jsonl": 2.0, ".yaml": 3.0}[tape.suffix]
    for name, work, other, limit in (
        ("recorded", record, record_naively, 1.5),
        ("replayed", replay, replay_naively, most),
    ):
        ratio = least(partial(seconds, work, tape, count), partial(seconds, other, naive, count))
        holds &= shown(f"{name} call, {tape.suffix} / naive", ratio, limit)
    for name, work in (("record", record), ("replay", replay)):
        cost = min(seconds(work, tape, 1) for _ in range(20)) * 1e3
        if name == "record":
            record(tape, 1)
        holds &= shown(f"{name} of a single call, {tape.suffix}, ms in all", cost, 2.5)
    return holds


def main(counts: list[int]) -> int:
    """Print microseconds per call and ratios; 1 when a limit is broken."""
    print("µs per call   calls    record    replay  naive rec  naive rep  ratios")
    with tempfile.TemporaryDirectory() as folder:
        naive = Path(folder) / "naive.jsonl"
        tapes = [Path(folder) / f"tape.{ending}" for ending in ("jsonl", "yaml")]
        for count in counts:
            baseline = [
                seconds(record_naively, naive, count),
                seconds(replay_naively, naive, count),
            ]
            for tape in tapes:
                costs = [seconds(record, tape, count), seconds(replay, tape, count), *baseline]
                row = "  ".join(f"{cost / count * 1e6:8.1f}" for cost in costs)
                ratios = f"{costs[0] / costs[2]:.1f} x, {costs[1] / costs[3]:.1f} x"
                print(f"{tape.suffix:8} {count:10}  {row}   {ratios}", flush=True)
        for tape in tapes:
            for count in (1_000, 10_000):
                record(tape, count)
                print(
                    f"replay of {count} calls, {tape.suffix}: {peak(replay, tape, count):.2f} MiB"
                )
        broken = [tape for tape in tapes if not calls(tape, naive)]
        holds = [turns(tapes[0]), many_threads(tapes[0]), not broken]
        return 0 if all(holds) else 1


if __name__ == "__main__":
    sys.exit(main([int(argument) for argument in sys.argv[1:]] or [1_000, 10_000, 100_000]))
