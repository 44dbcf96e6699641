"""The agent with an MCP server replays without it, and a replay sees what changes."""

import pytest
from command_line import run_command
from example_project import Example

AGENT = "src/mcp_agent/agent.py"
BUGS = {
    "loans_are_renewed_for_longer": (
        "timedelta(weeks=3)",
        "timedelta(weeks=4)",
        "server tools/call renew was called with different arguments: "
        "message.params.arguments.until",
    ),
    "the_journal_has_no_date": (
        'f"{today}: {_text(answer)}"',
        "_text(answer)",
        "Journal.add was called with different arguments: line",
    ),
    "everything_is_renewed": (
        "if date.fromisoformat",
        "if False and date.fromisoformat",
        "server tools/call renew",
    ),
}
"""For each, what is replaced in the program, and what the failure must say."""


def test_the_committed_session_replays_without_the_server(mcp_agent: Example) -> None:
    (mcp_agent.root / "tests/library_server.py").unlink()

    done = mcp_agent.pytest(CI="1")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "cassettes: 1 replayed" in done.stdout


def test_the_wrappers_are_what_vcr_gen_writes(mcp_agent: Example) -> None:
    run = run_command("--check", "--no-cache", cwd=mcp_agent.root)

    assert (run.code, run.out) == (0, ""), run.out + run.err


@pytest.mark.slow
def test_a_session_recorded_afresh_replays_too(mcp_agent: Example) -> None:
    recorded = mcp_agent.pytest(VCR_RECORD="1")
    replayed = mcp_agent.pytest()

    assert (recorded.returncode, replayed.returncode) == (0, 0), recorded.stdout + replayed.stdout


@pytest.mark.slow
def test_the_agent_and_its_tests_are_clean_under_mypy_strict(mcp_agent: Example) -> None:
    done = mcp_agent.python("-m", "mypy", "--strict")

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fails_the_replay_and_is_named(mcp_agent: Example, name: str) -> None:
    before, after, message = BUGS[name]
    mcp_agent.replace(AGENT, before, after)

    done = mcp_agent.pytest()

    assert done.returncode == 1
    assert message in done.stdout
