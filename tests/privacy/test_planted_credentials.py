"""Credentials in every shape of `planted` are not stored, and what is beside them is compared."""

import base64
import json
import re
import traceback
from pathlib import Path
from typing import Any

import pytest
from guarded.bridges import Echo
from guarded.ports import DeniedError
from planted import ORDINARY, SHAPES, filled
from tape_data import read_tape
from vcr_guarded import VcrApi

from vcr_gen import Cassette, DivergenceError, Redaction
from vcr_gen.cli import main
from vcr_gen.runtime.privacy import DEFAULT_RULES, Secrets

SECRET, OTHER = "s3cr3t-" + "T0ken-9f8e7d", "0ther-" + "Key-77c1"
OFF = Redaction(off=DEFAULT_RULES)
TEXTS = {name: shape for name, shape in SHAPES.items() if isinstance(shape, str)}
JSON = {name: shape for name, shape in TEXTS.items() if name.startswith("json ")}
del JSON["json in a log line"]


def secret_of(number: int) -> str:
    """A secret that no other shape has: a known one would be found wherever it stands."""
    return f"{SECRET}-{number:03}"


PLANTED = {name: secret_of(number) for number, name in enumerate(SHAPES)}


def record(tape: Path, *values: Any, **options: Any) -> None:
    with Cassette(tape, "all", **options) as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        for value in values:
            api.ask(value)


def replay(tape: Path, *values: Any) -> list[Any]:
    with Cassette(tape, "none") as cassette:
        api = VcrApi(cassette=cassette)
        return [api.ask(value) for value in values]


def redacted(value: Any) -> Any:
    return Secrets(Redaction()).redact("Api.ask", "call", {"value": value})["value"]


def leaked(text: str) -> list[str]:
    return [name for name, secret in PLANTED.items() if secret in text]


def test_there_are_enough_of_them():
    assert len(SHAPES) >= 60
    assert len(ORDINARY) >= 200


@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
def test_none_is_stored_or_shown(ending, tmp_path, capfd):
    tape = tmp_path / f"tape.{ending}"
    with Cassette(tape, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        for name, shape in SHAPES.items():
            value = filled(shape, PLANTED[name])
            assert api.ask(value) == value
            with pytest.raises(DeniedError):
                api.ask({"raise": value})
        assert leaked("".join(file.read_text() for file in tmp_path.iterdir())) == []
    assert leaked(tape.read_text()) == []
    assert main(["cassette", "show", str(tape)]) == 0
    assert main(["cassette", "report", str(tape), "-o", str(tmp_path / "r.html")]) == 0
    assert leaked((tmp_path / "r.html").read_text() + "".join(capfd.readouterr())) == []
    before = tape.read_bytes()
    assert main(["cassette", "redact", str(tape)]) == 0
    assert tape.read_bytes() == before


@pytest.mark.parametrize("name", SHAPES)
def test_none_is_in_a_message(name, tmp_path, capfd):
    """Neither for a recording without redaction nor for a program that says something else."""
    tape = tmp_path / "tape.yaml"
    value = filled(SHAPES[name], SECRET)
    record(tape, value, redaction=OFF)
    with pytest.raises(DivergenceError) as caught:
        replay(tape, ["something else"])
    told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.divergence)
    record(tape, ["something else"])
    with pytest.raises(DivergenceError) as caught:
        replay(tape, value)
    told += "".join(traceback.format_exception(caught.value)) + repr(caught.value.divergence)
    assert SECRET not in told


@pytest.mark.parametrize("name", SHAPES)
def test_scan_finds_each_and_redact_takes_it_out(name, tmp_path, capsys):
    tape = tmp_path / "tape.yaml"
    value = filled(SHAPES[name], SECRET)
    record(tape, value, redaction=OFF)
    assert SECRET in tape.read_text()
    assert main(["cassette", "scan", str(tape)]) == 1
    assert main(["cassette", "redact", str(tape)]) == 0
    assert SECRET not in tape.read_text() + "".join(capsys.readouterr())
    assert main(["cassette", "scan", str(tape)]) == 0
    replay(tape, value)


@pytest.mark.parametrize("name", SHAPES)
def test_another_credential_replays_and_a_redacted_value_stays_as_it_is(name, tmp_path):
    tape = tmp_path / "tape.yaml"
    value = filled(SHAPES[name], SECRET)
    record(tape, value, "then", value)
    other = filled(SHAPES[name], OTHER)
    replay(tape, other, "then", other)
    with pytest.raises(DivergenceError):
        replay(tape, other, "then", filled(SHAPES[name], "0ther-Key-88d2"))
    if isinstance(value, str):
        assert redacted(redacted(value)) == redacted(value)


@pytest.mark.parametrize("name", JSON)
def test_a_json_text_stays_json_and_keeps_every_other_byte(name):
    before, after = redacted(filled(JSON[name], SECRET)), filled(JSON[name], "<>")
    json.loads(before)
    assert re.sub(r"<redacted:[a-z-]+:\d+>", "<>", before) == after


@pytest.mark.parametrize("size", [1, 3, 7, 20])
def test_none_is_in_the_pieces_of_a_stream(size, tmp_path):
    tape = tmp_path / "tape.jsonl"
    echo = Echo()
    for shape in TEXTS.values():
        text = f"before\n{filled(shape, SECRET)}\nthe end\n"
        echo.pieces = [text[start : start + size] for start in range(0, len(text), size)]
        with Cassette(tape, "all") as cassette:
            assert list(VcrApi(cassette=cassette, inner=echo).text()) == echo.pieces
        stored = "".join(_texts(read_tape(tape)))
        assert not any(SECRET[n : n + 6] in stored for n in range(len(SECRET) - 5)), shape
        with Cassette(tape, "none") as cassette:
            assert len(list(VcrApi(cassette=cassette).text())) == len(echo.pieces)


