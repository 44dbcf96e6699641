"""`vcr-gen cassette diff`: added, removed, moved, modified and breaking changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from tape_files import HEADER, SESSION, write_tape

from vcr_gen.cli import main


def run(number: int, command: str, returned: Any = "", **more: Any) -> dict[str, Any]:
    """A call of `Shell.run`."""
    call = {"call": number, "of": "Shell.run", "at": float(number), "args": {"command": command}}
    outcome = {"took": 0.5, "returned": returned} if "raised" not in more else {"took": 0.1}
    return {**call, **outcome, **more}


def diff(tmp_path: Path, before: list[Any], after: list[Any], *options: str) -> int:
    a = write_tape(tmp_path / "a.yaml", before)
    b = write_tape(tmp_path / "b.jsonl", after)
    return main(["cassette", "diff", *options, str(a), str(b)])


def document(tmp_path: Path, capsys: Any, before: list[Any], after: list[Any]) -> dict[str, Any]:
    diff(tmp_path, before, after, "--output-format=json")
    told = json.loads(capsys.readouterr().out)
    assert told["version"] == 1
    return told


def changes(tmp_path: Path, capsys: Any, before: Any, after: Any) -> list[tuple[str, str, bool]]:
    """What changed when one answer became another."""
    found = document(tmp_path, capsys, [run(1, "a", before)], [run(1, "a", after)])
    return [
        (change["path"], change["kind"], change["breaking"])
        for difference in found["modified"]
        for change in difference["changes"]
    ]


def test_the_same_session_recorded_again_does_not_differ(tmp_path, capsys):
    later = [
        {**event, "at": event["at"] * 2, **({"took": 9.0} if "took" in event else {})}
        for event in SESSION
    ]
    elsewhere = {"tmp": "9-0123456789ab"}
    header = {**HEADER, "recorded_at": "2027-01-01T00:00:00+00:00", "roots": elsewhere}
    a, b = tmp_path / "a.yaml", tmp_path / "b.jsonl"
    write_tape(a, SESSION)
    write_tape(b, later, header)
    assert main(["cassette", "diff", str(a), str(b)]) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "no differences\n")


def test_calls_that_came_went_moved_and_changed_are_told_with_their_places(tmp_path, capsys):
    before = [run(1, "a"), run(2, "e"), run(3, "b"), run(4, "c"), run(5, "d", "old")]
    after = [run(1, "c"), run(2, "a"), run(3, "e"), run(4, "new"), run(5, "d", "young")]
    after[3]["of"] = "Shell.watch"
    assert diff(tmp_path, before, after) == 1
    told = capsys.readouterr()
    a, b = tmp_path / "a.yaml", tmp_path / "b.jsonl"
    blocks = sorted(told.out.replace("\n    ", "\n\t").split("\n"))
    assert (
        sorted(
            [
                "",
                '- removed Shell.run(command="b")',
                f"\t{a}:28 (event 3)",
                '+ added Shell.watch(command="new")',
                f"\t{b}:5 (event 4)",
                '> moved Shell.run(command="c")',
                f"\t{a}:35 (event 4) → {b}:2 (event 1)",
                '~ modified Shell.run(command="d")',
                f"\t{a}:42 (event 5) → {b}:6 (event 5)",
                "\treturned: value differs",
                '\t  - "old"',
                '\t  + "young"',
            ]
        )
        == blocks
    )
    assert told.err == "4 differences: 1 added, 1 removed, 1 moved, 1 modified; none breaking\n"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 2}, [("returned.a", "value", False)]),
        ({"a": 1}, {}, [("returned.a", "vanished", True)]),
        ({}, {"a": 1}, [("returned.a", "added", False)]),
        ({"a": 1}, {"a": "1"}, [("returned.a", "type", True)]),
        ({"a": 1}, {"a": 1.0}, [("returned.a", "type", True)]),
        ({"a": 1}, {"a": True}, [("returned.a", "type", True)]),
        ({"a": 1}, {"a": None}, [("returned.a", "type", True)]),
        ({"a": None}, {"a": 1}, [("returned.a", "type", False)]),
        ({"a": [1, 2]}, {"a": [1]}, [("returned.a[1]", "vanished", False)]),
        ({"a": [{"b": 1}]}, {"a": [{}]}, [("returned.a[0].b", "vanished", True)]),
        ({"$type": "A"}, {"$type": "B"}, [("returned.$type", "type", True)]),
    ],
)
def test_what_vanishes_or_changes_its_type_breaks_and_what_is_added_does_not(
    tmp_path, capsys, before, after, expected
):
    assert changes(tmp_path, capsys, before, after) == expected


def test_a_success_that_became_an_error_breaks_and_the_other_way_does_not(tmp_path, capsys):
    good, bad = [run(1, "a", "x")], [run(1, "a", raised={"$type": "OSError", "args": []})]
    assert diff(tmp_path, good, bad, "--fail-on-breaking") == 1
    assert "breaking: outcome: returned became raised" in capsys.readouterr().out
    assert diff(tmp_path, bad, good, "--fail-on-breaking") == 0
    assert capsys.readouterr().err == "1 difference: 1 modified; none breaking\n"
    assert diff(tmp_path, bad, good) == 1


def test_items_of_streams_are_compared(tmp_path, capsys):
    after = [dict(event) for event in SESSION]
    after[3]["value"] = {"line": "one"}
    del after[5]
    found = document(tmp_path, capsys, SESSION, after)
    assert found["modified"][0]["changes"] == [
        {
            "path": "items[0]",
            "kind": "type",
            "breaking": True,
            "before": "one",
            "after": {"line": "one"},
        },
        {"path": "items[1]", "kind": "vanished", "breaking": False, "before": "two"},
    ]


def test_numbers_of_live_objects_do_not_count(tmp_path, capsys):
    def use(call: int, on: int, command: str = "x") -> dict[str, Any]:
        return run(call, command, on=f"#{on}")

    before = [run(1, "a", {"$handle": 1}), run(2, "b", {"$handle": 2}), use(3, 1), use(4, 2, "y")]
    shifted = [
        run(1, "new", {"$handle": 1}),
        run(2, "a", {"$handle": 2}),
        run(3, "b", {"$handle": 3}),
        use(4, 2),
        use(5, 3, "y"),
    ]
    assert document(tmp_path, capsys, before, shifted)["modified"] == []
    named = [*before[:2], {**use(3, 1), "on": "Shell~2"}, use(4, 2, "y")]
    (found,) = document(tmp_path, capsys, before, named)["modified"]
    assert [change["path"] for change in found["changes"]] == ["on"]


def test_the_order_between_strands_is_chance_and_inside_one_it_is_not(tmp_path, capsys):
    def call(number: int, command: str, strand: str) -> dict[str, Any]:
        return run(number, command, strand=strand)

    before = [
        call(1, "a1", "0.1"),
        call(2, "b1", "0.2"),
        call(3, "a2", "0.1"),
        call(4, "b2", "0.2"),
    ]
    other_turns = [
        call(1, "a1", "0.1"),
        call(2, "a2", "0.1"),
        call(3, "b1", "0.2"),
        call(4, "b2", "0.2"),
    ]
    assert diff(tmp_path, before, other_turns) == 0
    swapped = [
        call(1, "a1", "0.1"),
        call(2, "b2", "0.2"),
        call(3, "a2", "0.1"),
        call(4, "b1", "0.2"),
    ]
    assert len(document(tmp_path, capsys, before, swapped)["moved"]) == 1


def test_calls_with_other_arguments_are_paired_by_their_method(tmp_path, capsys):
    before = [run(1, "a"), run(2, "b"), run(3, "c"), run(4, "d")]
    after = [run(1, "a"), run(2, "b!"), run(3, "b?"), run(4, "c"), run(5, "d", of="Shell.watch")]
    found = document(tmp_path, capsys, before, after)
    assert [one["after"]["event"] for one in found["modified"]] == [2]
    assert [one["after"]["event"] for one in found["added"]] == [3, 5]
    assert [one["before"]["event"] for one in found["removed"]] == [4]


def test_a_changed_state_or_signature_is_a_difference(tmp_path, capsys):
    methods = {"run": "(command: str, timeout: int) -> str"}
    changed = {
        **HEADER,
        "initial_state": {"cwd": "/b"},
        "boundaries": {"Shell": {"direction": "outbound", "methods": methods}},
    }
    a = write_tape(tmp_path / "a.yaml", [], {**HEADER, "initial_state": {"cwd": "/a"}})
    b = write_tape(tmp_path / "b.yaml", [], changed)
    assert main(["cassette", "diff", str(a), str(b)]) == 1
    told = capsys.readouterr().out
    assert 'initial_state.cwd: value differs\n  - "/a"\n  + "/b"\n' in told
    assert "signature of Shell.run: value differs" in told


def test_bad_input_exits_2_with_its_place(tmp_path, capsys):
    good = write_tape(tmp_path / "good.yaml", SESSION)
    torn = tmp_path / "torn.yaml"
    torn.write_bytes(good.read_bytes()[:-30])
    for other, words in (
        (torn, "torn.yaml:"),
        (tmp_path / "no.yaml", "no such cassette"),
        (tmp_path, f"{tmp_path}: "),
    ):
        assert main(["cassette", "diff", str(good), str(other)]) == 2
        assert words in capsys.readouterr().err


def test_numbers_of_secrets_do_not_count(tmp_path, capsys):
    one, two = "<redacted:password:1>", "<redacted:password:2>"
    before = [run(1, f"login {one}"), run(2, f"login {two} again", f"as {one}")]
    renumbered = [
        run(1, "new"),
        run(2, f"login {two}"),
        run(3, f"login {one} again", f"as {two}"),
    ]
    found = document(tmp_path, capsys, before, renumbered)
    assert [len(found[kind]) for kind in ("added", "removed", "moved", "modified")] == [1, 0, 0, 0]


def test_the_items_of_a_list_are_compared_by_a_key_that_is_declared(tmp_path, capsys):
    def tools(*names: str, **more: Any) -> dict[str, Any]:
        return {"tools": [{"name": name, "tags": [{"id": 1}], **more} for name in names]}

    def compare(before: Any, after: Any, *keys: str) -> list[tuple[str, str, bool]]:
        options = [option for key in keys for option in ("--key", key)]
        calls = [[run(1, "a", before)], [run(1, "a", after)]]
        diff(tmp_path, *calls, "--output-format=json", *options)
        told = json.loads(capsys.readouterr().out)
        return [
            (change["path"], change["kind"], change["breaking"])
            for difference in told["modified"]
            for change in difference["changes"]
        ]

    search, fetch = tools("search", "fetch"), tools("fetch", "search")
    assert compare(search, fetch)
    assert compare(search, fetch, "tools=name") == []
    assert compare(search, tools("fetch", "find"), "tools=name") == [
        ("returned.tools[name=search]", "vanished", True),
        ("returned.tools[name=find]", "added", False),
    ]
    changed = {"tools": [{"name": "search", "tags": []}, search["tools"][1]]}
    assert compare(search, changed, "tools=name", "tags=id") == [
        ("returned.tools[name=search].tags[id=1]", "vanished", True)
    ]
    doubled = tools("search", "search")
    assert compare(doubled, search, "tools=name") == [("returned.tools[1].name", "value", False)]


def test_a_key_without_a_field_is_refused(tmp_path, capsys):
    assert diff(tmp_path, [run(1, "a")], [run(1, "a")], "--key", "tools") == 2
    assert "LIST=FIELD" in capsys.readouterr().err
