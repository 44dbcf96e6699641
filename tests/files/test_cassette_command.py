"""`vcr-gen cassette check | convert | list | show`, as a person or a script uses them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cassette_values import JSONL, YAML, events, plain_values, same, write
from hypothesis import given

from vcr_gen.cli import main
from vcr_gen.runtime.plain import Plain
from vcr_gen.runtime.tape.reading import Reading
from vcr_gen.runtime.tape.recording import Recording

HEADER: dict[str, Plain] = {
    "vcr-gen": 1,
    "recorded_at": "2026-11-16T05:00:00+00:00",
    "initial_state": {"working_dir": "${project}", "notes": "two\nlines\n"},
    "anchors": ["project"],
}
SESSION: list[dict[str, Plain]] = [
    {"call": 1, "of": "server.start", "inbound": True, "args": {"name": "build", "n": 3}},
    {"call": 2, "of": "Runner.run", "args": {"env": {}, "wait": 2.5}, "returned": "fäil\r\n"},
    {"call": 3, "of": "Runner.watch"},
    {"item": 3, "value": "compiling\n\tmain.c \n"},
    {"end": 3, "raised": {"$type": "OSError", "args": [2, "No such file"]}},
]

CALL: dict[str, Plain] = {"call": 2, "of": "Runner.run", "at": 0.1, "args": {"wait": 2.5}}
RAISED: dict[str, Plain] = {"raised": {"$type": "OSError", "args": [2, "No such file"]}}
RECORDED: list[dict[str, Plain]] = [
    {"call": 1, "of": "server.start", "inbound": True, "at": 0.0, "args": {"name": "build"}},
    {**CALL, "took": 0.5, "returned": "fäil\r\n"},
    {
        "call": 3,
        "of": "Runner.watch",
        "at": 0.7,
        "items": [{"at": 0.8, "value": "compiling\n\tmain.c \n"}, {"at": 0.9, "value": 7}],
        "ended_at": 1.0,
        **RAISED,
    },
]
"""As a recording in YAML writes it."""
UNFOLDED: list[dict[str, Plain]] = [
    *RECORDED[:2],
    {"call": 3, "of": "Runner.watch", "at": 0.7},
    {"item": 3, "at": 0.8, "value": "compiling\n\tmain.c \n"},
    {"item": 3, "at": 0.9, "value": 7},
    {"end": 3, "at": 1.0, **RAISED},
]
"""As a recording in JSONL writes it."""


@pytest.fixture
def tapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # where there is no project
    folder = tmp_path / "cassettes"
    (folder / "inner").mkdir(parents=True)
    (folder / "good.yaml").write_bytes(write(YAML, HEADER, SESSION))
    (folder / "inner" / "good.jsonl").write_bytes(write(JSONL, HEADER, SESSION))
    (folder / "compose.yaml").write_text("services: {}\n")
    (folder / "notes.txt").write_text("not a cassette")
    return folder


def tear(folder: Path) -> Path:
    torn = folder / "torn.yaml"
    torn.write_bytes(write(YAML, HEADER, SESSION)[:-22])
    return torn


def last_line(path: Path) -> int:
    return path.read_bytes().count(b"\n") + 1


def test_check_is_silent_on_stdout_and_exits_0_when_all_is_fine(tapes, capsys):
    assert main(["cassette", "check", str(tapes)]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == (
        "signatures were not compared: no wrappers in generated\n" "2 cassettes, 10 events: fine\n"
    )


def test_check_names_every_problem_with_its_line_and_exits_1(tapes, capsys):
    torn = tear(tapes)
    bad = tapes / "bad.jsonl"
    bad.write_bytes(write(JSONL, HEADER, SESSION).replace(b'"n":3', b'"n":3,"n":4'))
    recording = Recording(tapes / "new.yaml")
    recording.begin(HEADER)
    recording.append(SESSION[0])
    partial = recording.abandon()
    assert partial is not None
    assert main(["cassette", "check", str(tapes)]) == 1
    told = capsys.readouterr()
    assert told.out == (
        f"{bad}:2: the key 'n' appears twice\n"
        "  a damaged cassette that holds 0 whole events\n"
        f"{partial}:{last_line(partial)}: the recording stopped here: the end mark is missing\n"
        "  an interrupted recording that holds 1 whole event\n"
        f"  hint: vcr-gen cassette convert --salvage {partial} NEW\n"
        f"{torn}:{last_line(torn)}: the file ends without its end mark: it was truncated, "
        "or the recording was interrupted\n"
        "  a damaged cassette that holds 4 whole events\n"
        f"  hint: vcr-gen cassette convert --salvage {torn} NEW\n"
    )
    assert told.err.endswith("5 cassettes, 15 events: 3 with problems\n")


def test_check_of_a_named_file_that_is_no_cassette_is_a_problem(tapes, capsys):
    assert main(["cassette", "check", str(tapes / "compose.yaml")]) == 1
    assert "not a cassette: the first key is 'services'" in capsys.readouterr().out
    assert main(["cassette", "check", str(tapes / "notes.txt")]) == 1
    assert "must end in one of" in capsys.readouterr().out


def test_check_of_events_that_cannot_have_happened_names_the_line(tapes, capsys):
    odd = tapes / "odd.jsonl"
    odd.write_bytes(write(JSONL, HEADER, [*SESSION, {"item": 3, "value": 1}]))
    assert main(["cassette", "check", str(odd)]) == 1
    assert capsys.readouterr().out == f"{odd}:7: call 3 has not started, or has already ended\n"
    odd.write_bytes(write(JSONL, {**HEADER, "anchors": "project"}, SESSION))
    assert main(["cassette", "check", str(odd)]) == 1
    assert "`anchors`: expected a list of names" in capsys.readouterr().out


def test_check_of_a_path_that_is_not_there_exits_2(tapes, capsys):
    assert main(["cassette", "check", str(tapes / "gone.yaml")]) == 2
    assert "no such file or folder" in capsys.readouterr().err


def test_check_speaks_json(tapes, capsys):
    torn = tear(tapes)
    assert main(["cassette", "check", "--output-format=json", str(tapes)]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert [entry["events"] for entry in document["cassettes"]] == [5, 4, 5]
    good, damaged, _ = document["cassettes"]
    assert good == {
        "path": str(tapes / "good.yaml"),
        "partial": False,
        "events": 5,
        "recorded_at": HEADER["recorded_at"],
        "problem": None,
        "changed_signatures": [],
    }
    assert damaged["problem"]["line"] == last_line(torn)
    assert damaged["problem"]["message"].startswith(
        f"{torn}:{last_line(torn)}: the file ends without"
    )


def test_check_without_paths_looks_here(tapes, monkeypatch, capsys):
    monkeypatch.chdir(tapes)
    assert main(["cassette", "check", "-v"]) == 0
    assert "good.yaml: fine, 5 events\n" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["unknown"], ["check", "--unknown"], ["convert", "a"]])
def test_wrong_usage_exits_2(arguments, capsys):
    assert main(["cassette", *arguments]) == 2
    assert "usage: vcr-gen " in capsys.readouterr().err


def test_converting_there_and_back_gives_the_same_bytes(tapes, capsys):
    yaml, jsonl, back = tapes / "recorded.yaml", tapes / "new.jsonl", tapes / "back.yaml"
    yaml.write_bytes(write(YAML, HEADER, RECORDED))
    assert main(["cassette", "convert", str(yaml), str(jsonl)]) == 0
    assert main(["cassette", "convert", str(jsonl), str(back)]) == 0
    assert jsonl.read_bytes() == write(JSONL, HEADER, RECORDED)
    assert back.read_bytes() == yaml.read_bytes()
    assert capsys.readouterr().out == f"wrote {jsonl}: 3 events\nwrote {back}: 3 events\n"


def test_converting_to_yaml_folds_streams_as_a_recording_does(tmp_path):
    jsonl, yaml = tmp_path / "tape.jsonl", tmp_path / "tape.yaml"
    jsonl.write_bytes(write(JSONL, HEADER, UNFOLDED))
    assert main(["cassette", "convert", "-q", str(jsonl), str(yaml)]) == 0
    assert yaml.read_bytes() == write(YAML, HEADER, RECORDED)


def test_templates_survive_being_converted(tmp_path):
    yaml, jsonl, back = tmp_path / "a.yaml", tmp_path / "b.jsonl", tmp_path / "c.yaml"
    event = {**RECORDED[1], "returned": {"id": {"$template": "{{ uuid }}"}}}
    yaml.write_bytes(write(YAML, HEADER, [event]))
    assert b"id: !template" in yaml.read_bytes()
    assert main(["cassette", "convert", "-q", str(yaml), str(jsonl)]) == 0
    assert main(["cassette", "convert", "-q", str(jsonl), str(back)]) == 0
    assert jsonl.read_bytes() == write(JSONL, HEADER, [event])
    assert back.read_bytes() == yaml.read_bytes()


@given(state=plain_values, event=events)
def test_every_value_survives_being_converted(tmp_path_factory, state, event):
    folder = tmp_path_factory.mktemp("convert")
    header = {**HEADER, "initial_state": state}
    (folder / "a.yaml").write_bytes(write(YAML, header, [event]))
    assert main(["cassette", "convert", "-q", str(folder / "a.yaml"), str(folder / "b.jsonl")]) == 0
    with Reading(folder / "b.jsonl") as reading:
        assert same(header, reading.header)
        assert same([event], [entry.data for entry in reading])


def test_convert_replaces_nothing_unless_told_to(tapes, capsys):
    source, target = tapes / "good.yaml", tapes / "inner" / "good.jsonl"
    assert main(["cassette", "convert", str(source), str(target)]) == 2
    assert "already exists\n  hint: --force replaces it" in capsys.readouterr().err
    assert main(["cassette", "convert", "--force", str(source), str(target)]) == 0


def test_convert_of_a_damaged_cassette_writes_nothing_unless_it_is_to_save_what_is_whole(
    tapes, capsys
):
    torn, target = tear(tapes), tapes / "saved.jsonl"
    before = sorted(tapes.iterdir())
    assert main(["cassette", "convert", str(torn), str(target)]) == 2
    assert "ends without its end mark" in capsys.readouterr().err
    assert before == sorted(tapes.iterdir())
    assert main(["cassette", "convert", "--salvage", str(torn), str(target)]) == 0
    with Reading(target) as reading:
        assert [entry.data for entry in reading] == SESSION[:4]


def test_list_shows_events_bytes_and_date_of_each_cassette(tapes, capsys):
    (tapes / "new.yaml.partial").write_text("vcr-gen: 1\nevents:\n- ")
    assert main(["cassette", "list", str(tapes)]) == 0
    size = (tapes / "good.yaml").stat().st_size
    first, second, third = capsys.readouterr().out.splitlines()
    assert first.split() == ["5", str(size), "2026-11-16T05:00:00+00:00", str(tapes / "good.yaml")]
    assert second.split() == ["-", "21", "partial", str(tapes / "new.yaml.partial")]
    assert third.endswith("good.jsonl")


def test_list_says_which_cassettes_cannot_be_used_and_why(tapes, capsys):
    torn = tear(tapes)
    assert main(["cassette", "list", str(tapes)]) == 2
    told = capsys.readouterr()
    assert told.out.splitlines()[1].split()[2:] == ["unusable", str(torn)]
    assert told.err.startswith(f"{torn}:{last_line(torn)}: the file ends without")
    assert main(["cassette", "list", "--output-format=json", str(tapes)]) == 2
    document = json.loads(capsys.readouterr().out)
    assert [entry["problem"] is None for entry in document["cassettes"]] == [True, False, True]
    assert document["cassettes"][0] == {
        "path": str(tapes / "good.yaml"),
        "partial": False,
        "events": 5,
        "bytes": (tapes / "good.yaml").stat().st_size,
        "recorded_at": "2026-11-16T05:00:00+00:00",
        "problem": None,
    }


def test_show_prints_events_as_yaml_with_number_and_line(tapes, capsys):
    jsonl = tapes / "inner" / "good.jsonl"
    assert main(["cassette", "show", str(jsonl), "1-2"]) == 0
    assert capsys.readouterr().out == (
        f"# event 1, {jsonl}:2\n{YAML.event(SESSION[0]).decode()}"
        f"# event 2, {jsonl}:3\n{YAML.event(SESSION[1]).decode()}"
    )
    assert main(["cassette", "show", str(jsonl)]) == 0
    assert capsys.readouterr().out.startswith("vcr-gen: 1\nrecorded_at: ")


@pytest.mark.parametrize("wanted", ["0", "6", "3-2", "x", "1-99"])
def test_show_of_events_that_are_not_there_exits_2(tapes, wanted, capsys):
    assert main(["cassette", "show", str(tapes / "good.yaml"), wanted]) == 2
    assert wanted in capsys.readouterr().err


def test_the_command_needs_none_of_the_generators_tools():
    code = (
        "import argparse, sys\n"
        "from vcr_gen.cli.commands import add_command\n"
        "add_command('cassette', argparse.ArgumentParser().add_subparsers())\n"
        "heavy = {'libcst', 'jinja2', 'black', 'mypy', 'pytest'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    environment = {"PYTHONPATH": str(Path(sys.modules["vcr_gen"].__file__ or "").parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    assert done.returncode == 0
