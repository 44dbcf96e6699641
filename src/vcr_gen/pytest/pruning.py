"""Tells `vcr-gen cassette prune`, which runs pytest with this plugin, what no test uses."""

import json
import os
from collections.abc import Generator
from pathlib import Path

import pytest

from vcr_gen.pytest.reporting import Reporting
from vcr_gen.pytest.words import ANSWER

__all__ = ["pytest_sessionfinish"]


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, object, object]:
    """Write the answer, once the plugin has found it."""
    result = yield
    reporting = session.config.pluginmanager.get_plugin("vcrgen-reporting")
    if isinstance(reporting, Reporting) and not hasattr(session.config, "workerinput"):
        answer = {
            "root": str(session.config.rootpath),
            "unused": [str(path) for path in reporting.unused],
            "unjudged": reporting.unjudged,
        }
        Path(os.environ[ANSWER]).write_text(json.dumps(answer), encoding="utf-8")
    return result
