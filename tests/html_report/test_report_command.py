"""`vcr-gen cassette report`, as a script uses it: where the page goes, and what never does."""

import base64
import hashlib
import json
import os
import pty
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from report_pages import EXAMPLE, requests
from tape_data import write_tape

from vcr_gen.cli import main
from vcr_gen.html_report import REPORT_VERSION, session_report, write_report
from vcr_gen.runtime.codec.tags import LIVE

ASSETS = Path(session_report.__file__).with_name("assets")


def report(*arguments: object) -> int:
    return main(["cassette", "report", *map(str, arguments)])


def test_the_page_is_written_here_and_its_name_printed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert report(EXAMPLE) == 0
    told = capsys.readouterr()
    assert (told.out, told.err) == ("release.html\n", "")
    assert os.listdir(tmp_path) == ["release.html"]
    mask = os.umask(0)
    os.umask(mask)
    assert (tmp_path / "release.html").stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_report_is_replaced_and_nothing_else_is(tmp_path, capsys):
    target = tmp_path / "new" / "page.html"
    assert report(EXAMPLE, "-o", target) == 0
    first = target.read_bytes()
    assert report(EXAMPLE, "-o", target) == 0
    assert first == target.read_bytes()
    target.write_text("<p>my own page</p>")
    assert report(EXAMPLE, "-o", target) == 2
    assert capsys.readouterr().err == (
        f"{target}: not a report of vcr-gen, so it is not replaced\n"
        "  hint: -o writes the report elsewhere, --force replaces the file\n"
    )
    assert target.read_text() == "<p>my own page</p>"
    assert report(EXAMPLE, "-o", target, "--force") == 0
    assert first == target.read_bytes()


def test_a_folder_in_the_way_is_an_error(tmp_path, capsys):
    assert report(EXAMPLE, "-o", tmp_path) == 2
    assert "path exists and is not a regular file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text[:-40], "ends without its end mark"),
        (lambda text: text.replace("- end: 7\n", "- end: 70\n"), "call 70 has not started"),
        (lambda text: text.replace("  inbound: true", "  inbound: 1", 1), "`inbound`: expected"),
    ],
)
def test_a_damaged_cassette_makes_no_page_and_spoils_none(damage, message, tmp_path, capsys):
    target = tmp_path / "page.html"
    assert report(EXAMPLE, "-o", target) == 0
    before = target.read_bytes()
    tape = tmp_path / "tape.yaml"
    tape.write_text(damage(EXAMPLE.read_text(encoding="utf-8")), encoding="utf-8")
    assert report(tape, "-o", target) == 2
    told = capsys.readouterr().err
    assert re.match(rf"{re.escape(str(tape))}:\d+: ", told)
    assert message in told
    assert before == target.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["page.html", "tape.yaml"]


def test_a_cassette_that_is_not_there_is_an_error(tmp_path, capsys):
    assert report(tmp_path / "gone.yaml", "-o", tmp_path / "page.html") == 2
    assert "no such cassette" in capsys.readouterr().err


def test_the_page_needs_nothing_from_anywhere_and_lets_nothing_else_run(tmp_path):
    report(EXAMPLE, "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.S)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
    for name, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]
    assert re.findall(r"""(?:src|href|url\()\s*=?\s*["']?(?!data:)[a-z]+:""", page) == []
    for way_to_markup in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
    ):
        assert way_to_markup not in script


def test_the_data_is_versioned_json_without_anything_that_html_could_take_for_markup(tmp_path):
    hostile = "</script><!-- <script> & \u2028 \u2029 -->"
    events = [{"call": 1, "of": hostile, "at": 0.0, "args": {hostile: hostile}}]
    write_report(tmp_path / "page.html", write_tape(tmp_path / "tape.yaml", events))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    (summary,) = re.findall(r'<script type="application/json" id="report">(.*?)</script>', page)
    (block,) = re.findall(r'<script type="application/x-ndjson"[^>]*>\n(.*?)</script>', page, re.S)
    assert not set("<>&\u2028\u2029") & set(summary + block)
    document = json.loads(summary)
    assert document["version"] == REPORT_VERSION == 1
    assert document["tapes"][0]["events"] == 1
    head, body = map(json.loads, block.splitlines())
    assert head == {"kind": "call", "call": 1, "at": 0.0, "of": hostile, "line": 4}
    assert body == [{hostile: hostile}]


def test_writing_takes_no_more_memory_for_a_longer_tape(tmp_path):
    def peak(count: int) -> int:
        tape = write_tape(tmp_path / f"{count}.jsonl", requests(count))
        tracemalloc.start()
        try:
            write_report(tmp_path / f"{count}.html", tape)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(400)  # what is imported and cached once
    assert peak(10_000) < 1.5 * peak(2_400)


def test_progress_is_for_people_at_a_terminal(tmp_path):
    tape = write_tape(tmp_path / "tape.jsonl", requests(4_400))
    command = [sys.executable, "-m", "vcr_gen", "cassette", "report", tape, "-o", "page.html"]
    piped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (piped.stdout, piped.stderr) == ("page.html\n", "")
    ours, theirs = pty.openpty()
    subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    os.close(theirs)
    with open(ours, "rb", closefd=True) as terminal:
        shown = os.read(terminal.fileno(), 100_000).decode()
    assert " 45 %" in shown
    assert " 100 %" in shown
    assert shown.endswith("\r\033[K")


def test_the_page_is_made_of_all_its_source_files():
    from vcr_gen.html_report import page

    assets = Path(page.__file__).parent / "assets"
    assert {path.name for path in assets.iterdir()} == {*page._SCRIPTS, "page.html", "style.css"}


def test_the_page_has_the_words_for_live_objects_that_messages_have() -> None:
    script = (ASSETS / "json.js").read_text(encoding="utf-8")
    table = script.partition("const LIVE = {")[2].partition("}")[0]
    assert dict(re.findall(r'(\$\w+): "([\w ]+)"', table)) == LIVE
