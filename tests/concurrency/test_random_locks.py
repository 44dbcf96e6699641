"""Random programs whose threads take locks come to what they came to."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from concurrency.lock_sessions import PATIENCE, Shared, in_threads, session

PROGRAMS = 160


@dataclass
class Made:
    """A random program of threads that take locks, and what each of them saw."""

    seed: int
    seen: dict[str, list[str]] = field(default_factory=dict)

    def run(self, world: Any, shared: Shared) -> Any:
        self.seen = {}
        chance = random.Random(self.seed)
        names = "abcdef"[: chance.randint(2, 6)]
        plans = [(name, chance.getrandbits(32)) for name in names]
        if chance.random() < 0.5:
            with ThreadPoolExecutor(len(plans)) as pool:
                list(pool.map(lambda plan: self._work(world, shared, *plan), plans))
        else:
            in_threads(*(lambda plan=plan: self._work(world, shared, *plan) for plan in plans))
        return self.seen, shared.logs

    def _work(self, world: Any, shared: Shared, name: str, seed: int) -> None:
        chance = random.Random(seed)
        mine = self.seen.setdefault(name, [])
        for number in range(6):
            step = chance.randrange(6)
            which = chance.randrange(4)
            lock, guarded = shared.lock(which), shared.logs[which]
            key = f"{name}{number}"
            match step:
                case 0:
                    mine.append(world.peek(key))
                case 1:
                    with lock:
                        mine.append(world.peek(key))
                        guarded.append(key)
                case 2:
                    with lock:
                        guarded.append(key)
                        mine.append(str(guarded))
                case 3:
                    with shared.again, shared.again:
                        shared.logs[3].append(key)
                        mine.append(world.peek(f"{shared.logs[3]}"))
                case 4:
                    taken = lock.acquire(blocking=False)
                    mine.append(f"{taken}")
                    if taken:
                        mine.append(world.peek(key))
                        lock.release()
                case 5:
                    with shared.gate:
                        mine.append(world.peek(key))


@pytest.mark.parametrize("part", range(4))
def test_random_programs_with_locks_come_to_the_same(part: int, tape: Path) -> None:
    for number in range(PROGRAMS // 4):
        program = Made(part * PROGRAMS + number)
        recorded = session(tape, "all", lambda world, shared, made=program: made.run(world, shared))
        began = time.monotonic()
        replayed = session(
            tape, "none", lambda world, shared, made=program: made.run(world, shared)
        )
        assert recorded == replayed, program.seed
        assert time.monotonic() - began < PATIENCE
