"""Finds cassettes that no test uses any more; leaves out those it cannot judge."""

import glob
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import pytest

from vcr_gen.pytest.cassette_paths import module_folder
from vcr_gen.pytest.constants import CASSETTE, CASSETTE_STARTS, FOLDER

_SUFFIXES: Final = (".yaml", ".yml", ".jsonl")
_FACTORIES: Final = frozenset({"vcrgen_module_cassette", "vcrgen_session_cassette"})


@dataclass(slots=True)
class CollectedModules:
    """The collected test modules, and the tests that must pass before a module can be judged."""

    modules: dict[str, list[str]] = field(default_factory=dict)
    """Test file → ids of the tests whose cassettes are only known once they ran."""
    incomplete: set[str] = field(default_factory=set)
    """Test files that were not collected as a whole."""

    def add(self, collector: pytest.Collector, report: pytest.CollectReport) -> None:
        """Add a collected module or class."""
        module, config = str(collector.path), collector.config
        ids = self.modules.setdefault(module, [])
        ids += [
            node.nodeid
            for node in report.result
            if _opens_unknown_cassettes(set(getattr(node, "fixturenames", ())))
        ]
        # Classes that are not selected are not collected, nor are modules without last failures.
        selects = config.getoption("lf", False) or any("::" in given for given in config.args)
        if selects or not report.passed:
            self.incomplete.add(module)

    def judged(self, passed: Collection[str]) -> set[str]:
        """The modules whose cassettes are all known, given the tests that passed."""
        return {
            module
            for module, ids in self.modules.items()
            if module not in self.incomplete and set(ids) <= set(passed)
        }

    def plain(self) -> dict[str, Any]:
        """Plain data for the xdist controller."""
        return {"modules": self.modules, "incomplete": sorted(self.incomplete)}

    def merge(self, plain: Mapping[str, Any]) -> None:
        """Add the modules that another process collected."""
        for module, ids in plain["modules"].items():
            self.modules[module] = sorted({*self.modules.get(module, ()), *ids})
        self.incomplete |= set(plain["incomplete"])


def find_unused(
    collected: CollectedModules,
    used: Collection[str],
    passed: Collection[str],
    module_names: Collection[str],
) -> list[Path]:
    """The cassettes beside the collected modules that are not in `used`.

    A module is judged if all of it was collected and every test whose cassettes are unknown before
    it runs has passed. So is a folder that is named like a test module (`module_names` are globs)
    which no longer exists; other folders may hold cassettes that the tests open themselves.
    """
    known = {os.path.realpath(path) for path in used}
    folders = {module_folder(Path(module)) for module in collected.judged(passed)}
    for parent in {Path(module).parent for module in collected.modules}:
        folders |= {
            folder
            for folder in _folders(parent / FOLDER)
            if any(fnmatch(f"{folder.name}.py", pattern) for pattern in module_names)
            and not any(parent.glob(f"{glob.escape(folder.name)}.*"))
        }
    return sorted(
        path
        for folder in folders
        for path in _cassettes(folder)
        if os.path.realpath(path) not in known
    )


def _opens_unknown_cassettes(fixtures: set[str]) -> bool:
    """Whether a test can open cassettes that are unknown before it runs."""
    return bool(fixtures & _FACTORIES) or ("request" in fixtures and CASSETTE not in fixtures)


def _folders(parent: Path) -> Iterator[Path]:
    if parent.is_dir():
        yield from (path for path in parent.iterdir() if path.is_dir())


def _cassettes(folder: Path) -> Iterator[Path]:
    """Our own files in a folder; other recorders keep theirs in the same place."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.suffix in _SUFFIXES and path.is_file():
                with path.open("rb") as file:
                    if file.read(64).startswith(CASSETTE_STARTS):
                        yield path
