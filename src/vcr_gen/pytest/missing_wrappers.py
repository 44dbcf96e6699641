"""Adds one line to an import of wrappers that fails: generate them, or put them on the path."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest

from vcr_gen.errors import VcrError
from vcr_gen.gen.settings.config_reader import load_config
from vcr_gen.spelling import closest

_PACKAGE: Final = r"(vcr_(?!gen\b)\w+)"
_NO_MODULE: Final = re.compile(rf"No module named '{_PACKAGE}(?:\.([\w.]+))?'")
_NO_NAME: Final = re.compile(rf"cannot import name '(\w+)' from '{_PACKAGE}[.']")
_NEW: Final = "is new or renamed, run `vcr-gen`"


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
    if found := _NO_NAME.search(text):
        name, package = found.groups()
        close = closest(name, getattr(sys.modules.get(package), "__all__", ()))
        advice = f"did you mean {close}?" if close else f"if its Protocol {_NEW}"
        return f"hint: {package} has no {name}; {advice}"
    try:
        output = load_config(config.rootpath).output
    except VcrError:  # which `vcr-gen` reports
        wrong = "hint: run `vcr-gen` to see what is wrong with [tool.vcr-gen]"
        return wrong if _NO_MODULE.search(text) else ""
    setting = _setting(output, config)
    and_setting = f", and {setting}" if setting else ""
    if f"No module named '{output.name}'" in text:
        packages = sorted(path.name for path in output.glob("vcr_*"))
        if not packages:
            return f"hint: {output.name} contains no wrappers: run `vcr-gen`{and_setting}"
        return f"hint: import {packages[0]} without `{output.name}.`{and_setting}"
    found = _NO_MODULE.search(text)
    if found is None:
        return ""
    package, module = found.groups()
    if package in sys.modules:
        return f"hint: {package} has no module {module}; if its source {_NEW}"
    if not (output / package).is_dir():
        return f"hint: {package} is not generated: run `vcr-gen`{and_setting}"
    return f"hint: {package} is generated, but not on the path: {setting}"


def _setting(output: Path, config: pytest.Config) -> str:
    """What to write so that the wrappers are on the path; empty if they are."""
    root = config.rootpath
    folder = (output.relative_to(root) if output.is_relative_to(root) else output).as_posix()
    given = config.getini("pythonpath")
    if output in given:
        return ""
    if given and config.inipath is not None:
        return f'add "{folder}" to `pythonpath` in {config.inipath.name}'
    return f'set pythonpath = ["{folder}"] in [tool.pytest.ini_options]'
