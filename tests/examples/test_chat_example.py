"""The chat through the SDK of openai replays without a server, and a replay sees what changes."""

import socket

import pytest
from example_project import Example

BUGS = {
    "the_tool_says_something_else": ("11 °C", "11 degrees", "messages[2].content"),
    "the_tool_is_described_anew": ("today.", "now.", "tools[0].function.description"),
}
"""For each, what is replaced in the program, and the field that the failure must name."""


def test_plain_pytest_replays_the_committed_cassettes(chat: Example) -> None:
    done = chat.pytest(CI="1")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "cassettes: 2 replayed" in done.stdout


@pytest.mark.slow  # mypy reads all of the SDK
def test_the_program_and_its_tests_are_clean_under_mypy_strict(chat: Example) -> None:
    done = chat.python("-m", "mypy", "--strict")

    assert done.returncode == 0, done.stdout + done.stderr


def test_a_chat_recorded_afresh_replays_and_has_no_key(chat: Example) -> None:
    path = "tests/cassettes/test_assistant/test_a_question_that_needs_no_tool_is_one_request.yaml"
    committed = chat.read(path)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])

    recorded = chat.pytest(VCR_RECORD="1", PORT=port)
    replayed = chat.pytest(PORT=port)

    assert (recorded.returncode, replayed.returncode) == (0, 0), recorded.stdout + replayed.stdout
    afresh = chat.read(path)
    assert afresh != committed
    assert "<redacted:openai-key:1>" in afresh
    assert "sk-proj-" not in afresh + committed


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fails_the_replay_and_is_named(chat: Example, name: str) -> None:
    before, after, field = BUGS[name]
    chat.replace("src/openai_chat/assistant.py", before, after)

    done = chat.pytest()

    assert done.returncode == 1
    assert f"with different arguments: request.body.json.{field}\n" in done.stdout
