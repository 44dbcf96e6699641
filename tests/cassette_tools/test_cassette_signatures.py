"""`vcr-gen cassette check` against the wrappers of today."""

import json
from pathlib import Path

import pytest
from tape_files import SESSION, write_tape

from vcr_gen.cli import main


@pytest.mark.parametrize("suffix", ["yaml", "jsonl"])
def test_cassettes_recorded_against_another_signature_are_named(project, suffix, capsys):
    tape = f"tapes/one.{suffix}"
    project.record(tape)
    assert main(["cassette", "check", "tapes"]) == 0
    events = 3 if suffix == "yaml" else 6  # where the items of a stream are a line each
    assert capsys.readouterr().err == f"1 cassette, {events} events: fine\n"
    project.change("command: str)", "command: str, timeout: float = 1.0)")
    assert main(["cassette", "check", "tapes"]) == 1
    told = capsys.readouterr()
    assert told.out == (
        f"{tape}: recorded before parameter `timeout` was added to `Shell.run`\n"
        f"  hint: vcr-gen cassette migrate {tape}, or record it again\n"
    )
    assert told.err == f"1 cassette, {events} events: 1 with problems\n"
    assert main(["cassette", "check", "tapes", "--no-signatures"]) == 0


@pytest.mark.parametrize(
    ("today", "hint"),
    [
        (
            "line: str)",
            "vcr-gen cassette migrate --rename Shell.run.command=line one.yaml, "
            "or record it again",
        ),
        (
            "command: bytes)",
            "record it again; if the recorded values are still valid: "
            "vcr-gen cassette migrate one.yaml",
        ),
    ],
)
def test_the_hint_is_a_command_that_helps(project, today, hint, capsys):
    project.record("one.yaml")
    project.change("command: str)", today)
    assert main(["cassette", "check", "one.yaml"]) == 1
    assert f"  hint: {hint}\n" in capsys.readouterr().out


def test_annotations_that_become_text_are_no_change(project, capsys):
    project.change(
        "command: str)", "command: str, where: Path = Path(), limits: Limits = Limits())"
    )
    project.record("one.yaml")
    project.change(
        "from collections.abc", "from __future__ import annotations\nfrom collections.abc"
    )
    assert main(["cassette", "check", "one.yaml"]) == 0
    project.change("where: Path ", "where: Path | None ")
    assert main(["cassette", "check", "one.yaml"]) == 1
    words = "recorded before the type of parameter `where` of `Shell.run` changed"
    assert words in capsys.readouterr().out


