"""Projects to run pytest in."""

import shutil
from pathlib import Path

import pytest
from plugin_project import PluginProject, write_project


@pytest.fixture(scope="session")
def generated_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project with its generated wrapper, made once."""
    root = tmp_path_factory.mktemp("generated_project")
    write_project(root)
    return root


@pytest.fixture(scope="session")
def bytecode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first process that a test starts puts its bytecode."""
    return tmp_path_factory.mktemp("bytecode")


@pytest.fixture
def project(
    generated_project: Path,
    bytecode: Path,
    pytester: pytest.Pytester,
    monkeypatch: pytest.MonkeyPatch,
) -> PluginProject:
    """A copy of the project for one test."""
    shutil.copytree(generated_project, pytester.path, dirs_exist_ok=True)
    return PluginProject(pytester, monkeypatch, generated_project, bytecode)
