"""Brings together what all processes noted, and tells it in the terminal summary."""

from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

from vcr_gen.pytest.notes import Note, picture_sections, read_notes, summary_lines
from vcr_gen.pytest.opening import DISTRIBUTED, Opener
from vcr_gen.pytest.unused import Survey, find_unused

__all__ = ["Reporting"]

_KEY: Final = "vcrgen"


class Reporting:
    """The part of the plugin that looks at the session as a whole, xdist's workers included."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._is_worker = hasattr(config, "workerinput")
        self._checks_unused: bool = config.getoption("vcrgen_check_unused")
        self._survey = Survey()
        self._used: set[str] = set()
        self._passed: set[str] = set()
        self._pending: list[Note] = []
        self._notes: list[Note] = []
        self.opener = Opener(config, self._pending.append)
        self.unused: list[Path] = []
        """Cassettes that no test has, once the session is over."""
        self.unjudged: list[str] = []
        """Test modules that may use cassettes of which nobody knows."""

    def pytest_report_header(self) -> str | None:
        """Say so when this run is not a plain replay."""
        decision = self.opener.decision()
        if decision.ignored:
            return (
                f"vcrgen: {decision.ignored} is ignored because CI is set: replaying; "
                "--vcrgen-mode=all records"
            )
        return f"vcrgen: mode {decision.mode}" if decision.mode != "none" else None

    def collected(self, collector: pytest.Collector, report: pytest.CollectReport) -> None:
        """Remember what was collected, to know afterwards what nobody uses."""
        if self._checks_unused:
            self._survey.collected(collector, report)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Send the notes along with the report: it reaches the controller even if a worker dies."""
        report = yield
        if self._pending:
            if report.failed:
                report.sections += picture_sections(self._pending, self._config.rootpath)
            setattr(report, _KEY, [note.plain() for note in self._pending])
            self._pending.clear()
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the notes of a test, from this process or another."""
        self._notes.extend(read_notes(getattr(report, _KEY, ())))
        if self._checks_unused and report.when == "call" and report.passed:
            self._passed.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Find unused cassettes; a worker hands over what it knows."""
        known = {str(path) for path in self.opener.claims.paths}
        if self._is_worker:
            output: dict[str, Any] = vars(self._config)["workeroutput"]
            output[_KEY] = {
                "notes": [note.plain() for note in self._pending],
                "used": sorted(known) if self._checks_unused else [],
                "survey": self._survey.plain(),
            }
            return
        self._notes.extend(self._pending)
        if not self._checks_unused:
            return
        self._survey.merge(self._survey.plain())
        self.unused = find_unused(self._survey, self._used | known, self._passed)
        self.unjudged = sorted(set(self._survey.modules) - self._survey.judged(self._passed))
        self._notes.extend(Note("unused", str(path)) for path in self.unused)
        if self.unused and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def prepare(self, worker: dict[str, Any]) -> None:
        """Tell a worker how xdist hands out the tests."""
        if worker.get("workercount", 2) > 1:
            worker[DISTRIBUTED] = self._config.getoption("dist")

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take what a worker knows; from one that died nothing comes, and nothing is judged."""
        output = getattr(node, "workeroutput", {}).get(_KEY)
        if output is None:
            self._checks_unused = False
            return
        self._notes.extend(read_notes(output["notes"]))
        self._used.update(output["used"])
        self._survey.merge(output["survey"])

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what was recorded, replayed, verified, unused and too old."""
        lines = summary_lines(self._notes, self._config.rootpath)
        if lines:
            terminalreporter.section("vcrgen", "-")
            for line in lines:
                terminalreporter.line(line)
