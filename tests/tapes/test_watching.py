"""Long work shows how far it has come, on a terminal, and says nothing in a pipe."""

from pathlib import Path

import pytest
from command_line import run_command
from tape_files import SESSION, write_tape
from terminals import run_in_terminal, run_python_in_terminal
from tool_project import ToolProject

RECORD = """
import sys
import time

sys.path[:0] = ["src", "generated"]
from vcr_app import VcrShell
from vcr_gen import Cassette
from vcr_gen.runtime.record import progress

mode, patience, cooked = sys.argv[1], float(sys.argv[2]), sys.argv[3]
progress._PATIENCE = patience or progress._PATIENCE
if cooked == "raw":
    import tty

    tty.setcbreak(sys.stderr.fileno())


class Real:
    def run(self, command):
        time.sleep(0.01)
        return command


with Cassette("tape.yaml", mode) as cassette:
    shell = VcrShell.attach(cassette, Real)
    for number in range(40 if patience else 150):
        shell.run(f"{number}")
print("done")
"""


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
        ("diff a.yaml b.jsonl", "comparing"),
        ("convert a.yaml c.jsonl", "converting"),
        ("migrate", "reading"),
        ("merge a.yaml b.jsonl -o c.yaml", "merging"),
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


def recorded(
    project: ToolProject, mode: str, patience: float, cooked: str = "", **more: str
) -> str:
    project.write("record.py", RECORD)
    arguments = ["record.py", mode, str(patience), cooked]
    done = run_python_in_terminal(*arguments, cwd=project.root, **more)
    assert done.code == 0, done.shown
    assert done.shown.endswith("done\n")
    return done.shown


def test_a_long_recording_and_a_verification_say_how_many_events_there_are(project):
    shown = recorded(project, "all", 0)
    assert "\r\033[Krecording tape.yaml: " in shown
    assert shown.endswith("events\r\r\033[Kdone\n")
    recorded(project, "all", 0.05)
    assert "\r\033[Kverifying tape.yaml: " in recorded(project, "verify", 0.05)


def test_nothing_is_said_of_a_short_one_nor_where_it_is_not_wanted(project):
    assert recorded(project, "all", 30) == "done\n"
    assert recorded(project, "all", 0.05, VCR_GEN_PROGRESS="0") == "done\n"
    assert recorded(project, "all", 0.05, TERM="dumb") == "done\n"
    assert recorded(project, "all", 0.05, "raw") == "done\n"
    piped = project.python("record.py", "all", "0.05", "")
    assert (piped.returncode, piped.stdout, piped.stderr) == (0, "done\n", "")
