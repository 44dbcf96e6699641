"""Whatever a file is, every tool says so with its place and never shows a traceback."""

import os
import re
from pathlib import Path

import pytest
from tape_files import SESSION, write_tape

from vcr_gen.cli import main

TOOLS = {
    "list": "list BAD",
    "show": "show BAD",
    "show overview": "show BAD --overview",
    "show json": "show BAD --output-format json",
    "check": "check BAD --no-signatures",
    "diff": "diff good.yaml BAD",
    "stats": "stats BAD",
    "convert": "convert BAD out.jsonl",
    "migrate": "migrate BAD",
    "merge": "merge good.yaml BAD -o out.yaml",
}
WORDS = {
    "torn.yaml": "torn.yaml:68: the file ends without its end mark",
    "torn.jsonl": "torn.jsonl:12: the file ends without its end mark",
    "binary.yaml": "binary.yaml:1: ",
    "binary.jsonl": "binary.jsonl:1: ",
    "empty.yaml": "empty.yaml:1: ",
    "other.yaml": "other.yaml:1: not a cassette",
    "old.yaml": "unsupported cassette format version 99",
    "odd.yaml": "odd.yaml:14: call 7 has not started, or has already ended",
    "merged.yaml": "merged.yaml:20: unresolved merge conflict",
    "merged.jsonl": "merged.jsonl:3: unresolved merge conflict",
    "notes.txt": "notes.txt: a cassette's name must end in one of",
    "left.yaml.partial": "left.yaml.partial:",
    "pipe.yaml": "pipe.yaml: not a regular file",
    "missing.yaml": "missing.yaml: no such",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for suffix in ("yaml", "jsonl"):
        whole = write_tape(tmp_path / f"good.{suffix}", SESSION).read_bytes()
        (tmp_path / f"torn.{suffix}").write_bytes(whole[:-24])
        (tmp_path / f"binary.{suffix}").write_bytes(bytes(range(256)) * 20)
        lines = whole.splitlines(keepends=True)
        place = 19 if suffix == "yaml" else 2
        lines[place:place] = [b"<<<<<<< HEAD\n", *lines[place:-1], b"=======\n"]
        (tmp_path / f"merged.{suffix}").write_bytes(b"".join([*lines, b">>>>>>> theirs\n"]))
    (tmp_path / "empty.yaml").touch()
    (tmp_path / "other.yaml").write_text("services: {}\n")
    (tmp_path / "old.yaml").write_text("vcr-gen: 99\nevents: []\nend:\n  events: 0\n")
    write_tape(tmp_path / "odd.yaml", [{"item": 7, "value": 1}])
    (tmp_path / "notes.txt").write_text("vcr-gen: 1\n")
    (tmp_path / "left.yaml.partial").write_text("vcr-gen: 1\nevents:\n- ")
    os.mkfifo(tmp_path / "pipe.yaml")
    return tmp_path


@pytest.mark.parametrize("tool", TOOLS)
def test_bad_files_are_told_with_their_place(folder, tool, capsys):
    left = sorted(folder.iterdir())
    for bad, words in WORDS.items():
        if bad == "odd.yaml" and tool in ("list", "show", "show overview", "show json", "convert"):
            continue  # they copy or print what is there, and need not understand it
        if bad.endswith(".partial") and tool == "list":
            continue  # it is listed as what it is
        code = main(["cassette", *TOOLS[tool].replace("BAD", bad).split()])
        told = capsys.readouterr()
        assert words in told.out + told.err, bad
        assert code == (1 if tool == "check" and bad != "missing.yaml" else 2), bad
        assert "Traceback" not in told.err
        assert sorted(folder.iterdir()) == left


@pytest.mark.parametrize("tool", ["show", "convert", "diff", "merge"])
def test_a_folder_is_refused_where_one_cassette_is_wanted(folder, tool, capsys):
    (folder / "inner").mkdir()
    assert main(["cassette", *TOOLS[tool].replace("BAD", "inner").split()]) == 2
    assert "inner" in capsys.readouterr().err


@pytest.mark.parametrize("tool", ["list", "check", "stats", "migrate"])
def test_an_empty_folder_is_no_error(folder, tool, capsys):
    (folder / "inner").mkdir()
    command = TOOLS[tool].replace("BAD", "inner")
    assert main(["cassette", *command.split()]) == 0


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ('recorded_at: "', 'recorded_at: "x', ":2: `recorded_at`: expected a date and time"),
        ("  took: ", "  took: -", "`took`: expected seconds; got -"),
        ("  at: ", "  at: -", "`at`: expected seconds; got -"),
    ],
)
def test_a_header_or_time_that_was_edited_is_told_with_its_line(
    folder, right, wrong, words, capsys
):
    path = folder / "good.yaml"
    text = path.read_text()
    assert right in text
    path.write_text(text.replace(right, wrong, 1))
    assert main(["cassette", "check", "--no-signatures", str(path)]) == 1
    told = capsys.readouterr().out
    assert words in told
    assert re.search(r"good\.yaml:\d+: ", told)
