"""Projects to use the cassette tools in."""

from pathlib import Path

import pytest
from tool_project import ToolProject


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolProject:
    """A project with wrappers; the working directory of the test."""
    project = ToolProject(tmp_path / "project")
    project.start()
    monkeypatch.chdir(project.root)
    return project
