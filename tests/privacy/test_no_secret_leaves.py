"""Credentials of every form in every place: none of them reaches a file, a message or a screen."""

import asyncio
import base64
import json
import logging
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_credentials import CREDENTIALS, PASSWORD, runs_of
from guarded.bridges import Echo
from guarded.ports import DeniedError, Login
from vcr_guarded import ApiLogIn, VcrApi

from vcr_gen import Cassette, DivergenceError
from vcr_gen.cli import main
from vcr_gen.errors import IncompleteError, VerificationError

Place = Callable[[Any, str], None]

WORLD = Echo()


def argument(api, secret):
    assert api.ask(f"before {secret} behind") == f"before {secret} behind"


def bare(api, secret):
    assert api.ask(secret) == secret


def field(api, secret):
    api.log_in(Login("ada", secret), "no-token-1")


def marked(api, secret):
    api.log_in(Login("ada", "pw-1-pw", pin=secret), secret)


def key(api, secret):
    api.ask({secret: {"deep": [1, {secret: True}]}})


def header(api, secret):
    api.send(
        "https://x", headers={"Authorization": f"Bearer {secret.splitlines()[0]}", "x-h": secret}
    )


def pairs(api, secret):
    api.ask([("x-api-key", secret), (b"Cookie", f"a={secret.split()[-1]}; b=c".encode())])


def url(api, secret):
    one = secret.splitlines()[0]
    api.send(f"https://u:{one}@h/p/{one}?key={one}&a=1#{one}", headers={})


def json_text(api, secret):
    inner = json.dumps({"password": secret, "note": f"is {secret}"})
    api.ask(json.dumps({"body": inner, "secret": secret}))


def octets(api, secret):
    api.send("u", headers={}, body=f"\u00e4 {secret}".encode())
    api.send("u", headers={}, body=b"\0\xff" + secret.encode() + b"\xfe")


def encoded(api, secret):
    api.ask(base64.b64encode(f"user {secret} end".encode()).decode())
    api.ask("x" + json.dumps({"data": base64.urlsafe_b64encode(secret.encode()).decode()}))


def path(api, secret):
    api.open(Path("/srv") / secret.splitlines()[0] / "file")


def exception(api, secret):
    with pytest.raises(DeniedError) as caught:
        api.ask({"raise": secret})
    assert secret in str(caught.value)
    assert caught.value.request == {"raise": secret}


