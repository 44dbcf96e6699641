"""Collects what happened to the cassettes in all processes, and prints the terminal summary.

The controller of xdist loads this module in every run, so it imports nothing of the runtime.
"""

import json
import os
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args

import pytest

from vcr_gen.pytest.constants import RESULTS, UNUSED_FILE
from vcr_gen.pytest.unused_cassettes import CollectedModules, find_unused

Kind: TypeAlias = Literal[
    "recorded",
    "replayed",
    "diverged",
    "verified",
    "differs",
    "partial",
    "unused",
    "by attributes",
    "report",
]

_TITLES: Final[dict[Kind, str]] = {
    "recorded": "recorded",
    "partial": "not recorded: the test did not pass",
    "differs": "the real environment no longer behaves as recorded",
    "by attributes": "objects of these classes were stored by their attributes",
    "unused": "unused: no test has this cassette",
    "report": "reports of failed replays",
}
"""The kinds that are listed by path, or by the name of the class, in this order."""
_NO_OUTCOMES: Final[frozenset[Kind]] = frozenset({"by attributes", "report"})
"""The kinds that do not say what became of a cassette."""

_stash_key: Final = pytest.StashKey["Summary"]()


class Note(NamedTuple):
    """A fact about a cassette, or about a class whose objects it holds."""

    kind: Kind
    path: str
    detail: str = ""


class Summary:
    """The part of the plugin that sees the session as a whole, xdist's workers included."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._checks_unused: bool = config.getoption("vcrgen_check_unused")
        self._collected = CollectedModules()
        self._passed: set[str] = set()
        self._pending: list[Note] = []
        self._notes: list[Note] = []
        self.used: set[str] = set()
        """Every cassette that belongs to a test or a factory."""

    @staticmethod
    def of(config: pytest.Config) -> "Summary":
        """The summary of this session; registered on first use."""
        if _stash_key not in config.stash:
            config.stash[_stash_key] = summary = Summary(config)
            config.pluginmanager.register(summary)
        return config.stash[_stash_key]

    def note(self, note: Note) -> None:
        """Add a fact; it travels with the report of the current test."""
        self._pending.append(note)

    def collected(self, collector: pytest.Collector, report: pytest.CollectReport) -> None:
        """Remember a collected module or class, for the search for unused cassettes."""
        if self._checks_unused:
            self._collected.add(collector, report)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the notes to the report, which reaches the controller even if a worker dies."""
        report = yield
        if self._pending:
            setattr(report, RESULTS, [tuple(note) for note in self._pending])
            self._pending.clear()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the notes of a test that ran in this process or in a worker."""
        self._notes.extend(Note(*note) for note in getattr(report, RESULTS, ()))
        if self._checks_unused and report.when == "call" and report.passed:
            self._passed.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Find unused cassettes; a worker sends what it knows to the controller."""
        if hasattr(self._config, "workerinput"):
            output: dict[str, Any] = vars(self._config)["workeroutput"]
            output[RESULTS] = {
                "notes": [tuple(note) for note in self._pending],
                "used": sorted(self.used) if self._checks_unused else [],
                "collected": self._collected.plain(),
            }
            return
        self._notes.extend(self._pending)
        if not self._checks_unused:
            return
        patterns = self._config.getini("python_files")
        unused = find_unused(self._collected, self.used, self._passed, patterns)
        self._notes.extend(Note("unused", str(path)) for path in unused)
        if unused and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if UNUSED_FILE in os.environ:
            self._write_unused(unused, Path(os.environ[UNUSED_FILE]))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the results of a worker; if it crashed, unused cassettes cannot be known."""
        output = getattr(node, "workeroutput", {}).get(RESULTS)
        if output is None:
            self._checks_unused = False
            return
        self._notes.extend(Note(*note) for note in output["notes"])
        self.used.update(output["used"])
        self._collected.merge(output["collected"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print how many cassettes were recorded, replayed and so on."""
        lines = summary_lines(self._notes, self._config.rootpath)
        if lines:
            terminalreporter.section("vcrgen", "-")
            for line in lines:
                terminalreporter.line(line)

    def _write_unused(self, unused: Sequence[Path], file: Path) -> None:
        """Answer `vcr-gen cassette prune`, which started this run."""
        modules = set(self._collected.modules)
        answer = {
            "unused": [str(path) for path in unused],
            "unjudged": sorted(modules - self._collected.judged(self._passed)),
        }
        file.write_text(json.dumps(answer), encoding="utf-8")


def summary_lines(notes: Iterable[Note], root: Path) -> list[str]:
    """A line of counts, then the cassettes that need attention."""
    listed = sorted(_without_repeated_runs(set(notes)))
    counts = {kind: sum(note.kind == kind for note in listed) for kind in get_args(Kind)}
    kinds = [kind for kind in get_args(Kind) if counts[kind] and kind not in _NO_OUTCOMES]
    if not kinds:
        return []
    words = {"partial": "not recorded"}
    lines = ["cassettes: " + ", ".join(f"{counts[kind]} {words.get(kind, kind)}" for kind in kinds)]
    for kind, title in _TITLES.items():
        if counts[kind]:
            lines.append(f"{title}:")
            lines.extend(f"  {_line(note, root)}" for note in listed if note.kind == kind)
    if counts["unused"]:
        lines.append("hint: `vcr-gen cassette prune` deletes them; or run the tests that use them")
    return lines


def _without_repeated_runs(notes: set[Note]) -> set[Note]:
    """Drop the partial recording of a test that was run again and then recorded."""
    recorded = {note.path for note in notes if note.kind == "recorded"}
    return {note for note in notes if note.kind != "partial" or note.path not in recorded}


def _line(note: Note, root: Path) -> str:
    path = Path(note.path)
    shown = path.relative_to(root) if path.is_relative_to(root) else path
    return f"{shown.as_posix()}  {note.detail}".rstrip()
