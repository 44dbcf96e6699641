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
