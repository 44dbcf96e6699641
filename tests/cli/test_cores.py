"""Large projects are generated on several cores, with the same result."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.benchmarks.project import make_project

from vcr_gen.errors import VcrError
from vcr_gen.gen.processes.cores import Advance, Rounds, shares, work_together
from vcr_gen.gen.runs.pipeline import Generation, generate
from vcr_gen.gen.runs.run import Request, plan_run
from vcr_gen.gen.settings.config_file import load_config

MARKED = "from typing import Protocol\nfrom vcr_gen.boundary import outbound\n"


def test_the_text_does_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    make_project(tmp_path, modules=70, methods=2)
    config = load_config(tmp_path)
    alone, together = generate(config, jobs=1), generate(config, jobs=2)
    assert len(alone.files) == 71
    assert alone == together
    assert len(shares(range(70), 2, worth=32)) == 2


def chained(folder: Path, number: int, *, flaw: str = "") -> None:
    """A module whose Protocol has a base and a handle in modules that others work on."""
    (folder / f"chain_{number}.py").write_text(
        f"{MARKED}from app.chain_{number + 1} import Base{number + 1}, Port{number + 1}\n\n"
        f"class Base{number}(Protocol):\n    def base_{number}(self) -> int: ...\n\n"
        f"@outbound\nclass Port{number}(Base{number + 1}, Protocol):\n"
        f"    def handle(self) -> Port{number + 1}: ...\n{flaw}"
    )


def linked_project(tmp_path: Path, *, flaws: Sequence[int] = (), settings: str = "") -> None:
    package = tmp_path / "src" / "app"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (tmp_path / "pyproject.toml").write_text(f"[tool.vcr-gen]\n{settings}")
    for number in range(70):
        chained(package, number, flaw="    lost: Missing\n" if number in flaws else "")
    (package / "chain_70.py").write_text(
        f"{MARKED}class Base70(Protocol):\n    def base_70(self) -> int: ...\n"
        "@outbound\nclass Port70(Protocol):\n    def last(self) -> str: ...\n"
    )


def both_ways(tmp_path: Path) -> Generation:
    config = load_config(tmp_path)
    alone = generate(config, jobs=1)
    assert alone == generate(config, jobs=2)
    return alone


def test_processes_know_the_bases_and_boundaries_that_others_found(tmp_path: Path) -> None:
    rule = '[[tool.vcr-gen.boundary]]\nprotocol = "{}"\ndirection = "outbound"\nname = "ruled"\n'
    named = (rule.format(one) for one in ("app.chain_3:Base4", "app.chain_5:Port6"))
    linked_project(tmp_path, settings="".join(named))
    made = both_ways(tmp_path)
    text = made.files[tmp_path / "generated" / "vcr_app" / "chain_7.py"]
    assert "def base_8(self)" in text
    assert '"vcr_app.chain_8:PORT8"' in text
    assert [one.protocol for one in made.boundaries if one.name == "ruled"] == ["app.chain_4:Base4"]


def test_all_processes_tell_their_problems_at_once_and_nothing_is_rendered(tmp_path: Path) -> None:
    linked_project(tmp_path, flaws=[10, 11, 40], settings='template-dir = "own"\n')
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "module.py.jinja").write_text("{{ no_such_name }}")
    (tmp_path / "src" / "app" / "broken.py").write_text(f"{MARKED}def f(:")
    made = both_ways(tmp_path)
    assert not made.files
    places = [(one.path, one.code) for one in made.diagnostics]
    assert places[0] == ("src/app/broken.py", "VCR101")
    assert places[1:] == [(f"src/app/chain_{number}.py", "VCR106") for number in (10, 11, 40)]
    assert made.refused == tuple(f"app.chain_{number}:Port{number}" for number in (10, 11, 40))


def test_the_first_module_that_a_template_fails_for_is_told(tmp_path: Path) -> None:
    linked_project(tmp_path, settings='template-dir = "own"\n')
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "module.py.jinja").write_text("{{ module[module.module] }}")
    (problem,) = both_ways(tmp_path).diagnostics
    assert problem.code == "VCR111"
    assert problem.message.endswith("'app.chain_0'")


def where(numbers: Sequence[int], advance: Advance) -> Rounds[list[int], tuple[int, int]]:
    """Tells the others its numbers; its process, and how many there are in all."""
    everybody = yield list(numbers)
    advance(len(numbers))
    return os.getpid(), sum(len(one) for one in everybody)


def test_work_leaves_this_process_only_when_there_is_more_than_one_share() -> None:
    advanced: list[int] = []
    assert work_together(where, [[1, 2, 3]], advance=advanced.append) == [(os.getpid(), 3)]
    several = work_together(where, [[1, 2], [3], [4]], advance=advanced.append)
    assert [count for _, count in several] == [4, 4, 4]
    assert len({os.getpid(), *(process for process, _ in several)}) == 4
    assert sum(advanced) == 7


UNPICKLED = """
import pickle
from vcr_gen.gen.processes.cores import work_together

