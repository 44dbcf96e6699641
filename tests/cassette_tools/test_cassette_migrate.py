"""`vcr-gen cassette migrate`: a Protocol changes, and its cassettes replay again."""

import json
from pathlib import Path
from typing import Any

import pytest
from tape_data import read_header, read_tape
from tape_files import HEADER, SESSION, write_tape
from tool_project import ToolProject

from vcr_gen.cli import main


def migrate(*arguments: str) -> int:
    return main(["cassette", "migrate", *arguments])


def replays(project: ToolProject, tape: str) -> bool:
    done = project.run(tape, "none")
    assert done.returncode == 0, done.stderr
    assert "['A', ['b', 'c'], 'D']" in done.stdout
    return True


def arguments(path: str) -> list[dict[str, Any]]:
    return [event["args"] for event in read_tape(Path(path)) if event.get("args")]


@pytest.mark.parametrize("suffix", ["yaml", "jsonl"])
def test_a_new_parameter_with_a_default_is_filled_in_and_the_cassette_replays(
    project, suffix, capsys
):
    tape = f"tapes/one.{suffix}"
    project.record(tape)
    project.change("command: str)", "command: str, limits: Limits = Limits(2.5))")
    failed = project.run(tape, "none")
    assert failed.returncode != 0
    assert "recorded before parameter `limits` was added to `Shell.run`" in failed.stderr
    assert migrate("tapes") == 0
    assert capsys.readouterr().err == (
        f"migrated {tape}: 2 events\n"
        "  Shell.run: parameter `limits` added\n"
        "1 cassette: 1 migrated\n"
    )
    assert replays(project, tape)
    assert arguments(tape)[0] == {"command": "a", "limits": {"seconds": 2.5, "where": "here"}}
    assert main(["cassette", "check", "tapes"]) == 0
    assert migrate("tapes") == 0
    assert "1 cassette: 1 unchanged" in capsys.readouterr().err


def test_parameters_that_are_not_on_the_tape_change_only_the_header(project, capsys):
    project.record("one.yaml")
    project.change(
        "command: str)",
        "command: str, timeout: Annotated[float, Unrecorded] = 1.0, shell: str = ...)",
    )
    before = arguments("one.yaml")
    assert migrate("one.yaml") == 0
    assert arguments("one.yaml") == before
    assert replays(project, "one.yaml")
    assert main(["cassette", "check", "one.yaml"]) == 0


def test_parameters_that_take_the_rest_are_empty_in_recorded_calls(project):
    project.record("one.yaml")
    project.change("command: str)", "command: str, *more: int, **options: bool)")
    assert migrate("one.yaml") == 0
    assert arguments("one.yaml")[0] == {"command": "a", "more": [], "options": {}}
    assert replays(project, "one.yaml")


@pytest.mark.parametrize(
    ("change", "option"),
    [
        (("command: str", "line: str"), "--rename Shell.run.command=line"),
        (("def run(", "def execute("), "--rename Shell.run=execute"),
    ],
    ids=["parameter", "method"],
)
def test_what_was_renamed_must_be_said_and_then_replays(project, capsys, change, option):
    project.record("one.yaml")
    project.change(*change)
    if "execute" in option:
        project.program(".run(", ".execute(")
    before = (project.root / "one.yaml").read_bytes()
    assert migrate("one.yaml") == 1
    told = capsys.readouterr()
    assert option in told.out
    assert told.err == "1 cassette: 1 left as they were\n"
    assert (project.root / "one.yaml").read_bytes() == before
    assert migrate("one.yaml", *option.split()) == 0
    assert replays(project, "one.yaml")
    assert main(["cassette", "check", "one.yaml"]) == 0


def test_a_renamed_boundary_takes_its_calls_and_its_objects_along(project):
    project.change("def words", "def again(self) -> 'Shell': ...\n    def words")
    project.program("    return [", "    assert shell.again() is shell\n    return [")
    project.program("class Real:", "class Real:\n    def again(self):\n        return self\n")
    project.record("one.yaml")
    assert {"$handle": "Shell"} in [e.get("returned") for e in read_tape(Path("one.yaml"))]
    text = (project.root / "src/app/ports.py").read_text()
    project.ports(text.replace("@outbound", '@outbound(name="Terminal")'))
    assert migrate("one.yaml", "--rename", "Shell=Terminal") == 0
    assert {"$handle": "Terminal"} in [e.get("returned") for e in read_tape(Path("one.yaml"))]
    assert replays(project, "one.yaml")
    assert main(["cassette", "check", "one.yaml"]) == 0


def test_a_parameter_goes_only_when_asked_and_a_required_one_needs_a_recording(project, capsys):
    project.change("command: str)", "command: str, old: int = 3)")
    project.record("one.yaml")
    project.change("old: int = 3", "fresh: bool")
    assert migrate("one.yaml") == 1
    told = capsys.readouterr().out
    assert "Shell.run: parameter `old` no longer exists; if it was renamed: " in told
    assert "--remove Shell.run.old" in told
    assert migrate("one.yaml", "--remove", "Shell.run.old") == 1
    assert (
        "Shell.run: parameter `fresh` is new and has no default that can be stored; "
        "record it again\n"
    ) in capsys.readouterr().out
    project.change("fresh: bool", "fresh: bool = True")
    assert migrate("one.yaml", "--remove", "Shell.run.old") == 0
    assert arguments("one.yaml")[0] == {"command": "a", "fresh": True}
    assert replays(project, "one.yaml")


