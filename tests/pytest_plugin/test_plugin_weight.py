"""What the plugin costs a test run that does not use it."""

import subprocess
import sys
from importlib.metadata import entry_points

MEASURE = """
import sys, time
import pytest, _pytest.python, _pytest.fixtures, inspect, difflib, hashlib, shlex, warnings
before = set(sys.modules)
start = time.perf_counter()
import vcr_gen.pytest_plugin
print(time.perf_counter() - start)
print(*sorted(set(sys.modules) - before))
"""


def test_pytest_finds_the_plugin() -> None:
    (found,) = (entry for entry in entry_points(group="pytest11") if entry.name == "vcrgen")
    assert found.value == "vcr_gen.pytest_plugin"


def test_importing_it_is_cheap_and_imports_nothing_heavy() -> None:
    def measure() -> tuple[float, set[str]]:
        run = subprocess.run(
            [sys.executable, "-c", MEASURE],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        seconds, modules = run.stdout.splitlines()
        return float(seconds), set(modules.split())

    runs = [measure() for _ in range(5)]
    modules = runs[0][1]
    assert {name.partition(".")[0] for name in modules} == {"vcr_gen"}
    assert not {name for name in modules if name.startswith(("vcr_gen.runtime", "vcr_gen.gen"))}
    assert min(seconds for seconds, _ in runs) < 0.010
