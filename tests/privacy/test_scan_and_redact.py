"""`vcr-gen cassette scan` finds what is in a file, and `redact` takes it out."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from fake_credentials import CREDENTIALS, PASSWORD, runs_of
from guarded.bridges import Echo
from vcr_guarded import VcrApi

from vcr_gen import Cassette, Redaction
from vcr_gen.cli import main
from vcr_gen.runtime.privacy import DEFAULT_RULES
from vcr_gen.runtime.tape.reading import Reading

OFF = Redaction(off=DEFAULT_RULES)
GITHUB, SLACK = CREDENTIALS["github-token"], CREDENTIALS["slack-token"]


def record(tape: Path, *values: Any, pieces: tuple[str, ...] = ()) -> None:
    """A cassette as somebody made it who switched all redaction off."""
    echo = Echo()
    echo.pieces = list(pieces)
    with Cassette(tape, "all", redaction=OFF, initial_state={"note": "none"}) as cassette:
        api = VcrApi(cassette=cassette, inner=echo)
        for value in values:
            api.ask(value)
        if pieces:
            list(api.text())


def replay(tape: Path, *values: Any, pieces: int = 0) -> None:
    with Cassette(tape, "none") as cassette:
        api = VcrApi(cassette=cassette)
        for value in values:
            api.ask(value)
        if pieces:
            assert len(list(api.text())) == pieces


def scan(*arguments: object) -> int:
    return main(["cassette", "scan", *map(str, arguments)])


@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
def test_every_form_is_found_at_its_event_and_not_shown(ending, tmp_path, capsys):
    tape = tmp_path / f"tape.{ending}"
    record(tape, *CREDENTIALS.values())
    assert scan(tape) == 1
    out, err = capsys.readouterr()
    with Reading(tape) as reading:
        events = {entry.line: entry.data for entry in reading}
    for name, secret in CREDENTIALS.items():
        rule = name.split()[0]
        found = [line for line in out.splitlines() if f": {rule}: " in line]
        numbers = [int(row.removeprefix(f"{tape}:").partition(":")[0]) for row in found]
        values = [events[number]["args"]["value"] for number in numbers]
        assert secret in values, name
    assert not any(
        piece in out + err for secret in CREDENTIALS.values() for piece in runs_of(secret)
    )


def test_a_recording_with_the_default_rules_has_nothing_to_find(tmp_path, capsys):
    tape = tmp_path / "tape.yaml"
    with Cassette(tape, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        for secret in CREDENTIALS.values():
            api.ask({"password": secret, "text": f"is {secret}"})
    assert scan(tmp_path) == 0
    assert capsys.readouterr().err == "1 cassette: no credentials\n"


def test_what_is_torn_or_edited_by_hand_is_looked_at_as_text(tmp_path, capsys):
    torn = tmp_path / "torn.yaml"
    record(torn, "first", {"password": PASSWORD}, f"and {SLACK}", "last")
    torn.write_text(torn.read_text()[:-40] + f"\n  {{ broken: [ {GITHUB}\n")
    partial = tmp_path / "cut.jsonl.partial"
    record(tmp_path / "cut.jsonl", "x", {"token": GITHUB})
    partial.write_bytes((tmp_path / "cut.jsonl").read_bytes()[:-45])
    (tmp_path / "cut.jsonl").unlink()
    assert scan(tmp_path) == 1
    out = capsys.readouterr().out
    assert "cut.jsonl.partial:3: github-token:" in out
    assert "torn.yaml" in out
    assert {": slack-token:", ": password:", ": github-token:"} <= {
        rule for rule in (": slack-token:", ": password:", ": github-token:") if rule in out
    }
    assert PASSWORD not in out


def test_a_finding_is_allowed_by_its_fingerprint(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "tapes" / "tape.yaml", GITHUB, SLACK)
    assert scan("--output-format=json") == 1
    found = json.loads(capsys.readouterr().out)
    assert found["version"] == 1
    prints = {finding["rule"]: finding["fingerprint"] for finding in found["findings"]}
    config = tmp_path / "pyproject.toml"
    config.write_text(f'[tool.vcr-gen.scan]\nallow = ["{prints["github-token"]}"]\n')
    assert scan() == 1
    out, err = capsys.readouterr()
    assert "github-token" not in out
    assert "1 credential, 1 allowed" in err
    config.write_text('[tool.vcr-gen.scan]\nallow = "all"\n')
    assert scan() == 2
    said = "pyproject.toml:2:1: VCR403 `allow` must be a list of strings; got 'all'\n"
    assert capsys.readouterr().err == said
    config.write_text("[tool.vcr-gen.scan]\nalow = []\n")
    assert scan() == 2
    assert "did you mean `allow`?" in capsys.readouterr().err
    config.write_text('[tool.vcr-gen.redaction]\noff = ["slack-tokens"]\n')
    assert scan() == 2
    assert "did you mean `slack-token`?" in capsys.readouterr().err


def test_rules_of_ones_own_hold_for_the_commands_too(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    record(tmp_path / "tape.yaml", "badge 12-34", {"tenant": "acme"})
    assert scan() == 0
    (tmp_path / "pyproject.toml").write_text(
        "[tool.vcr-gen.redaction]\nkeys = ['tenant']\npatterns = { badge = 'badge ([0-9-]+)' }\n"
    )
    assert scan() == 1
    out = capsys.readouterr().out
    assert ": badge: " in out
    assert ": tenant: " in out


@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
def test_redact_takes_all_out_and_the_cassette_still_replays(ending, tmp_path, capsys):
    tape = tmp_path / f"tape.{ending}"
    values = [{"password": PASSWORD}, f"is {GITHUB}", PASSWORD, "plain"]
    pieces = (f"so {SLACK[:9]}", f"{SLACK[9:]} end")
    record(tape, *values, pieces=pieces)
    assert main(["cassette", "redact", str(tape)]) == 0
    text = tape.read_text()
    assert not any(secret in text for secret in (PASSWORD, GITHUB, SLACK[9:]))
    assert "#1/2>" in text
    assert scan(tape) == 0
    replay(tape, *values, pieces=2)
    replay(
        tape, {"password": "dummy"}, f"is {CREDENTIALS['gitlab-token']}", "dummy", "plain", pieces=2
    )
    told = "".join(capsys.readouterr())
    assert PASSWORD not in told
    after = tape.read_bytes()
    assert main(["cassette", "redact", str(tape)]) == 0
    assert tape.read_bytes() == after


@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
@pytest.mark.parametrize(
    "pieces",
    [(f"so {SLACK} end",), (f"so {SLACK[:9]}", f"{SLACK[9:]} end"), ("so ", *SLACK, " end")],
    ids=["whole", "cut", "letters"],
)
def test_a_key_in_the_items_of_a_stream_is_found_and_not_shown(pieces, ending, tmp_path, capsys):
    tape = tmp_path / f"tape.{ending}"
    record(tape, "first", pieces=pieces)
    assert scan(tape) == 1
    with Reading(tape) as reading:
        lines = [entry.line for entry in reading]
    out, err = capsys.readouterr()
    assert "1 credential" in err
    assert int(out.removeprefix(f"{tape}:").partition(":")[0]) in lines[1:]
    assert ": slack-token: xoxb… (" in out
    assert main(["cassette", "show", str(tape)]) == 0
    assert len(pieces) > 1 or SLACK not in capsys.readouterr().out
    assert main(["cassette", "redact", str(tape)]) == 0
    assert scan(tape) == 0
    replay(tape, "first", pieces=len(pieces))


SHAPES: dict[str, Any] = {
    "har": {"request": {"headers": [{"name": "authorization", "value": f"Bearer {PASSWORD}"}]}},
    "har, in any order": [{"value": f"Bearer {PASSWORD}", "name": "Authorization"}],
    "har of a form": {"postData": {"params": [{"name": "password", "value": PASSWORD}]}},
    "har of a cookie": {"cookies": [{"name": "session", "value": PASSWORD, "path": "/"}]},
    "pairs": [["accept", "*/*"], ["authorization", f"Bearer {PASSWORD}"]],
    "tuples": (("x-api-key", PASSWORD), ("accept", "*/*")),
    "pairs of bytes": [(b"Authorization", b"Bearer " + PASSWORD.encode()), (b"a", b"\xff")],
    "one pair": ("Proxy-Authorization", f"Bearer {PASSWORD}"),
    "mapping": {"Authorization": f"Bearer {PASSWORD}"},
    "mapping of lists": {"authorization": [f"Bearer {PASSWORD}"]},
    "mapping of bytes": {b"authorization": b"Bearer " + PASSWORD.encode()},
    "lines": f"GET / HTTP/1.1\r\nAuthorization: Bearer {PASSWORD}\r\n\r\n",
    "lines of bytes": b"POST / HTTP/1.1\r\nCookie: sid=%b\r\n\r\n\xff" % PASSWORD.encode(),
    "json in gzip": gzip.compress(json.dumps({"password": PASSWORD}).encode()),
    "har in gzip in base64": base64.b64encode(
        gzip.compress(json.dumps([{"name": "x-api-key", "value": PASSWORD}] * 3).encode())
    ).decode(),
    "form": f"user=ada&password={PASSWORD}",
    "url": f"https://x.example/?api_key={PASSWORD}&a=1",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_headers_of_every_shape_are_looked_at(shape, tmp_path, capsys):
    tape = tmp_path / "tape.yaml"
    record(tape, SHAPES[shape])
    assert scan(tape) == 1
    assert main(["cassette", "redact", str(tape)]) == 0
    assert scan(tape) == 0
    assert not secret_in(tape.read_bytes())
    assert PASSWORD not in "".join(capsys.readouterr())
    replay(tape, SHAPES[shape])


def secret_in(data: bytes) -> bool:
    """Whether the password is in a file: plain, in base64, or compressed in base64."""
    runs = re.findall(rb"[A-Za-z0-9+/]{16,}={0,2}", data)
    opened = [base64.b64decode(run + b"=" * (-len(run) % 4)) for run in runs if len(run) % 4 != 1]
    opened += [gzip.decompress(each) for each in opened if each.startswith(b"\x1f\x8b")]
    return any(PASSWORD.encode() in each for each in (data, *opened))


def test_redact_goes_on_counting_behind_what_is_redacted(tmp_path):
    tape = tmp_path / "tape.yaml"
    record(tape, {"password": "<redacted:password:3>"}, {"password": PASSWORD})
    assert main(["cassette", "redact", str(tape)]) == 0
    assert "<redacted:password:4>" in tape.read_text()
    replay(tape, {"password": "a"}, {"password": "b"})


def test_redact_leaves_an_interrupted_recording_alone(tmp_path, capsys):
    record(tmp_path / "tape.yaml", GITHUB)
    (tmp_path / "tape.yaml").rename(tmp_path / "tape.yaml.partial")
    assert main(["cassette", "redact", str(tmp_path)]) == 2
    assert "convert --salvage" in capsys.readouterr().err


def test_scan_lists_its_rules(capsys):
    assert scan("--rules") == 0
    assert set(DEFAULT_RULES) == set(capsys.readouterr().out.split())
    assert len(DEFAULT_RULES) > 60