def test_recorded_values_are_kept_if_only_types_changed(project, capsys):
    project.record("one.yaml")
    before = arguments("one.yaml")
    project.change("command: str) -> str", "command: str | None) -> str | None")
    assert main(["cassette", "check", "one.yaml"]) == 1
    assert migrate("one.yaml") == 0
    assert "  Shell.run: signature updated; the recorded values are kept\n" in (
        capsys.readouterr().err
    )
    assert arguments("one.yaml") == before
    assert replays(project, "one.yaml")
    assert main(["cassette", "check", "one.yaml"]) == 0


def test_a_default_that_is_a_secret_is_not_on_the_tape_and_replays(project):
    project.record("one.yaml")
    project.change(
        "command: str)",
        "command: str, password: str = 'hunter22', key: Annotated[str, Secret] = 'not-told')",
    )
    assert migrate("one.yaml") == 0
    text = (project.root / "one.yaml").read_text()
    assert "hunter22" not in text
    assert "not-told" not in text
    assert replays(project, "one.yaml")


def test_a_default_that_cannot_be_stored_is_a_reason(project, capsys):
    project.record("one.yaml")
    project.change("command: str)", "command: str, log: Callable[[str], None] = print)")
    assert migrate("one.yaml") == 1
    assert "`log` is new and has no default that can be stored" in capsys.readouterr().out


def test_migrations_are_in_the_json(project, capsys):
    project.record("one.yaml")
    project.change("command: str)", "command: str, timeout: float = 1.0)")
    assert migrate("--output-format=json", "one.yaml") == 0
    assert json.loads(capsys.readouterr().out) == {
        "version": 1,
        "status": "fine",
        "remarks": [],
        "cassettes": [
            {
                "path": "one.yaml",
                "status": "migrated",
                "events": 2,
                "changes": ["Shell.run: parameter `timeout` added"],
                "problems": [],
            }
        ],
    }


def test_everything_that_has_a_name_is_renamed_at_once(project):
    write_tape(project.root / "one.yaml", SESSION, HEADER)
    project.change("@outbound\n", '@outbound(name="Term")\n')
    project.change("def run(self, command: str)", "def execute(self, line: str, limit: int = 1)")
    project.change("def words(self, text: str)", "def watch(self)")
    options = "--rename Shell=Term --rename Shell.run=execute --rename Shell.run.command=line"
    assert migrate("one.yaml", *options.split()) == 0
    migrated = read_header(Path("one.yaml"))
    assert migrated["boundaries"] == {
        "Term": {
            "direction": "outbound",
            "methods": {
                "execute": "(line: str, limit: int) -> str",
                "watch": "() -> collections.abc.Iterator[str]",
            },
        },
        "server": HEADER["boundaries"]["server"],
    }
    events = read_tape(Path("one.yaml"))
    assert events[0] == {
        "call": 1,
        "of": "Term.execute",
        "at": 0.1,
        "args": {"line": "a", "limit": 1},
        "took": 0.5,
        "returned": "A",
    }
    assert list(events[0]) == ["call", "of", "at", "args", "took", "returned"]
    assert events[1] == SESSION[1]
    assert events[2]["of"] == "Term.watch"


def test_names_of_a_boundary_without_a_wrapper_cannot_change(project, capsys):
    tape = write_tape(project.root / "one.yaml", SESSION)
    before = tape.read_bytes()
    for option in ("server=other", "server.ask=answer", "Shell=Term"):
        assert migrate("one.yaml", "--rename", option) == 1
        assert ": no wrapper of `" in capsys.readouterr().out
    assert tape.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--rename", "Shell.rnu=x"], "no cassette has 'Shell.rnu'; did you mean"),
        (["--rename", "Shel=x"], "no cassette has 'Shel'; did you mean"),
        (["--rename", "Shell.run.comand=x"], "did you mean `Shell.run.command`?"),
        (["--rename", "Shell.run"], "expected OLD=NEW; got 'Shell.run'"),
        (["--remove", "Shell.run.other"], "no cassette has 'Shell.run.other'"),
    ],
)
def test_options_that_cannot_be_meant_exit_2_and_write_nothing(tmp_path, capsys, options, words):
    tape = write_tape(tmp_path / "one.yaml", SESSION)
    before = tape.read_bytes()
    assert migrate(str(tape), *options) == 2
    assert words in capsys.readouterr().err
    assert tape.read_bytes() == before


def test_a_damaged_cassette_stops_everything_with_its_place(tmp_path, capsys):
    good = write_tape(tmp_path / "a.yaml", SESSION)
    torn = tmp_path / "b.yaml"
    torn.write_bytes(good.read_bytes()[:-30])
    assert migrate(str(tmp_path), "--rename", "Shell=Term") == 2
    assert f"{torn}:" in capsys.readouterr().err
    assert read_tape(good) == SESSION
