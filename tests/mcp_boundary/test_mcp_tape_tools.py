"""The tools for cassettes, on sessions that `vcr-gen mcp record` recorded."""

import json
from pathlib import Path

import anyio
import pytest
from tests.command_line import run_command
from tests.mcp_boundary.mcp_client_program import ERAS, session
from tests.mcp_boundary.mcp_commands import over_stdio, recording

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"


@pytest.fixture(scope="module")
def tapes(tmp_path_factory) -> Path:
    """A folder with a session of each era."""
    folder = tmp_path_factory.mktemp("tapes")
    for era in ERAS:
        anyio.run(session, over_stdio(recording(folder / f"{era}.yaml")), era)
    return folder


def cassette(folder: Path, *arguments: str, code: int = 0) -> str:
    done = run_command("cassette", *arguments, cwd=folder)
    assert done.code == code, done.out + done.err
    return done.out


def test_many_tapes_are_searched_by_method(tapes):
    listed = cassette(tapes, "list", "--call", "tools/call add")
    assert [line.split(": ")[0].split(":")[0] for line in listed.splitlines()[1::2]] == [
        "    auto.yaml",
        "    legacy.yaml",
    ]
    assert listed.count('(tools/call add {"a": 1, "b": 2}, progress=function #1)  returned  [') == 2
    listed = cassette(tapes, "list", "--call", "sampling/*", "--output-format=json")
    [found] = json.loads(listed)["cassettes"]
    assert found["path"] == "legacy.yaml"
    call = found["calls"][0]
    assert {each["name"] for each in found["calls"]} == {"client sampling/createMessage"}
    assert [each["status"] for each in found["calls"]] == ["returned", "raised", "returned"]
    lines = (tapes / "legacy.yaml").read_text().splitlines()
    assert lines[call["line"]] == "  of: client.request"
    assert cassette(tapes, "list", "--call", "tools/call search") == ""


def test_show_names_the_calls_with_their_arguments(tapes):
    shown = cassette(tapes, "show", "--overview", "legacy.yaml")
    assert '→ server.request(tools/call count {"to": 3}, progress=function #2) …' in shown
    assert "server tools/call count returned" in shown


def test_stats_have_the_latency_of_each_method(tapes):
    document = json.loads(cassette(tapes, "stats", "--output-format=json"))
    by_name = {method["method"]: method for method in document["methods"]}
    counted = by_name["server tools/call count"]
    assert counted["calls"] == 4
    assert 0 < counted["seconds"]["p50"] <= counted["seconds"]["p99"]
    assert by_name["server tools/call linger"]["cancelled"] == 2


def test_check_scan_and_diff_find_nothing_wrong(tapes):
    cassette(tapes, "check", "--no-signatures")
    cassette(tapes, "scan")
    cassette(tapes, "diff", "legacy.yaml", "legacy.yaml")


def test_a_missing_tool_is_a_breaking_difference(tapes, tmp_path):
    text = (tapes / "legacy.yaml").read_text()
    (tmp_path / "renamed.yaml").write_text(text.replace("name: crash\n", "name: smash\n"))
    args = ("legacy.yaml", str(tmp_path / "renamed.yaml"), "--key", "tools=name")
    found = cassette(tapes, "diff", *args, "--fail-on-breaking", code=1)
    assert "~ modified server.request(tools/list, progress=None)" in found
    assert "breaking: returned.tools[name=crash]: vanished" in found
    found = cassette(tapes, "diff", "legacy.yaml", "auto.yaml", code=1)
    assert not [line for line in found.splitlines() if line.startswith("breaking: rules")]


def test_a_credential_is_found_and_redacted(tapes, tmp_path):
    leaked = tmp_path / "leaked.yaml"
    leaked.write_text((tapes / "legacy.yaml").read_text().replace("text: because", f"text: {KEY}"))
    assert "leaked.yaml" in cassette(tmp_path, "scan", code=1)
    cassette(tmp_path, "redact", "leaked.yaml")
    cassette(tmp_path, "scan")
    assert leaked.read_text().count("<redacted:openai-key:") == 3


def test_sessions_are_merged_and_reported(tapes, tmp_path):
    merged = str(tmp_path / "merged.yaml")
    cassette(tapes, "merge", "legacy.yaml", "auto.yaml", "-o", merged)
    cassette(tmp_path, "check", "--no-signatures", "merged.yaml")
    cassette(tmp_path, "report", "merged.yaml")
    assert '"name":"server tools/call add"' in (tmp_path / "merged.html").read_text()
