"""Copies of the examples, to run and to break."""

import shutil
from pathlib import Path

import pytest
from example_project import EXAMPLES, Example


def _copied(name: str, folder: Path) -> Example:
    """An example as it is committed, in a folder of its own."""
    ignored = shutil.ignore_patterns("__pycache__", ".*cache")
    shutil.copytree(EXAMPLES / name, folder / name, ignore=ignored)
    return Example(folder / name)


@pytest.fixture
def example(tmp_path: Path) -> Example:
    """The agent server."""
    return _copied("agent_server", tmp_path)


@pytest.fixture
def chat(tmp_path: Path) -> Example:
    """The chat through the SDK of openai."""
    return _copied("openai_chat", tmp_path)


@pytest.fixture
def mcp_agent(tmp_path: Path) -> Example:
    """The agent that uses an MCP server."""
    return _copied("mcp_agent", tmp_path)
