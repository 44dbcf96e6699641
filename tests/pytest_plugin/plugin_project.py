"""A small project with one boundary, in which pytest is run as users run it."""

import importlib
import os
import shutil
import subprocess
import sys
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest
import yaml  # noqa: F401 - its part in C holds on to the classes of its first import
from command_line import run_command

FILES = {
    "pyproject.toml": """
        [tool.vcr-gen]
        sources = ["."]

        [tool.pytest.ini_options]
        pythonpath = [".", "generated"]
        """,
    "app/__init__.py": "",
    "app/ports.py": '''
        from typing import Protocol

        from vcr_gen.boundary import outbound


        @outbound
        class Shell(Protocol):
            """Runs commands."""

            def run(self, command: str) -> str: ...
            async def arun(self, command: str) -> str: ...
        ''',
    "app/real.py": '''
        import asyncio
        import os


        class RealShell:
            """Answers in the words of the world; there is none in a replay."""

            def __init__(self) -> None:
                self.world = os.environ["WORLD"]

            def run(self, command: str) -> str:
                return f"{self.world} {command}"

            async def arun(self, command: str) -> str:
                await asyncio.sleep(0.001)
                return f"{self.world} {command}"
        ''',
    "app/logic.py": """
        def ask(shell, command):
            return shell.run(command)


        def swallow(shell, command):
            try:
                return shell.run(command)
            except BaseException:
                return "nothing"
        """,
    "conftest.py": """
        import pytest

        from app.real import RealShell
        from vcr_app import VcrShell


        @pytest.fixture
        def shell(vcrgen_cassette):
            return VcrShell.attach(vcrgen_cassette, RealShell)
        """,
}


def write_project(root: Path) -> None:
    """Write the files, and let vcr-gen write the wrapper."""
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    generate(root)


def generate(root: Path) -> None:
    """Let vcr-gen write the wrappers of a project."""
    run = run_command("--no-cache", "-q", cwd=root)
    assert run.code == 0, run.err


LOADED = ("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")
"""Silences what pytest says of plugins that the outer run has imported before."""


@dataclass
class ModuleKeeper:
    """A plugin of an inner run that remembers the modules it imported from outside the project.

    pytester drops every module that a run imported. The next run would import the runtime again,
    beside the first copy of it that the outer run still holds.
    """

    project: Path
    kept: dict[str, ModuleType] = field(default_factory=dict)

    def pytest_unconfigure(self) -> None:
        self.kept = {name: module for name, module in sys.modules.items() if self._keeps(module)}

    def _keeps(self, module: ModuleType) -> bool:
        """Whether a module belongs to no project; a namespace package has no file."""
        file = getattr(module, "__file__", None)
        places = [file] if file else list(getattr(module, "__path__", ()))
        return not any(Path(place).is_relative_to(self.project) for place in places)


def warm_up(root: Path, bytecode: Path) -> None:
    """Compile what every run imports."""
    test = root / "test_warm_up.py"
    test.write_text('def test_one(shell):\n    shell.run("a")\n', encoding="utf-8")
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode), "WORLD": "old"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    plugins = ("-pvcr_gen.pytest_plugin", "-pno:cacheprovider")
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "--vcrgen-mode=all"]
    subprocess.run(
        command, cwd=root, env=environment, check=True, timeout=120, stdout=subprocess.DEVNULL
    )
    test.unlink()
    shutil.rmtree(root / "cassettes")


@dataclass(frozen=True)
class PluginProject:
    """The project, and pytest in it."""

    pytester: pytest.Pytester
    monkeypatch: pytest.MonkeyPatch
    generated: Path
    """The project as it was generated, without the changes of a test."""
    bytecode: Path
    """What processes import of us, compiled."""
    starts_processes: bool = False
    """Whether each run of pytest is a process of its own."""

    def in_processes(self) -> "PluginProject":
        """The same project, for tests of what a run does to its whole process."""
        if not any(self.bytecode.iterdir()):
            warm_up(self.generated, self.bytecode)
        return replace(self, starts_processes=True)

    @property
    def root(self) -> Path:
        return self.pytester.path

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"), encoding="utf-8")

    def run(self, *arguments: str, plugins: tuple[str, ...] = (), **environment: str) -> str:
        """The output of pytest, with its exit status as the last line."""
        with self.monkeypatch.context() as patch:
            patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
            patch.setenv("COLUMNS", "200")
            # Compiled once for all runs; the tests of the project change faster than file times.
            patch.setenv("PYTHONPYCACHEPREFIX", str(self.bytecode))
            patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
            for name in ("CI", "VCR_RECORD", "WORLD", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
                patch.delenv(name, raising=False)
            for name, value in environment.items():
                patch.setenv(name, value)
            loaded = [f"-p{plugin}" for plugin in ("vcr_gen.pytest_plugin", *plugins)]
            if self.starts_processes:
                result = self.pytester.runpytest_subprocess(*loaded, *arguments, timeout=100)
            else:
                result = self._run_in_process(*loaded, *arguments)
        return f"{result.stdout.str()}\n{result.stderr.str()}\nexit {int(result.ret)}"

    def _run_in_process(self, *arguments: str) -> pytest.RunResult:
        keeper = ModuleKeeper(self.root)
        importlib.invalidate_caches()
        with self.monkeypatch.context() as patch, warnings.catch_warnings():
            warnings.resetwarnings()  # the filters of the outer run are not the project's
            patch.setattr(sys, "dont_write_bytecode", True)
            result = self.pytester.runpytest_inprocess(*arguments, *LOADED, plugins=[keeper])
        sys.modules.update(keeper.kept)
        return result

    def record(self, *arguments: str, plugins: tuple[str, ...] = ()) -> str:
        """Record every test in the world called `old`."""
        return self.run("--vcrgen-mode=all", *arguments, plugins=plugins, WORLD="old")

    def cassettes(self) -> dict[str, str]:
        """All files below folders called `cassettes`."""
        return {
            path.relative_to(self.root).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(self.root.rglob("cassettes/**/*"))
            if path.is_file()
        }
