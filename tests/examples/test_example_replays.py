"""The committed session of the example replays, and nothing but the application runs in it."""

import pytest
from command_line import run_command
from example_project import Example

_GUARDED = """
import asyncio, sys
from pathlib import Path
from session import run_session

def refuse(event, arguments):
    if event in ("subprocess.Popen", "os.fork", "os.exec", "os.posix_spawn", "socket.connect"):
        raise SystemExit(f"the replay touched the world: {event} {arguments}")
    if event == "open" and "/nowhere" in str(arguments[0]):
        raise SystemExit(f"the replay touched the world: {event} {arguments}")

sys.addaudithook(refuse)
cassette = Path("cassettes/release.yaml")
asyncio.run(run_session(cassette, workspace=Path("/nowhere/at/all"), mode="none"))
print("replayed")
"""


def test_the_committed_wrappers_are_what_vcr_gen_writes(example: Example) -> None:
    run = run_command("--check", "--no-cache", cwd=example.root)

    assert (run.code, run.out) == (0, ""), run.out + run.err


def test_the_wrappers_fit_the_protocols(example: Example) -> None:
    run = run_command("verify", "--no-mypy", cwd=example.root)

    assert run.code == 0, run.out + run.err


@pytest.mark.slow
def test_the_example_and_its_wrappers_are_clean_under_mypy_strict(example: Example) -> None:
    done = example.python("-m", "mypy", "--strict")

    assert done.returncode == 0, done.stdout + done.stderr


def test_plain_pytest_replays_the_committed_session_in_another_folder(example: Example) -> None:
    done = example.pytest(CI="1")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


def test_a_replay_starts_no_process_and_opens_no_file_of_the_session(example: Example) -> None:
    done = example.python("-c", _GUARDED)

    assert (done.returncode, done.stdout) == (0, "replayed\n"), done.stdout + done.stderr


def test_a_session_recorded_afresh_replays_too(example: Example) -> None:
    before = example.read("cassettes/release.yaml")

    recorded = example.pytest(VCR_RECORD="1")
    replayed = example.pytest()

    assert (recorded.returncode, replayed.returncode) == (0, 0), recorded.stdout + replayed.stdout
    assert before != example.read("cassettes/release.yaml")


def test_the_committed_cassette_names_no_folder_of_the_machine_it_was_made_on(
    example: Example,
) -> None:
    text = example.read("cassettes/release.yaml")

    assert "${workspace}" in text
    assert not [line for line in text.splitlines() if "/tmp" in line or "/home" in line]
