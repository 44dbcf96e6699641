"""`vcr-gen cassette show`: overview, JSON, colours and the pager."""

import json
from pathlib import Path

import pytest
from tape_files import HEADER, SESSION, write_tape
from terminals import run_in_terminal

from vcr_gen.cli import main


@pytest.fixture(params=["yaml", "jsonl"])
def tape(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    return write_tape(tmp_path / f"tape.{request.param}", SESSION)


def test_the_overview_has_one_line_for_each_event_indented_by_nesting(tape, capsys):
    assert main(["cassette", "show", "--overview", str(tape)]) == 0
    assert capsys.readouterr().out == (
        ' 1    0.100000  → Shell.run(command="a")  returned "A"  [500 ms]\n'
        ' 2    1.000000  ← server.ask(question="q") …\n'
        " 3    1.100000    → Shell.watch() …\n"
        ' 4    1.200000      · "one"\n'
        " 5    1.250000  → executor.job()  returned None  [0 µs]\n"
        ' 6    1.300000      · "two"\n'
        " 7    1.400000      Shell.watch is closed\n"
        " 8    1.400000      Shell.watch returned None  [300 ms]\n"
        ' 9    1.500000    → Shell.run(command="b")  raised OSError(2, "no b")  [250 ms]\n'
        '10    2.000000    server.ask returned "answer"  [1 s]\n'
        '11    3.000000  → Shell.run(command="c") …\n'
    )


def test_an_option_that_does_not_exist_exits_2_with_a_suggestion(tape, capsys):
    assert main(["cassette", "show", str(tape), "--overvew"]) == 2
    assert "--overvew; did you mean --overview?" in capsys.readouterr().err


def test_show_speaks_json(tape, capsys):
    assert main(["cassette", "show", "--output-format=json", str(tape)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert document["header"]["boundaries"] == HEADER["boundaries"]
    assert [event["event"] for event in document["events"]] == SESSION
    assert document["events"][1]["number"] == 2
    assert main(["cassette", "show", "--output-format=json", str(tape), "2-3"]) == 0
    assert [each["number"] for each in json.loads(capsys.readouterr().out)["events"]] == [2, 3]


def test_a_terminal_gets_colours_and_pages(tape, tmp_path):
    # A pager that proves that it was asked, and leaves no line as it was.
    pager = "sed s/^/page:/"
    shown = run_in_terminal(
        "cassette", "show", str(tape), "9", cwd=tmp_path, PAGER=pager, NO_COLOR=""
    )
    assert shown.code == 0
    assert "page:\033[2m# event 9" in shown.shown
    assert "page:- \033[36mcall\033[0m: 5\n" in shown.shown
    assert "\033[31mraised\033[0m:" in shown.shown
    plain = run_in_terminal(
        "cassette", "show", str(tape), "9", cwd=tmp_path, PAGER=pager, NO_COLOR="1"
    )
    assert "page:- call: 5\n" in plain.shown
    for chosen in ("cat", "", "no-such-pager"):
        direct = run_in_terminal("cassette", "show", str(tape), "9", cwd=tmp_path, PAGER=chosen)
        assert "# event 9" in direct.shown
        assert "page:" not in direct.shown


def test_a_pager_that_is_left_early_is_no_failure(tmp_path):
    long = [{**SESSION[0], "call": number} for number in range(1, 5000)]
    tape = write_tape(tmp_path / "long.jsonl", long)
    shown = run_in_terminal(
        "cassette", "show", "--overview", str(tape), cwd=tmp_path, PAGER="head -1"
    )
    assert (shown.code, shown.shown.count("\n")) == (0, 1)


def test_there_is_no_pager_in_a_pipe(tape, capsys, monkeypatch):
    monkeypatch.setenv("PAGER", "sed s/^/page:/")
    assert main(["cassette", "show", str(tape), "1"]) == 0
    assert "page:" not in capsys.readouterr().out


def test_text_that_looks_like_keys_is_left_alone_in_colour(tmp_path):
    event = {**SESSION[0], "returned": "call: 7\n  took: 3\n"}
    tape = write_tape(tmp_path / "tape.yaml", [event])
    shown = run_in_terminal("cassette", "show", str(tape), cwd=tmp_path, PAGER="cat", NO_COLOR="")
    assert "\n    call: 7\n      took: 3\n" in shown.shown
    assert "\033[36mtook\033[0m: 0.5" in shown.shown


def test_the_cassettes_of_a_folder_are_shown_one_after_another(tmp_path, capsys):
    for name in ("a.yaml", "b.jsonl"):
        write_tape(tmp_path / "tapes" / name, SESSION[:1])
    folder = str(tmp_path / "tapes")
    assert main(["cassette", "show", folder, "--overview"]) == 0
    line = '1    0.100000  → Shell.run(command="a")  returned "A"  [500 ms]\n'
    assert capsys.readouterr().out == f"# {folder}/a.yaml\n{line}# {folder}/b.jsonl\n{line}"
    for options in (["1"], ["--output-format=json"]):
        assert main(["cassette", "show", folder, *options]) == 2
        assert folder in capsys.readouterr().err