def test_changed_signatures_are_in_the_json(project, capsys):
    project.record("one.yaml")
    project.change("def run(", "def execute(")
    assert main(["cassette", "check", "--output-format=json", "one.yaml"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["cassettes"][0]["changed_signatures"] == [
        {
            "method": "Shell.run",
            "recorded": "(command: str) -> str",
            "current": None,
            "message": "recorded before `run` was renamed or removed from `Shell`",
        }
    ]


def test_a_method_that_the_tape_does_not_use_and_a_boundary_of_others_do_not_matter(
    project, capsys
):
    project.program('list(shell.words("b c")), ', "")
    project.record("one.yaml")
    project.change("text: str)", "text: str, at: int = 0)")
    write_tape(project.root / "other.yaml", [e for e in SESSION if e.get("of") != "Shell.run"][:1])
    assert main(["cassette", "check", "one.yaml"]) == 0
    methods = {"run": "(other: int) -> int"}
    header = {
        "recorded_at": "2026-11-16T05:00:00+00:00",
        "boundaries": {"Somebody": {"direction": "outbound", "methods": methods}},
    }
    write_tape(project.root / "foreign.yaml", [{**SESSION[0], "of": "Somebody.run"}], header)
    assert main(["cassette", "check", "foreign.yaml"]) == 0


def test_wrappers_that_cannot_be_imported_are_explained(project, capsys):
    project.record("one.yaml")
    ports = project.root / "src/app/ports.py"
    ports.write_text("print('noise')\nimport no_such_package\n" + ports.read_text())
    assert main(["cassette", "check", "one.yaml"]) == 0
    assert capsys.readouterr().err == (
        "signatures of vcr_app.ports were not compared: it cannot be imported: "
        "ModuleNotFoundError: No module named 'no_such_package'\n"
        "1 cassette, 3 events: fine\n"
    )
    ports.write_text("import os\nos._exit(3)\n")
    assert main(["cassette", "check", "one.yaml"]) == 0
    assert "signatures were not compared: " in capsys.readouterr().err


def test_files_of_the_project_do_not_stand_in_for_those_of_python(project, capsys):
    project.record("one.yaml")
    project.write("json.py", "raise SystemExit('imported')\n")
    assert main(["cassette", "check", "one.yaml"]) == 0
    assert capsys.readouterr().err == "1 cassette, 3 events: fine\n"


def test_nothing_that_a_cassette_names_is_imported(project, capsys):
    header = {
        "recorded_at": "2026-11-16T05:00:00+00:00",
        "boundaries": {"run": {"direction": "outbound", "methods": {"x": "() -> run.Real"}}},
    }
    event = {"call": 1, "of": "run.x", "at": 0.0, "took": 0.0, "returned": {"$type": "run.Real"}}
    write_tape(project.root / "evil.yaml", [event], header)
    project.write("run.py", "open('imported', 'w').close()")
    assert main(["cassette", "check", "evil.yaml"]) == 0
    assert not (project.root / "imported").exists()


def test_a_project_without_wrappers_is_said_to_be_one(project, capsys, tmp_path):
    project.record("one.yaml")
    empty = tmp_path / "empty" / "pyproject.toml"
    empty.parent.mkdir()
    empty.write_text("[tool.vcr-gen]\noutput = 'made'\n")
    assert main(["cassette", "check", "one.yaml", "--config", str(empty)]) == 0
    told = capsys.readouterr().err
    made = empty.parent / "made"
    assert f"signatures were not compared: no wrappers in {made}\n" in told
    empty.write_text("[tool.vcr-gen]\noutptu = 'made'\n")
    assert main(["cassette", "check", "one.yaml", "--config", str(empty)]) == 2
    assert "did you mean" in capsys.readouterr().err


def test_the_cassettes_of_the_example_fit_its_wrappers(monkeypatch, capsys):
    monkeypatch.chdir(Path(__file__).parents[2] / "docs" / "examples" / "agent_server")
    assert main(["cassette", "check", "--output-format=json", "cassettes"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["remarks"] == []
    assert document["cassettes"]


NAMESAKE = """
from typing import Protocol

from vcr_gen.boundary import outbound


@outbound
class Shell(Protocol):
    def run(self, command: str, timeout: float = 5.0) -> str: ...
"""


def with_namesake(project):
    """A second package, the wrappers of which are asked last."""
    project.write("src/zoo/__init__.py", "")
    project.write("src/zoo/ports.py", NAMESAKE)
    project.change("class Shell", "class Shell")


def test_boundaries_of_one_name_are_not_compared(project, capsys):
    with_namesake(project)
    project.record("one.yaml")
    before = (project.root / "one.yaml").read_bytes()
    assert main(["cassette", "check", "one.yaml"]) == 0
    assert main(["cassette", "migrate", "one.yaml"]) == 0
    assert (project.root / "one.yaml").read_bytes() == before
    remark = (
        "signatures of `Shell` were not compared: several boundaries have this name; "
        "give them different ones: @outbound(name=…)\n"
    )
    assert capsys.readouterr().err.count(remark) == 2
    project.change("@outbound", '@outbound(name="AppShell")')
    assert main(["cassette", "migrate", "--rename", "Shell=AppShell", "one.yaml"]) == 0
    assert project.run("one.yaml", "none").returncode == 0
