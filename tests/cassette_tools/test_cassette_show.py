"""`vcr-gen cassette show`: overview and JSON."""

import json
from pathlib import Path

import pytest
from tape_files import HEADER, SESSION, write_tape

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


def test_show_speaks_json(tape, capsys):
    assert main(["cassette", "show", "--output-format=json", str(tape)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert document["header"]["boundaries"] == HEADER["boundaries"]
    assert [event["event"] for event in document["events"]] == SESSION
    assert document["events"][1]["number"] == 2
    assert main(["cassette", "show", "--output-format=json", str(tape), "2-3"]) == 0
    assert [each["number"] for each in json.loads(capsys.readouterr().out)["events"]] == [2, 3]
