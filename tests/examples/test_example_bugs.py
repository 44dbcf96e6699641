"""Bugs planted in the example's own code, one at a time: each fails the replay and is named."""

from dataclasses import dataclass

import pytest
from example_project import Example


@dataclass(frozen=True)
class Bug:
    """One changed piece of code, and what the failure must say."""

    path: str
    before: str
    after: str
    boundary: str
    field: str


_SERVER = "src/agent_server/server.py"
_RESULTS = "src/agent_server/results.py"
_SCRIPTS = "src/agent_server/scripts.py"
_RUN = "StepRunner.execute"

BUGS = {
    "only_the_last_line_is_kept": Bug(
        _SERVER, "output.append(text)", "output = [text]", _RUN, "variables.changes"
    ),
    "outputs_are_not_passed_on": Bug(
        _SERVER, "variables=dict(progress.variables)", "variables={}", _RUN, "variables.arguments"
    ),
    "steps_run_one_folder_up": Bug(
        _SERVER, "working_dir=self._workspace", "working_dir=self._workspace.parent", _RUN,
        "working_dir",
    ),
    "commands_are_stripped_wrongly": Bug(
        _SCRIPTS, "return Run(name, command,", "return Run(name, command.rstrip('t'),", _RUN,
        "command",
    ),
    "scripts_are_read_from_elsewhere": Bug(
        _SERVER, '/ "scripts" /', '/ "script" /', "Files.read", "path",
    ),
    "reports_lose_the_date": Bug(
        _SERVER, "{progress.began:%Y%m%d}", "{progress.began:%Y}", "Files.write", "path"
    ),
    "failed_steps_are_counted_wrongly": Bug(
        _RESULTS, "sum(bool(result.failure)", "sum(not result.failure", "Files.write", "text"
    ),
    "the_agent_is_told_of_no_complaints": Bug(
        _RESULTS, "(result.output, result.complaint)", "(result.output,)", "server.start", "value"
    ),
    "a_status_forgets_that_a_step_runs": Bug(
        _SERVER, "progress.running = True", "progress.running = False", "server.status", "value"
    ),
    "a_script_goes_on_after_a_failure": Bug(
        _SERVER, "and not step.may_fail", "and step.may_fail", _RUN, "server.start"
    ),
    "the_clock_is_asked_too_often": Bug(
        _SERVER, "ended = self._clock.now()", "ended = max(self._clock.now(), self._clock.now())",
        "Clock.now", "Files.write",
    ),
    "no_report_is_written": Bug(
        _SERVER, "        self._files.write(path, text)\n", "", "Files.write", "server.finish"
    ),
    "another_error_is_raised": Bug(
        _SERVER, "except FileNotFoundError:\n            raise ScriptError(",
        "except FileNotFoundError:\n            raise LookupError(", "server.start", "LookupError",
    ),
    "timeouts_are_ignored": Bug(
        _SERVER, "asyncio.timeout(step.timeout)", "asyncio.timeout(None)", _RUN, "waiting"
    ),
    "a_changed_report_whose_failure_is_swallowed": Bug(
        _SERVER, "        self._files.write(path, text)\n",
        "        try:\n            self._files.write(path, text + '!')\n"
        "        except BaseException:\n            pass\n", "Files.write", "text",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fails_the_replay_and_is_named(example: Example, name: str) -> None:
    bug = BUGS[name]
    example.replace(bug.path, bug.before, bug.after)

    done = example.replay()

    assert done.returncode == 1
    message = done.stderr.rpartition("DivergenceError: ")[2]
    assert bug.boundary in message, done.stderr
    assert bug.field in message, done.stderr
    assert "cassettes/release.yaml:" in message
