"""Projects to run the command in."""

from pathlib import Path

import pytest
from mini_project import PORTS, Project


@pytest.fixture
def empty(tmp_path: Path) -> Project:
    """A project with a configuration and nothing else."""
    project = Project(tmp_path / "project")
    project.write("pyproject.toml", "[tool.vcr-gen]\n")
    return project


@pytest.fixture
def project(empty: Project) -> Project:
    """A project with two boundaries in `src/app/ports.py`."""
    empty.write("src/app/__init__.py", "")
    empty.write("src/app/ports.py", PORTS)
    return empty


@pytest.fixture(scope="session")
def mypy_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of the standard library and of the runtime; reading them takes seconds."""
    return tmp_path_factory.mktemp("mypy_cache")


@pytest.fixture
def warm_mypy(empty: Project, mypy_cache: Path) -> None:
    """Let `vcr-gen verify` use what mypy learnt in earlier tests.

    mypy compares the content of every file whose path differs, so no result is taken over.
    """
    folder = empty.root / ".vcr-gen-cache"
    folder.mkdir()
    (folder / "mypy").symlink_to(mypy_cache, target_is_directory=True)
