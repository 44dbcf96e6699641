"""Adds one line to an import of wrappers that fails: generate them, or put them on the path."""

import re
from typing import Final

import pytest

from vcr_gen.errors import VcrError
from vcr_gen.gen.settings.config_reader import load_config

__all__ = ["add_cure", "add_cure_to_report"]

_MISSING: Final = re.compile(r"No module named '(vcr_(?!gen\b)\w+)[.']")


def add_cure(error: BaseException, config: pytest.Config) -> None:
    """Add the line to an exception."""
    cure = _cure(str(error), config)
    if cure and cure not in getattr(error, "__notes__", ()):
        error.add_note(cure)


def add_cure_to_report(report: pytest.CollectReport, config: pytest.Config) -> None:
    """Add the line to the report of a module that cannot be imported."""
    shown = report.longrepr
    text = getattr(shown, "longrepr", None)  # of a CollectErrorRepr, which is private
    if isinstance(text, str) and (cure := _cure(text, config)):
        vars(shown)["longrepr"] = f"{text}\nE   {cure}"


def _cure(text: str, config: pytest.Config) -> str:
    found = _MISSING.search(text)
    if found is None:
        return ""
    package = found[1]
    try:
        output = load_config(config.rootpath).output
    except VcrError:  # which `vcr-gen` reports
        return "hint: run `vcr-gen` to see what is wrong with [tool.vcr-gen]"
    folder = (
        output.relative_to(config.rootpath) if output.is_relative_to(config.rootpath) else output
    )
    where = f'pythonpath = ["{folder.as_posix()}"] in [tool.pytest.ini_options]'
    if not (output / package).is_dir():
        return f"hint: {package} is not generated: run `vcr-gen`, and put it on the path: {where}"
    return f"hint: {package} is generated, but not on the path: {where}; then `import {package}`"
