"""A replay has other credentials than the recording: they are compared up to a renaming."""

import json
import threading
from contextlib import suppress
from typing import Any

import pytest
from fake_credentials import CREDENTIALS, PASSWORD
from guarded.bridges import Echo
from guarded.ports import Login
from pydantic import BaseModel
from vcr_guarded import VcrApi, VcrService

from vcr_gen import Cassette, DivergenceError, Driver
from vcr_gen.errors import VerificationError

REAL, OTHER = CREDENTIALS["anthropic-key"], CREDENTIALS["openai-key"]


def record(tape, program, real=None, **options):
    with Cassette(tape, "all", **options) as cassette:
        return program(VcrApi(cassette=cassette, inner=real or Echo()))


def replay(tape, program, **options):
    with Cassette(tape, "none", **options) as cassette:
        return program(VcrApi(cassette=cassette))


def asking(*values: Any) -> Any:
    def program(api: Any) -> list[Any]:
        return [api.ask(value) for value in values]

    return program


def with_headers(*keys: str) -> Any:
    def program(api: Any) -> None:
        for key in keys:
            api.send("https://x", headers={"Authorization": f"Bearer {key}", "a": "b"})

    return program


@pytest.fixture
def tape(tmp_path):
    return tmp_path / "tape.yaml"


@pytest.mark.parametrize("dummy", ["test", "sk-none", OTHER, "x" * 200])
def test_a_dummy_key_stands_for_the_real_one(tape, dummy):
    record(tape, with_headers(REAL, REAL))
    replay(tape, with_headers(dummy, dummy))


def test_one_secret_cannot_stand_for_two(tape):
    record(tape, with_headers(REAL, OTHER))
    replay(tape, with_headers("one", "two"))
    with pytest.raises(DivergenceError, match="different arguments"):
        replay(tape, with_headers("one", "one"))


def test_two_secrets_cannot_stand_for_one(tape):
    record(tape, with_headers(REAL, REAL))
    with pytest.raises(DivergenceError, match="different arguments"):
        replay(tape, with_headers("one", "two"))


@pytest.mark.parametrize(
    "spell",
    [
        lambda key: key,
        lambda key: f"https://x/?api_key={key}&b=1",
        lambda key: f"postgres://me:{key}@db/x",
        lambda key: json.dumps({"a": {"password": key}, "n": 1}),
        lambda key: json.dumps({"inner": json.dumps({"client_secret": key})}),
        lambda key: f"client_secret={key}&grant=x",
        lambda key: f'curl -H "x-api-key: {key}" https://x',
        lambda key: {"headers": [["X-Api-Key", key], ["b", "c"]]},
        lambda key: {"password": [key, key]},
        lambda key: {"token": key},
        lambda key: ["--token", key],
        lambda key: f"--password {key} -v",
        lambda key: {"Cookie": f"a={key}; b=c"},
        lambda key: b"\0\xff password=" + key.encode(),
        lambda key: {"name": "Authorization", "value": f"Token {key}"},
    ],
)
def test_wherever_a_name_says_what_it_is_any_dummy_will_do(tape, spell):
    record(tape, asking(spell(REAL), "then", spell(REAL)))
    assert REAL not in tape.read_text()
    replay(tape, asking(spell("dummy"), "then", spell("dummy")))
    with pytest.raises(DivergenceError):
        replay(tape, asking(spell("dummy"), "then", spell("dummy-2")))


def test_what_is_around_a_secret_is_compared_exactly(tape):
    record(tape, asking(f"https://x/?api_key={REAL}&b=1"))
    for changed in ("https://x/?api_key=dummy&b=2", "https://y/?api_key=dummy&b=1", "dummy"):
        with pytest.raises(DivergenceError):
            replay(tape, asking(changed))


def test_text_without_a_key_is_not_taken_for_text_with_one(tape):
    record(tape, asking(f"the key is {REAL}"))
    with pytest.raises(DivergenceError):
        replay(tape, asking("the key is wrong"))
    replay(tape, asking(f"the key is {OTHER}"))


