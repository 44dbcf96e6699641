"""Works through a page of the documentation: writes its files, runs its commands.

`vcr-gen` runs inside this process, unless the page changes what Python itself imports.
"""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from command_line import run_command
from doc_pages import Block, blocks, commands

__all__ = ["environment_of", "work", "work_through"]

_MODULES = {"vcr-gen": "vcr_gen", "pytest": "pytest", "mypy": "mypy", "pre-commit": "pre_commit"}
_TOOLS = ("mv", "rm")
_SETTINGS = {
    "PYTHONPATH": os.pathsep.join(("src", "generated", "tests", ".")),
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTEST_ADDOPTS": "-p no:cacheprovider",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # our own tools are slow to load, and not the page's
    "PYTEST_PLUGINS": "vcr_gen.pytest_plugin",
    "COLUMNS": "80",
}


def work_through(page: Path, project: Path) -> None:
    """Do all that a page shows, in order, in an empty folder."""
    for block in blocks(page):
        work(block, project, f"{page}:{block.line}")


def work(block: Block, project: Path, place: str) -> None:
    """Do what one block shows."""
    if block.is_excerpt:
        assert block.missing_pieces() == [], f"{place}: not in {block.path}"
    elif block.path is not None and block.is_made:
        made = (project / block.path).read_text(encoding="utf-8")
        assert block.shows(made), f"{place}: {block.path} is\n{made}"
    elif block.path is not None and block.info == "diff":
        file = project / block.path
        file.write_text(block.changed(file.read_text(encoding="utf-8")), encoding="utf-8")
    elif block.path is not None:
        file = project / block.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(block.content, encoding="utf-8")
    elif block.info.split()[:1] == ["python"]:
        done = _run([sys.executable, "-c", block.body], project)
        assert done.returncode == 0, f"{place}:\n{done.stdout}"
    elif block.info.split()[:1] == ["console"]:
        _run_commands(block, project, place)


def _run_commands(block: Block, project: Path, place: str) -> None:
    for command in commands(block):
        if not command.is_run:
            continue
        words = shlex.split(command.line)
        environment = {}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        if words[0] == "vcr-gen" and not (project / "sitecustomize.py").exists():
            run = run_command(
                *words[1:], cwd=project, environment=environment_of(environment), merged=True
            )
            code, output = run.code, run.out
        else:
            done = _run([*_program(words[0]), *words[1:]], project, **environment)
            code, output = done.returncode, done.stdout
        report = f"{place}: $ {command.line}\nexit code {code}\n{output}"
        assert (code != 0) is command.fails, report
        assert command.is_shown_in(output), f"{report}\nthe page shows:\n{command.shown}"


def _program(name: str) -> list[str]:
    """How a program of the docs is run here; a page may use no other."""
    if name in _TOOLS:
        return [name]
    return [sys.executable, *(("-m", _MODULES[name]) if name != "python" else ())]


def environment_of(added: Mapping[str, str]) -> dict[str, str]:
    """The environment of a command of the docs."""
    kept = {name: value for name, value in os.environ.items() if name not in ("VCR_RECORD", "CI")}
    return {**kept, **_SETTINGS, **added}


def _run(
    arguments: list[str], project: Path, **environment: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        arguments,
        cwd=project,
        env=environment_of(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
