"""Finds the cassettes that no test has any more; says nothing where it cannot know."""

import glob
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from vcr_gen.pytest.claims import CASSETTE
from vcr_gen.pytest.naming import module_folder
from vcr_gen.pytest.words import CASSETTE_STARTS, FOLDER

__all__ = ["Survey", "find_unused"]

_ENDINGS: Final = (".yaml", ".yml", ".jsonl")
_FACTORIES: Final = frozenset({"vcrgen_module_cassette", "vcrgen_session_cassette"})


@dataclass(slots=True)
class Survey:
    """Which test modules were collected, and which of their tests must pass to know all."""

    modules: dict[str, list[str]] = field(default_factory=dict)
    """Test file → ids of the tests that may use cassettes nobody knows before they run."""
    partly: set[str] = field(default_factory=set)
    """Test files of which something was left out."""
    _waiting: dict[str, int] = field(default_factory=dict)

    def collected(self, collector: pytest.Collector, report: pytest.CollectReport) -> None:
        """A module or a class was collected."""
        module = str(collector.path)
        self.modules.setdefault(module, [])
        if isinstance(collector, pytest.Class):
            self._waiting[module] = self._waiting.get(module, 0) - 1
        if not report.passed:
            self.partly.add(module)
        if not report.result and collector.config.getoption("lf", False):
            self.partly.add(module)  # --lf shows modules without failures as empty
        for node in report.result:
            if isinstance(node, pytest.Collector):
                self._waiting[module] = self._waiting.get(module, 0) + 1
            elif _is_open(set(getattr(node, "fixturenames", ()))):
                self.modules[module].append(node.nodeid)

    def judged(self, passed: Collection[str]) -> set[str]:
        """The modules of which everything is known, given which tests passed."""
        return {
            module
            for module, ids in self.modules.items()
            if module not in self.partly and set(ids) <= set(passed)
        }

    def plain(self) -> dict[str, Any]:
        """The survey as other processes get it."""
        waiting = {module for module, classes in self._waiting.items() if classes > 0}
        return {"modules": dict(self.modules), "partly": sorted(self.partly | waiting)}

    def merge(self, plain: Mapping[str, Any]) -> None:
        """Add what another process saw."""
        for module, ids in plain["modules"].items():
            self.modules[module] = sorted({*self.modules.get(module, ()), *ids})
        self.partly |= set(plain["partly"])


def find_unused(survey: Survey, used: Collection[str], passed: Collection[str]) -> list[Path]:
    """The cassettes beside the collected modules that are not in `used`.

    A module counts when all of it was collected and every test that could open a cassette unknown
    before it runs has passed; and so does a folder whose module is gone.
    """
    known = {os.path.realpath(path) for path in used}
    folders = {module_folder(Path(module)) for module in survey.judged(passed)}
    for parent in {Path(module).parent for module in survey.modules}:
        folders |= {folder for folder in _folders(parent / FOLDER) if _is_orphan(folder, parent)}
    return sorted(
        path
        for folder in folders
        for path in _cassettes(folder)
        if os.path.realpath(path) not in known
    )


def _is_open(fixtures: set[str]) -> bool:
    """Whether a test can open cassettes that nobody knows before it has run."""
    return bool(fixtures & _FACTORIES) or ("request" in fixtures and CASSETTE not in fixtures)


def _folders(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from (path for path in place.iterdir() if path.is_dir())


def _is_orphan(folder: Path, parent: Path) -> bool:
    return not any(parent.glob(f"{glob.escape(folder.name)}.*"))


def _cassettes(folder: Path) -> Iterator[Path]:
    """Our own files in a folder: other recorders keep theirs in the same place."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.suffix in _ENDINGS and path.is_file():
                with path.open("rb") as file:
                    if file.read(64).startswith(CASSETTE_STARTS):
                        yield path