def test_a_secret_that_was_fed_comes_back_as_what_was_fed(tape):
    """A token that the environment gave is in the next call, quoted as it may be."""

    def program(api: Any) -> None:
        token = api.ask({"access_token": PASSWORD})["access_token"]
        api.send(
            f"https://x/?access_token={token.replace('<', '%3C').replace('>', '%3E')}", headers={}
        )
        api.send("https://x", headers={"Authorization": f"Bearer {token}"})

    with Cassette(tape, "all") as cassette:
        program(VcrApi(cassette=cassette, inner=Echo({"access_token": PASSWORD})))
    text = tape.read_text()
    assert PASSWORD not in text
    assert text.count("<redacted:access-token:1>") == 4
    replay(tape, program)


def test_what_stands_for_a_secret_that_was_fed_is_that_and_nothing_else(tape):
    """A program that no longer uses the token which it got would be refused by the real one."""

    def program(api: Any, sent: str) -> None:
        token = api.ask("log me in")["access_token"]
        api.send("https://x", headers={"Authorization": f"Bearer {sent or token}"})

    real = Echo({"access_token": PASSWORD})
    record(tape, lambda api: program(api, ""), real)
    replay(tape, lambda api: program(api, ""))
    with pytest.raises(DivergenceError, match=r"headers\.Authorization"):
        replay(tape, lambda api: program(api, "the-name-of-the-user"))


def test_a_key_of_the_programs_own_may_be_another_after_the_environment_repeated_it(tape):
    def program(api: Any, key: str) -> None:
        for _ in range(2):
            api.send("https://x", headers={"Authorization": f"Bearer {key}"})
            api.ask("what is my key?")

    record(tape, lambda api: program(api, PASSWORD), Echo(f"it is {PASSWORD}"))
    replay(tape, lambda api: program(api, "dummy-1"))


def test_secrets_are_bound_whatever_strand_comes_first(tape):
    def program(api: Any, order: tuple[str, ...], keys: dict[str, str]) -> None:
        def ask(name: str) -> None:
            with suppress(DivergenceError):  # the cassette has it, and raises it below
                api.ask({"who": name, "password": keys[name]})

        for name in order:
            thread = threading.Thread(target=ask, args=(name,))
            thread.start()
            thread.join()
        api.ask({"who": "all", "secrets": [keys["a"], keys["b"]]})

    record(tape, lambda api: program(api, ("a", "b"), {"a": REAL, "b": OTHER}))
    options = {"order": "lanes"}
    replay(tape, lambda api: program(api, ("b", "a"), {"a": "one", "b": "two"}), **options)
    with pytest.raises(DivergenceError):
        replay(tape, lambda api: program(api, ("b", "a"), {"a": "one", "b": "one"}), **options)


def test_an_application_that_answers_with_secrets_is_compared_likewise(tape):
    class Application:
        def __init__(self, key: str) -> None:
            self.key = key

        def answer(self, question: Any) -> Any:
            return {"you": question, "api_key": self.key}

        def tell(self, topic: str) -> Any:
            cut = len(self.key) // 2
            yield f"{topic}: password={self.key[:cut]}"
            yield f"{self.key[cut:]} and so on"
            yield "end"

    def drive(key: str) -> None:
        with Cassette(tape, "none") as cassette:
            Driver(cassette, VcrService(cassette=cassette, inner=Application(key))).run_sync()

    with Cassette(tape, "all") as cassette:
        service = VcrService(cassette=cassette, inner=Application(REAL))
        service.answer("who")
        assert "".join(service.tell("it")) == f"it: password={REAL} and so onend"
    assert REAL[10:25] not in tape.read_text()
    assert "#1/2>" in tape.read_text()
    drive(REAL)
    drive("dummy-7-key")


