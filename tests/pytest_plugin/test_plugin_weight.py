"""What the plugin costs a test run that does not use it."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

from plugin_project import PluginProject

pytest_plugins = ["pytester"]

MEASURE = """
import sys, time
import pytest, _pytest.python, _pytest.fixtures
before = set(sys.modules)
start = time.process_time()
import vcr_gen.pytest_plugin
print(time.process_time() - start)
print(*sorted(set(sys.modules) - before))
"""


def test_pytest_finds_the_plugin() -> None:
    (found,) = (entry for entry in entry_points(group="pytest11") if entry.name == "vcrgen")
    assert found.value == "vcr_gen.pytest_plugin"


def test_importing_it_is_cheap_and_imports_nothing_else(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def measure() -> tuple[float, set[str]]:
        run = subprocess.run(
            [sys.executable, "-c", MEASURE],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env=environment,
        )
        seconds, modules = run.stdout.splitlines()
        return float(seconds), set(modules.split())

    runs = [measure() for _ in range(4)]
    assert runs[0][1] == {"vcr_gen", "vcr_gen.pytest_plugin"}
    assert min(seconds for seconds, _ in runs) < 0.010


def test_a_run_without_cassettes_imports_no_more(project: PluginProject) -> None:
    project.write("conftest.py", "")
    project.write(
        "test_it.py",
        """
        import sys

        def test_that_fails():
            raise LookupError

        def test_one():
            ours = {name for name in sys.modules if name.startswith("vcr_gen.")}
            assert ours == {"vcr_gen.pytest", "vcr_gen.pytest.constants", "vcr_gen.pytest_plugin"}
        """,
    )
    output = project.in_processes().run()
    assert "1 failed, 1 passed" in output
    assert "cassettes:" not in output


def test_the_controller_of_xdist_imports_nothing_of_the_runtime(project: PluginProject) -> None:
    project.write(
        "conftest.py",
        """
        import sys

        def pytest_terminal_summary(terminalreporter):
            runtime = [name for name in sys.modules if name.startswith("vcr_gen.runtime")]
            terminalreporter.line(f"runtime modules: {runtime}")
        """,
    )
    project.write("test_it.py", "def test_one(): ...")
    output = project.in_processes().run("-n1", plugins=("xdist.plugin",))
    assert "1 passed" in output
    assert "runtime modules: []" in output


def test_the_imports_of_the_process_are_as_they_were_after_a_run(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_one(): ...\n")
    code = "import sys, pytest; before = list(sys.meta_path); pytest.main(['-q']); "
    code += "assert before == sys.meta_path, sys.meta_path"
    environment = {**os.environ, "PYTEST_PLUGINS": "vcr_gen.pytest_plugin"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, check=False, timeout=60, env=environment
    )
    assert run.returncode == 0
