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


def test_live_objects_are_named_by_the_call_that_brought_them(tmp_path, capsys):
    error = {"$type": "app.OutOfStock", "args": ["1 x tea missing"]}
    events = [
        {"call": 1, "of": "Store.lock", "at": 0.0, "args": {"name": "a"}, "took": 0.0}
        | {"returned": {"$manager": 1}},
        {"call": 2, "of": "manager.enter", "on": "#1", "at": 0.0, "took": 0.0}
        | {"returned": {"$handle": 2}},
        {"call": 3, "of": "Rows.fetch", "on": "#2", "at": 0.0, "took": 0.25, "clock": 0.0}
        | {"returned": [1]},
        {"call": 4, "of": "Store.watch", "at": 0.0, "args": {"seen": {"$callable": 3}}},
        {"call": 5, "of": "callable.call", "on": "#3", "inbound": True, "within": 4, "at": 0.0}
        | {"args": {"arg1": "a"}, "took": 0.5, "returned": None},
        {"end": 4, "at": 0.5, "returned": None},
        {"call": 6, "of": "manager.exit", "on": "#1", "at": 0.5, "args": {"exception": error}}
        | {"took": 0.0, "returned": False},
        {"call": 7, "of": "Store.prices", "at": 0.5, "items": [{"at": 0.5, "value": 10}]}
        | {"closed_at": 0.75, "ended_at": 0.75, "took": 0.001},
    ]
    tape = write_tape(tmp_path / "tape.yaml", events)
    assert main(["cassette", "show", "--overview", str(tape)]) == 0
    assert capsys.readouterr().out == (
        '1    0.000000  → Store.lock(name="a")  returned context manager #1  [0 µs]\n'
        '2    0.000000  → entering the block `with Store.lock(name="a")`'
        "  returned handle #2  [0 µs]\n"
        '3    0.000000  → Rows.fetch() on #2 of Store.lock(name="a")  returned [1]  [250 ms]\n'
        "4    0.000000  → Store.watch(seen=function #3) …\n"
        '5    0.000000    ← seen("a") of Store.watch  returned None  [500 ms]\n'
        "6    0.500000    Store.watch returned None  [500 ms]\n"
        '7    0.500000  → OutOfStock("1 x tea missing") leaving the block'
        ' `with Store.lock(name="a")`  returned False  [0 µs]\n'
        "8    0.500000  → Store.prices()  · 10  is closed  returned None  [1 ms]\n"
    )
    assert main(["cassette", "stats", "--output-format=json", str(tape)]) == 0
    methods = {each["method"]: each for each in json.loads(capsys.readouterr().out)["methods"]}
    assert methods["Rows.fetch"]["seconds"]["p50"] == 0.25
    assert sorted(methods) == [
        *("Rows.fetch", "Store.lock", "Store.lock: enter block", "Store.lock: leave block"),
        *("Store.prices", "Store.watch", "Store.watch seen: call"),
    ]