def test_verifying_with_another_key_finds_no_difference(tape):
    record(tape, asking({"password": REAL}, "a"))
    with Cassette(tape, "verify") as cassette:
        asking({"password": "other"}, "a")(VcrApi(cassette=cassette, inner=Echo()))
    cassette = Cassette(tape, "verify")
    asking({"password": "other"}, "b")(VcrApi(cassette=cassette, inner=Echo()))
    with pytest.raises(VerificationError) as caught:
        cassette.close()
    assert len(caught.value.differences) == 2  # the question, and the answer to it


def test_new_episodes_go_on_numbering(tape):
    record(tape, asking({"password": "first-1"}))
    with Cassette(tape, "new_episodes") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        asking({"password": "dummy-1"}, {"password": "second-2"}, {"password": "dummy-1"})(api)
    text = tape.read_text()
    assert "~" not in text
    assert [text.count(f"<redacted:password:{n}>") for n in (1, 2, 3)] == [4, 2, 0]
    replay(tape, asking(*({"password": key} for key in ("a", "b", "a"))))


def test_an_old_cassette_with_its_keys_in_the_open_still_replays(tape):
    record(tape, asking({"password": "KEY"}))
    tape.write_text(tape.read_text().replace("<redacted:password:1>", "old-dummy-1"))
    assert replay(tape, asking({"password": "old-dummy-1"})) == [{"password": "old-dummy-1"}]


def test_a_bare_placeholder_that_somebody_wrote_stands_for_any_secret(tape):
    record(tape, asking({"password": "one"}, {"password": "two"}))
    text = tape.read_text().replace("<redacted:password:1>", "<redacted>")
    tape.write_text(text.replace("<redacted:password:2>", "<redacted>"))
    replay(tape, asking({"password": "a"}, {"password": "b"}))


def test_marked_secrets_stay_different_too(tape):
    def program(api: Any, *tokens: str) -> None:
        for token in tokens:
            api.log_in(Login("ada", "same"), token)

    record(tape, lambda api: program(api, "one", "two", "one"))
    replay(tape, lambda api: program(api, "x", "y", "x"))
    with pytest.raises(DivergenceError):
        replay(tape, lambda api: program(api, "x", "y", "y"))


def test_a_dummy_key_stands_for_the_real_one_in_every_call_of_a_long_lane(tmp_path):
    tape = tmp_path / "tape.jsonl"
    program = with_headers(*([REAL] * 1000))
    record(tape, program, order="lanes")
    replay(tape, with_headers(*(["dummy"] * 1000)), order="lanes")


def test_secrets_that_are_no_texts_come_back_as_values_of_their_types(tape):
    def program(api: Any) -> Any:
        ticket = api.grant()
        api.use(ticket)
        return ticket

    recorded = record(tape, program)
    text = tape.read_text()
    assert str(recorded.token) not in text
    assert "87654321" not in text
    assert "98765.4321" not in text
    replayed = replay(tape, program)
    assert [type(value) for value in vars(replayed).values()] == [
        type(value) for value in vars(recorded).values()
    ]
    assert replayed.valid is True


def test_a_key_that_came_in_pieces_is_known_when_it_is_put_together(tape):
    def program(api: Any) -> None:
        key = "".join(api.text()).split()[-1]
        api.ask({"use": key})
        api.send("https://x", headers={"x-api-key": key})

    world = Echo()
    world.pieces = ["take ", REAL[:7], REAL[7:60], REAL[60:]]
    record(tape, program, world)
    assert REAL[20:40] not in tape.read_text()
    replay(tape, program)


class Auth(BaseModel):
    user: str = "ann"
    realm: str = "office"
    token: str = REAL


class Settings(BaseModel):
    auth: Auth


def test_what_says_how_a_value_is_made_is_no_secret(tape):
    settings = Settings(auth=Auth(token=REAL))
    record(tape, asking(settings))
    assert REAL not in tape.read_text()
    replay(tape, asking(settings))
    with pytest.raises(DivergenceError, match="different arguments"):
        replay(tape, asking(Settings(auth=Auth(user="bo", token=REAL))))
