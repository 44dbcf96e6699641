"""Protocols of packages in the project's own environment, when vcr-gen runs in another one."""

import venv
from pathlib import Path

import pytest
from mini_project import Project

import vcr_gen

PACKAGE = """
from typing import Protocol

class Token: ...

def loose(x): return x  # what a strict checker says of it is no problem of the project

class Store(Protocol):
    def get(self, key: str) -> Token: ...
"""
CONFIG = """
[tool.vcr-gen]
sources = ["src"]

[[tool.vcr-gen.boundary]]
protocol = "tokens.ports:Store"
direction = "outbound"
"""


@pytest.fixture
def environment(empty: Project) -> Path:
    """The site-packages of the project, with a package of Protocols and our runtime."""
    venv.create(empty.root / ".venv", symlinks=True)
    found = next((empty.root / ".venv").glob("lib/python3*/site-packages"))
    shown = found.relative_to(empty.root).as_posix()
    empty.write(f"{shown}/tokens/__init__.py", "")
    empty.write(f"{shown}/tokens/py.typed", "")
    empty.write(f"{shown}/tokens/ports.py", PACKAGE)
    empty.write(f"{shown}/runtime.pth", f"{Path(vcr_gen.__file__).parent.parent}\n")
    empty.write("pyproject.toml", CONFIG)
    empty.write("src/app.py", "")
    return found


@pytest.mark.usefixtures("environment")
def test_the_header_does_not_tell_where_an_environment_lies(empty: Project) -> None:
    empty.run()
    text = empty.read("generated/vcr_tokens/ports.py")
    assert text.splitlines()[1] == "# source: tokens/ports.py"


@pytest.mark.usefixtures("warm_mypy")
def test_verify_finds_what_is_installed_for_the_project_alone(
    empty: Project, environment: Path
) -> None:
    empty.run()
    run = empty.run("verify")
    assert (run.code, run.err) == (0, "1 boundary in 2 files: all match\n")
    package = environment / "tokens" / "ports.py"
    package.write_text(package.read_text().replace("-> Token", "-> int"))
    run = empty.run("verify")
    assert run.code == 1
    assert "generated/vcr_tokens/ports.py" in run.err
    assert "site-packages" not in run.err
