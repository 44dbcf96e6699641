"""Long work shows how far it has come, on a terminal, and says nothing in a pipe."""

from pathlib import Path

import pytest
from command_line import run_command
from tape_files import SESSION, write_tape
from terminals import run_in_terminal


@pytest.fixture
def tapes(tmp_path: Path) -> Path:
    write_tape(tmp_path / "a.yaml", SESSION)
    write_tape(tmp_path / "b.jsonl", SESSION)
    return tmp_path


@pytest.mark.parametrize(
    ("command", "label"),
    [
        ("list .", "listing"),
        ("check .", "checking"),
        ("stats .", "counting"),
        ("migrate", "reading"),
    ],
)
def test_every_tool_that_reads_much_shows_a_bar_and_clears_it(tapes, command, label):
    done = run_in_terminal("cassette", *command.split(), cwd=tapes)
    assert done.code == 0
    assert f"\r{label} " in done.shown
    assert "\r\033[K" in done.shown.rpartition(f"\r{label} ")[2]


def test_in_a_pipe_there_is_no_bar(tapes):
    for command in ("list", "check", "stats"):
        done = run_command("cassette", command, ".", cwd=tapes)
        assert (done.code, "\r" in done.out + done.err) == (0, False)
