"""`vcr-gen cassette stats`."""

import json

import pytest
from tape_files import SESSION, write_tape
from terminals import run_in_terminal

from vcr_gen.cli import main
from vcr_gen.cli.cassette.stats import percentile


def call(number: int, took: float, **more: object) -> dict[str, object]:
    outcome = more or {"returned": ""}
    return {"call": number, "of": "Shell.run", "at": number * 10.0, "took": took, **outcome}


def test_calls_errors_and_times_are_counted_over_all_files_of_a_folder(tmp_path, capsys):
    write_tape(tmp_path / "a.yaml", SESSION)
    write_tape(tmp_path / "in" / "b.jsonl", [call(n, n / 1000) for n in range(1, 101)])
    (tmp_path / "c.yaml.partial").write_text("vcr-gen: 1\nevents:\n- ")
    assert main(["cassette", "stats", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert told.out.split() == [
        *("calls", "errors", "p50", "p90", "p99", "method"),
        *("103", "1", "51", "ms", "92", "ms", "250", "ms", "Shell.run"),
        *("1", "0", "300", "ms", "300", "ms", "300", "ms", "Shell.watch"),
        *("1", "0", "1", "s", "1", "s", "1", "s", "server.ask"),
    ]
    assert told.err == "2 cassettes, 105 calls\n"


def test_stats_speak_json(tmp_path, capsys):
    path = write_tape(tmp_path / "a.yaml", SESSION)
    assert main(["cassette", "stats", "--output-format=json", str(path)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["version"] == 1
    assert document["methods"][0] == {
        "method": "Shell.run",
        "calls": 3,
        "returned": 1,
        "raised": 1,
        "cancelled": 0,
        "unfinished": 1,
        "items": 0,
        "seconds": {"p50": 0.25, "p90": 0.5, "p99": 0.5},
    }
    assert document["methods"][1]["items"] == 2


def test_a_file_that_cannot_be_used_is_told_and_the_rest_is_counted(tmp_path, capsys):
    write_tape(tmp_path / "a.yaml", SESSION)
    torn = tmp_path / "b.yaml"
    torn.write_bytes((tmp_path / "a.yaml").read_bytes()[:-30])
    assert main(["cassette", "stats", str(tmp_path)]) == 2
    told = capsys.readouterr()
    assert "Shell.run" in told.out
    assert f"{torn}:" in told.err
    assert "1 cassette, 5 calls; 1 unusable" in told.err


@pytest.mark.parametrize(("percent", "value"), [(50, 2.0), (90, 4.0), (99, 4.0), (0, 1.0)])
def test_a_percentile_is_a_value_that_was_measured(percent, value):
    assert percentile([1.0, 2.0, 3.0, 4.0], percent) == value


def test_a_terminal_shows_progress_and_a_pipe_does_not(tmp_path, capsys):
    path = write_tape(tmp_path / "a.yaml", SESSION)
    shown = run_in_terminal("cassette", "stats", str(path), cwd=tmp_path).shown
    assert "\rcounting " in shown
    assert " %" in shown
    assert main(["cassette", "stats", str(path)]) == 0
    assert "counting" not in capsys.readouterr().err
