"""Copies of the example, to run and to break."""

import shutil
from pathlib import Path

import pytest
from example_project import EXAMPLE, Example


@pytest.fixture
def example(tmp_path: Path) -> Example:
    """The example as it is committed, in a folder of its own."""
    ignored = shutil.ignore_patterns("__pycache__", ".*cache")
    shutil.copytree(EXAMPLE, tmp_path / "agent_server", ignore=ignored)
    return Example(tmp_path / "agent_server")