def _texts(value: Any) -> Any:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def passes(tape: Path, value: Any) -> bool:
    try:
        replay(tape, value)
    except DivergenceError:
        return False
    return True


def alterations(shape: str) -> Any:
    """The shape with one word outside of the credential altered, removed or repeated."""
    for word in re.finditer(r"[A-Za-z0-9]+", shape):
        if (
            shape[: word.start()].endswith(("\\", "{"))
            or "{}" in shape[word.start() - 2 : word.end() + 2]
        ):
            continue
        for made in (f"{word[0]}9", f"zz{word[0]}", ""):
            yield shape[: word.start()] + made + shape[word.end() :]


def test_every_alteration_beside_a_credential_is_caught(tmp_path):
    tape = tmp_path / "tape.yaml"
    tried = 0
    missed = []
    for name, shape in TEXTS.items():
        record(tape, filled(shape, SECRET))
        for number, altered in enumerate(alterations(shape)):
            secret = OTHER if number % 2 else SECRET
            tried += 1
            if passes(tape, filled(altered, secret)):
                missed.append((name, altered))
    assert missed == []
    assert tried >= 600


@pytest.mark.parametrize(
    ("recorded", "altered"),
    [
        (
            '{"note": "send Authorization: Bearer {} with it", "amount": 100}',
            '{"note": "send Authorization: Bearer {} with it", "amount": 999}',
        ),
        (
            "curl -H Authorization:Bearer\\ {} -X GET https://x",
            "curl -H Authorization:Bearer\\ {} -X DELETE https://x",
        ),
        ("Authorization: Bearer {} GET /a", "Authorization: Bearer {} DELETE /a"),
        ('password: "{} amount=100', 'password: "{} amount=999'),
        ('"Authorization: Bearer {} amount=100', '"Authorization: Bearer {} amount=999'),
        ("password={} amount=100", "password={} amount=999"),
        ("token={}&amount=100", "token={}&x=1&amount=100"),
        ("Cookie: sid={}; theme=dark", "Cookie: sid={}; theme=light"),
        (
            {"Authorization": 'Digest username="ada", response="{}"'},
            {"Authorization": 'Digest username="bob", response="{}"'},
        ),
    ],
)
def test_what_follows_a_credential_is_compared(recorded, altered, tmp_path):
    tape = tmp_path / "tape.yaml"
    record(tape, filled(recorded, SECRET))
    replay(tape, filled(recorded, OTHER))
    for secret in (SECRET, OTHER):
        with pytest.raises(DivergenceError):
            replay(tape, filled(altered, secret))


def test_ordinary_fields_are_not_altered_even_in_a_session_full_of_secrets(tmp_path):
    tape = tmp_path / "tape.yaml"
    secrets = [filled(shape, PLANTED[name]) for name, shape in SHAPES.items()]
    record(tape, *secrets, *({name: value} for name, value in ORDINARY.items()))
    values = replay(tape, *secrets, *({name: value} for name, value in ORDINARY.items()))
    for name, value in zip(ORDINARY, values[len(secrets) :], strict=True):
        assert value == {name: ORDINARY[name]}
    assert main(["cassette", "scan", str(tape)]) == 0
    record(tape, *({name: value} for name, value in ORDINARY.items()))
    assert "<redacted" not in tape.read_text()


def test_a_setting_in_a_cookie_stays_what_it_is_elsewhere(tmp_path):
    tape = tmp_path / "tape.yaml"
    header = f"session={SECRET}; tz=Europe/Berlin; lang=de-DE; sort=price:asc; v=2026-10-01"
    values = [{"Cookie": header}, {"timezone": "Europe/Berlin"}, "sort by price:asc in de-DE"]
    record(tape, *values)
    assert SECRET not in tape.read_text()
    assert replay(tape, *values)[1:] == values[1:]
    with pytest.raises(DivergenceError):
        replay(tape, {"Cookie": header.replace("Berlin", "Paris")})


def test_a_cookie_that_is_no_setting_is_hidden_in_its_place_alone(tmp_path):
    """The number of a visitor is no credential; other data may hold it."""
    tape = tmp_path / "tape.yaml"
    visitor = "550e8400-e29b-41d4-a716-446655440000"
    values = [{"Cookie": f"visitor={visitor}"}, {"visitor": visitor}]
    record(tape, *values)
    assert f"visitor={visitor}" not in tape.read_text()
    assert replay(tape, *values)[1] == {"visitor": visitor}


def test_a_number_under_the_name_of_a_password_stays_a_number_in_json():
    assert redacted('{"password": 12345678, "n": 12345678}') == '{"password": 0, "n": 12345678}'


def test_the_escapes_of_a_json_text_do_not_make_another_secret():
    value = {"password": 'a"b\\c-77', "text": json.dumps({"password": 'a"b\\c-77'})}
    assert redacted(value) == {
        "password": "<redacted:password:1>",
        "text": '{"password": "<redacted:password:1>"}',
    }


def test_a_cookie_that_an_earlier_version_hid_still_replays(tmp_path):
    tape = tmp_path / "tape.jsonl"
    record(tape, {"Cookie": "tz=OLDER; a=b"})
    tape.write_text(tape.read_text().replace("OLDER", "<redacted:cookie:1>"))
    replay(tape, {"Cookie": "tz=Europe/Berlin; a=b"})


def test_the_password_of_a_lone_basic_credential_is_hidden():
    login = base64.b64encode(f"ada:{SECRET}".encode()).decode()
    assert redacted(f"refused Basic {login}!") == "refused Basic <redacted:authorization:1>!"
    assert redacted(f"Basic {login}") == "Basic <redacted:authorization:1>"
