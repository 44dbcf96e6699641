"""Large projects are generated on several cores, with the same result."""

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from pickle import PicklingError

import pytest
from tests.benchmarks.project import make_project

from vcr_gen.gen.config_file import load_config
from vcr_gen.gen.cores import shares, spread
from vcr_gen.gen.pipeline import generate
from vcr_gen.gen.run import Request, plan_run


def where(_: int) -> int:
    return os.getpid()


def test_the_text_does_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    make_project(tmp_path, modules=70, methods=2)
    config = load_config(tmp_path)
    alone, together = generate(config, jobs=1), generate(config, jobs=2)
    assert alone.files == together.files
    assert alone.boundaries == together.boundaries
    assert len(shares(range(70), 2, worth=32)) == 2


def test_work_leaves_this_process_only_when_several_are_asked_for() -> None:
    assert set(spread(where, range(3), jobs=1)) == {os.getpid()}
    assert os.getpid() not in set(spread(where, range(3), jobs=2))


def called(task: Callable[[], int]) -> int:
    return task()


@pytest.mark.parametrize("start", [0, 10])
def test_forked_processes_are_sent_no_tasks(start: int) -> None:
    tasks = [lambda number=number: number for number in range(start, start + 5)]
    with pytest.raises((AttributeError, PicklingError)):
        pickle.dumps(tasks)
    assert list(spread(called, tasks, jobs=2)) == list(range(start, start + 5))


def test_progress_covers_reading_rendering_and_formatting(tmp_path: Path) -> None:
    make_project(tmp_path, modules=3, methods=1)
    seen: list[tuple[int, int]] = []
    request = Request(jobs=1, use_cache=False, progress=lambda *told: seen.append(told))
    plan_run(load_config(tmp_path), request)
    done = [one for one, _ in seen]
    assert done == sorted(done)
    assert done[0] < 20 < done[3] <= 80
    assert seen[-1] == (100, 100)


def test_a_program_with_threads_is_not_forked() -> None:
    release = threading.Event()
    waiting = threading.Thread(target=release.wait)
    waiting.start()
    try:
        assert list(spread(abs, [-1, -2, -3], jobs=2)) == [1, 2, 3]
    finally:
        release.set()
        waiting.join()


def test_a_small_project_starts_no_process(tmp_path: Path) -> None:
    make_project(tmp_path, modules=3, methods=1)
    program = (
        "import sys; from vcr_gen.cli import main; code = main(['-q', '-j', '8']); "
        "sys.exit(code or 3 * ('concurrent.futures.process' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)
    assert done.returncode == 0