def border(api, secret):
    for cut in (1, 3, len(secret) // 2, len(secret) - 1):
        WORLD.pieces = [f"so {secret[:cut]}", secret[cut:] + " end"]
        assert list(api.text()) == WORLD.pieces
    WORLD.pieces = [secret[: len(secret) // 3], secret[len(secret) // 3 : -5], secret[-5:], "\n"]
    assert list(api.data()) == [piece.encode() for piece in WORLD.pieces]


def letters(api, secret):
    WORLD.pieces = list(secret)
    assert "".join(api.text()) == secret


PLACES: list[Place] = [
    argument,
    bare,
    field,
    marked,
    key,
    header,
    pairs,
    url,
    json_text,
    octets,
    encoded,
    path,
    exception,
    border,
    letters,
]


def leaks(text: str) -> list[str]:
    """The credentials of which a piece is in a text, also in the base64 that it holds."""
    opened = [text, *map(_decoded, _runs(text))]
    return [
        name
        for name, secret in CREDENTIALS.items()
        if any(piece in each for piece in runs_of(secret) for each in opened)
    ]


def _runs(text: str) -> Iterator[str]:
    for word in text.replace('"', " ").split():
        if len(word) > 30:
            yield word


def _decoded(word: str) -> str:
    body = word.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(body[: len(body) // 4 * 4], validate=True).decode("latin-1")
    except ValueError:
        return ""


def files_below(folder: Path) -> str:
    return "\n".join(file.read_text() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("ending", ["yaml", "jsonl"])
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_no_credential_reaches_the_disk(place, ending, tmp_path, caplog, capfd):
    """Neither the finished file nor, at any moment of the recording, the partial one."""
    caplog.set_level(logging.DEBUG)
    tape = tmp_path / f"tape.{ending}"

    def program(api: Any) -> None:
        # letter by letter, each is a hundred events and more
        for secret in list(CREDENTIALS.values())[:: 6 if place is letters else 1]:
            place(api, secret)

    with Cassette(tape, "all", initial_state={"env": dict(CREDENTIALS)}) as cassette:
        program(VcrApi(cassette=cassette, inner=WORLD))
        assert leaks(files_below(tmp_path)) == []
    assert leaks(files_below(tmp_path)) == []
    assert leaks(caplog.text + "".join(capfd.readouterr())) == []
    assert main(["cassette", "show", str(tape)]) == 0
    assert leaks(capfd.readouterr().out) == []


@pytest.mark.parametrize("place", [*PLACES], ids=lambda place: place.__name__)
def test_a_replay_tells_no_credential_when_it_fails(place, tmp_path):
    tape = tmp_path / "tape.yaml"
    for secret in list(CREDENTIALS.values())[::6]:
        with Cassette(tape, "all") as cassette:
            VcrApi(cassette=cassette, inner=Echo()).ask("something else")
        with pytest.raises(DivergenceError) as caught, Cassette(tape, "none") as cassette:
            place(VcrApi(cassette=cassette), secret)
        told = "".join(traceback.format_exception(caught.value)) + repr(caught.value.divergence)
        assert leaks(told) == []


def test_a_recording_that_was_made_without_redaction_is_not_told_either(tmp_path, capfd):
    tape = tmp_path / "tape.yaml"
    secrets = list(CREDENTIALS.values())[:5]
    with Cassette(tape, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        for number in range(len(secrets)):
            api.ask(f"secret number {number}")
    text = tape.read_text()
    for number, secret in enumerate(secrets):
        text = text.replace(f"secret number {number}", f"secret {secret}")
    tape.write_text(text)
    with pytest.raises(DivergenceError) as caught, Cassette(tape, "none") as cassette:
        VcrApi(cassette=cassette).ask("another question")
    assert leaks(str(caught.value) + repr(caught.value.divergence)) == []
    assert main(["cassette", "show", str(tape)]) == 0
    assert leaks(capfd.readouterr().out) == []


def test_verifying_tells_no_credential(tmp_path):
    tape = tmp_path / "tape.yaml"
    secrets = list(CREDENTIALS.values())
    with Cassette(tape, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        for secret in secrets:
            api.ask(secret)
    cassette = Cassette(tape, "verify")
    api = VcrApi(cassette=cassette, inner=Echo())
    for secret in secrets:
        api.ask(f"now {secret}")
    with pytest.raises(VerificationError) as caught:
        cassette.close()
    assert leaks(str(caught.value)) == []
    assert "now <redacted:" in str(caught.value)


def test_the_repr_of_a_call_shows_no_value():
    call = ApiLogIn(login=Login("ada", PASSWORD), token=PASSWORD)
    assert repr(call) == "ApiLogIn(login=…, token=…)"


@pytest.mark.parametrize("name", CREDENTIALS)
def test_a_value_of_another_type_is_not_shown(name, tmp_path):
    secret = CREDENTIALS[name]
    cassette = Cassette(tmp_path / "t.yaml", "all")
    api = VcrApi(cassette=cassette, inner=Echo())
    api.open(f"is {secret}")
    api.log_in(Login("ada", 5), secret)
    with pytest.raises(IncompleteError, match=r"Api\.open[^$]*Api\.log_in") as caught:
        cassette.close()
    assert leaks("".join(traceback.format_exception(caught.value))) == []


@pytest.mark.parametrize("secret", [PASSWORD, "4929123456781234"])
def test_a_secret_that_only_a_mark_knows_is_hidden_wherever_it_stands(tmp_path, secret):
    """The environment may repeat it: in a result, in an exception, in another call."""
    tape = tmp_path / "tape.yaml"

    def program(api: Any) -> list[Any]:
        seen = [api.log_in(Login("ada", "right"), secret)]
        with pytest.raises(DeniedError) as caught:
            api.log_in(Login("ada", "wrong"), secret)
        seen += [caught.value.args, api.ask({"note": f"they used {secret}!"})]
        return seen

    with Cassette(tape, "all") as cassette:
        seen = program(VcrApi(cassette=cassette, inner=Echo()))
    assert secret in str(seen)
    assert secret not in tape.read_text()
    with Cassette(tape, "none") as cassette:
        replayed = program(VcrApi(cassette=cassette))
    assert secret not in str(replayed)


def test_streams_and_tasks_hide_their_secrets(tmp_path):
    tape = tmp_path / "tape.yaml"
    secret = CREDENTIALS["anthropic-key"]

    async def program(api: Any) -> list[Any]:
        heard = [piece async for piece in api.atext()]
        heard.append(str(await api.wait({"password": secret})))
        talk = api.talk(secret[:9])
        heard += [next(talk), talk.send(secret)]
        heard.append(api.watch(lambda news: f"{news} {secret}"))
        return heard

    WORLD.pieces = [f"a {secret[:20]}", secret[20:40], f"{secret[40:]} b"]
    with Cassette(tape, "all") as cassette:
        recorded = asyncio.run(program(VcrApi(cassette=cassette, inner=WORLD)))
    assert secret in "".join(recorded[:3])
    assert leaks(files_below(tmp_path)) == []
    with Cassette(tape, "none") as cassette:
        replayed = asyncio.run(program(VcrApi(cassette=cassette)))
    assert len(replayed) == len(recorded)


def test_a_key_as_the_answer_is_hidden_by_the_name_of_the_method(tmp_path):
    tape = tmp_path / "tape.yaml"
    with Cassette(tape, "all") as cassette:
        assert VcrApi(cassette=cassette, inner=Echo("opens-it-4")).get_api_key() == "opens-it-4"
    assert "opens-it-4" not in tape.read_text()
    assert "<redacted:api-key:1>" in tape.read_text()


def test_what_was_given_for_a_password_of_another_type_is_not_shown(tmp_path):
    cassette = Cassette(tmp_path / "t.yaml", "all")
    api = VcrApi(cassette=cassette, inner=Echo())
    number = int("8765" + "4321")  # in two pieces: a traceback shows this line
    api.log_in(Login("ada", number), "t")
    with pytest.raises(IncompleteError) as caught:
        cassette.close()
    assert str(number) not in "".join(traceback.format_exception(caught.value))


def test_a_function_that_is_marked_secret_is_called_in_a_replay(tmp_path):
    """Its number is no secret; what it is told is, where that is marked."""
    tape = tmp_path / "tape.yaml"

    def program(mode: str) -> tuple[list[str], list[str]]:
        hidden: list[str] = []
        plain: list[str] = []
        with Cassette(tape, mode) as cassette:
            api = VcrApi.attach(cassette, Echo)
            api.call_back(hidden.append, plain.append)
            api.call_back(hidden.append)
        return hidden, plain

    assert program("all") == (["the password"] * 2, ["done"])
    assert "the password" not in tape.read_text()
    assert program("none") == (["<redacted:secret:1>"] * 2, ["done"])