def called(task, advance):
    yield None
    return task()

tasks = [lambda number=number: number for number in range(3)]
try:
    pickle.dumps(tasks)
except (AttributeError, pickle.PicklingError):
    print(work_together(called, tasks, advance=print))
"""


def test_forked_processes_are_sent_no_tasks() -> None:
    """In a process of its own: one in which other tests left threads is not forked."""
    done = subprocess.run(
        [sys.executable, "-c", UNPICKLED], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[0, 1, 2]"


class _StubbornError(Exception):
    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} {other}")


def failing(kind: str, advance: Advance) -> Rounds[None, int]:
    match kind:
        case "late":
            time.sleep(1)
        case "killed meanwhile":
            killing = (os.getpid(), signal.SIGKILL)
            threading.Timer(0.3, os.kill, killing).start()
    yield None
    match kind:
        case "known":
            raise FileNotFoundError(2, "no such file", "ports.py")
        case "stubborn":
            raise _StubbornError("cannot", "travel")
        case "killed":
            os.kill(os.getpid(), signal.SIGKILL)
    return 1


@pytest.mark.parametrize(
    ("kind", "error", "words"),
    [
        ("known", FileNotFoundError, "ports.py"),
        ("stubborn", RuntimeError, "_StubbornError: cannot travel"),
        ("killed", VcrError, "a process ended before its work was done"),
    ],
)
def test_what_happens_in_a_process_is_told_here(
    kind: str, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        work_together(failing, ["fine", kind, "fine"], advance=print)


def test_a_process_that_is_gone_when_it_should_hear_of_the_others_is_told() -> None:
    with pytest.raises(VcrError, match="a process ended before its work was done") as caught:
        work_together(failing, ["killed meanwhile", "late"], advance=print)
    del caught
    gc.collect()  # Python 3.13 cannot collect what a broken pipe leaves in `Connection.send`


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
        several = work_together(where, [[1], [2]], advance=print)
    finally:
        release.set()
        waiting.join()
    assert [count for _, count in several] == [2, 2]


def test_an_interrupted_run_ends_all_processes_without_a_word(tmp_path: Path) -> None:
    make_project(tmp_path, modules=400, methods=10)
    with subprocess.Popen(
        [sys.executable, "-m", "vcr_gen", "-q", "-j", "3"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        start_new_session=True,  # as a terminal does: everybody in the group is told
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None and len(children.read_text().split()) < 3:
            time.sleep(0.01)
        started = children.read_text().split()
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr
        assert process.stderr.read() == b""
        assert process.wait() == 130
    assert not (tmp_path / "generated").exists()
    deadline = time.monotonic() + 20
    while any(map(_is_alive, started)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not [child for child in started if _is_alive(child)]


def _is_alive(process: str) -> bool:
    """Whether a process runs: one that has ended is there until somebody asks how."""
    try:
        about = Path("/proc", process, "stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return about.rpartition(")")[2].split()[0] != "Z"


def test_a_small_project_starts_no_process(tmp_path: Path) -> None:
    make_project(tmp_path, modules=3, methods=1)
    program = (
        "import sys; from vcr_gen.cli import main; code = main(['-q', '-j', '8']); "
        "sys.exit(code or 3 * ('multiprocessing' in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False)
    assert done.returncode == 0
