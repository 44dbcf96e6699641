"""Which names count, what users add, and what is left alone."""

import base64
import random
import time
from typing import Any

import pytest
from fake_credentials import CREDENTIALS, PASSWORD
from guarded.bridges import Echo
from guarded.ports import Kind, Login, Policy
from vcr_guarded import VcrApi

from vcr_gen import Cassette, Redaction
from vcr_gen.errors import DivergenceError, UsageError
from vcr_gen.runtime.privacy import Secrets


def redacted(value: Any, **options: Any) -> Any:
    return Secrets(Redaction(**options)).redact("Api.ask", "call", {"value": value})["value"]


@pytest.mark.parametrize(
    "value",
    [
        {"max_tokens": 100, "token_count": 7, "total_tokens": 5, "tokens": ["a", "b"]},
        {"next_page_token": "CiAKGjBpNDd2Nmp2Zml2cXRwYjBp", "nextToken": "AbC123def456ghi789jkl"},
        {"logprobs": [{"token": " Hello", "logprob": -0.1, "bytes": [1]}]},
        {"primary_key": "id", "key": "value", "foreign_keys": ["a"], "cache_key": "user:1"},
        {"secret": True, "password": None, "has_password": "yes", "password_field": "pw"},
        {"secret_name": "prod/db", "secretId": "arn:aws:x", "token_type": "bearer"},
        {"session_id": "chat-7", "sessionId": "room 12"},
        {"stop_token": "<|end|>", "eos_token": "</s>", "author": "Ada", "authority": "x"},
        "Enter your password: ",
        "The secret: there is none. A token: one word.",
        "client = Client(api_key=api_key, password=settings.password, token=token)",
        "api_key=os.environ['KEY'] password=getpass() token=${TOKEN} secret=None",
        "def f(token: str, password: str | None = None) -> bool: ...",
        "commit 0123456789abcdef0123456789abcdef01234567 of 550e8400-e29b-41d4-a716-446655440000",
        "https://example.com/a?q=token&page_token=abc&sort=key#secret",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        {"content-type": "application/json", "etag": 'W/"abc"', "x-request-id": "a1b2c3d4e5f6"},
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        ["password", "confirm"],
        "To login to the site, use the password reset. Your login and password are the same.",
        "login and password required\n",
        "Default login, password reset and account pages of the machine are listed below",
        "machine learning: login page, password page",
        "default login page password\n",
        ["docker", "run", "-u", "1000:1000", "--user", "me:staff", "image"],
        ["curl", "-A", "agent: one", "--user-agent=x:y", "-H", "Accept: text/html", "http://a:80/"],
        ["curl", "-u", "$USER:$PASSWORD", "-F", "u=a:b", "--data=a:b"],
        "curl --user-agent me:you -o x https://example.com:443/a",
        {"password": ""},
    ],
)
def test_what_is_no_secret_is_left_alone(value):
    assert redacted(value) == value


def test_a_session_id_is_hidden_where_it_looks_like_a_key():
    for name in ("session_id", "sessionid", "sessionId"):
        assert redacted({name: "qX7vRk2mPz9LwT4bNc8sHd3f"}) != {name: "qX7vRk2mPz9LwT4bNc8sHd3f"}


def test_long_data_in_base64_that_holds_what_looks_like_keys_is_left_alone():
    data = base64.b64encode(random.Random(1).randbytes(6_000)).decode()
    keys = [
        key
        for key in ("1/0Z1LBkjhgvmRblgCrm82W9U2bwOaZzT", "BSAve94VV21SbIOkZkwjBDxJdZ82SJIDV3uJ")
        if redacted(key) != key
    ]
    assert len(keys) == 2
    image = "/".join([data[:4000], *keys, data[4000:]])
    assert redacted({"image": f"data:image/png;base64,{image}"})["image"].endswith(image)
    for key in keys:
        assert key not in redacted(f"{data[:400]} {key} {data}")
        assert key not in redacted(f"{data}\n{key}")


@pytest.mark.parametrize("name", ["tape.yaml", "tape.jsonl"])
def test_one_of_a_declared_few_is_no_secret_whatever_its_name(tmp_path, name):
    given = Policy(Kind.PASSPHRASE, "required", [Kind.FINGERPRINT], PASSWORD)
    seen = []
    for mode in ("all", "none"):
        with Cassette(tmp_path / name, mode) as cassette:
            api = VcrApi.attach(cassette, Echo)
            seen.append(api.change(given, password=Kind.FINGERPRINT))
            assert api.ask({"kind": "FINGERPRINT"}) == {"kind": "FINGERPRINT"}

    kept = seen[1]["FINGERPRINT"]
    assert (kept.password, kept.api_key, kept.secrets) == (
        Kind.PASSPHRASE,
        "required",
        [Kind.FINGERPRINT],
    )
    assert str(kept.client_secret).startswith("<redacted:client-secret:")
    assert PASSWORD not in (tmp_path / name).read_text()
    with (
        pytest.raises(DivergenceError, match="different arguments: password"),
        Cassette(tmp_path / name, "none") as cassette,
    ):
        VcrApi.attach(cassette, Echo).change(given, password=Kind.PASSPHRASE)


@pytest.mark.parametrize(
    "value",
    [
        {"Authorization": "Bearer SECRET"},
        {"proxy-authorization": "Basic SECRET"},
        {"COOKIE": "a=SECRET"},
        {"x-goog-api-key": "SECRET"},
        {"X-Subscription-Token": "SECRET"},
        {"api-key": "SECRET"},
        {"x-auth-token": "SECRET"},
        {"clientSecret": "SECRET"},
        {"dbPassword": "SECRET"},
        {"AWS_SECRET_ACCESS_KEY": "SECRET"},
        {"refresh_token": "SECRET"},
        {"passwords": {"db": "SECRET"}},
        {"secret": {"value": "SECRET", "name": "db"}},
        {"auth": ["ada", "SECRET"]},
        {"Set-Cookie": ["sid=SECRET; Path=/", "b=SECRET"]},
        [["X-API-Key", "SECRET"]],
        {"name": "x-api-key", "value": "SECRET"},
        "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer SECRET\r\nCookie: sid=SECRET\r\n\r\n",
        "https://ada:SECRET@example.com/",
        "https://x/?a=1&access_token=SECRET&b=2",
        "https://x/?X-Amz-Signature=SECRET&X-Amz-Credential=SECRET",
        "user=ada&password=SECRET",
        '{"a": [{"client_secret": "SECRET"}]}',
        '"{\\"a\\": \\"{\\\\\\"password\\\\\\": \\\\\\"SECRET\\\\\\"}\\"}"',
        "{'password': 'SECRET'}",
        "mysql --password=SECRET -u ada",
        ["mysql", "--password", "SECRET"],
        "DB_PASSWORD=SECRET\nexport GITHUB_TOKEN=SECRET\n",
        "curl -H 'X-Api-Key: SECRET' -u x",
        "Server=x;AccountKey=SECRETSECRETSECRETSECRETSECRETSECRETSECRET==;",
        "redirect=https%3A%2F%2Fx%3Faccess_token%3DSECRET%26b",
    ],
)
def test_what_a_name_calls_a_secret_is_one(value):
    assert "SECRET" not in repr(redacted(value)).replace("AWS_SECRET_ACCESS", "")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("machine h login u password {}\n", "machine h login u password {}\n"),
        ("default login u password {}", "default login u password {}"),
        ("a\nmachine h\n  login u\n  password {}\n", "a\nmachine h\n  login u\n  password {}\n"),
        ("login u password {}\n", "login u password {}\n"),
        (["curl", "-u", "me:{}", "x"], ["curl", "-u", "me:{}", "x"]),
        (["/usr/bin/curl", "-sSu", "me:{}", "x"], ["/usr/bin/curl", "-sSu", "me:{}", "x"]),
        (["curl", "-s", "-ume:{}"], ["curl", "-s", "-ume:{}"]),
        (["curl", "--user", "me:{}"], ["curl", "--user", "me:{}"]),
        (["curl", "-L", "--proxy-user=me:{}"], ["curl", "-L", "--proxy-user=me:{}"]),
        (["sh", "-c", "curl -s -u 'me:{}' x"], ["sh", "-c", "curl -s -u 'me:{}' x"]),
        ("curl x \\\n  --user me:{} -v", "curl x \\\n  --user me:{} -v"),
    ],
)
def test_a_password_behind_the_name_of_its_user_is_one(value, expected):
    def filled(form, secret):
        return (
            form.format(secret) if isinstance(form, str) else [one.format(secret) for one in form]
        )

    assert redacted(filled(value, PASSWORD)) == filled(expected, "<redacted:password:1>")


def test_the_password_of_basic_authorization_is_found_elsewhere():
    login = base64.b64encode(f"me:{PASSWORD}".encode()).decode()
    secrets = Secrets(Redaction())
    header = {"headers": {"Authorization": f"Basic {login}"}}
    assert PASSWORD not in str(secrets.redact("Api.ask", "call", header))
    text = secrets.redact("Api.ask", "call", {"text": f"it was {PASSWORD}, they said"})
    assert text == {"text": "it was <redacted:secret:1>, they said"}
    again = {"headers": {"Authorization": "Basic <redacted:authorization:1>"}}
    assert secrets.redact("Api.ask", "call", header) == again


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20])
def test_the_password_of_a_machine_is_found_in_a_stream(tmp_path, size):
    text = f"# mine\nmachine h login me password {PASSWORD}\n# that was it\n"
    pieces = [text[start : start + size] for start in range(0, len(text), size)]

    class Streaming(Echo):
        def text(self):
            yield from pieces

    with Cassette(tmp_path / "tape.yaml", "all") as cassette:
        assert list(VcrApi.attach(cassette, Streaming).text()) == pieces
    tape = (tmp_path / "tape.yaml").read_text()
    assert not any(PASSWORD[:length] in tape for length in range(6, len(PASSWORD) + 1))


def test_the_scheme_and_the_names_of_cookies_are_kept():
    assert redacted({"Authorization": 'Digest username="x", response="y", qop=auth'}) == {
        "Authorization": 'Digest username="x", response="<redacted:authorization:1>", qop=auth'
    }
    assert redacted({"Set-Cookie": "sid=abc; Path=/; Max-Age=5; HttpOnly"}) == {
        "Set-Cookie": "sid=<redacted:cookie:1>; Path=/; Max-Age=5; HttpOnly"
    }


def test_a_number_stays_a_number():
    assert redacted({"password": 12345678, "secret": 7}) == {"password": 0, "secret": 7}


def test_json_and_forms_can_still_be_read():
    import json
    from urllib.parse import parse_qs, urlsplit

    body = json.dumps({"password": 'a"b\\c', "n": [1, {"token": CREDENTIALS["jwt"]}]})
    assert json.loads(redacted(body))["n"][0] == 1
    url = urlsplit(redacted("https://a:b@h:1/p?api_key=x&q=1"))
    assert (url.hostname, url.port, parse_qs(url.query)["q"]) == ("h", 1, ["1"])


def test_what_is_switched_off_or_allowed_is_left_alone_and_written_down(tmp_path):
    key = CREDENTIALS["github-token"]
    assert redacted(key, off=["github-token"]) == key
    assert redacted(f"is {key}", allow=[key]) == f"is {key}"
    assert redacted({"password": "x"}, off=["names"]) == {"password": "x"}
    tape = tmp_path / "tape.yaml"
    redaction = Redaction(off=["jwt"], keys=["tenant"], allow=["x"], fields={"*": ["*.**.pin"]})
    with Cassette(tape, "all", redaction=redaction) as cassette:
        VcrApi(cassette=cassette, inner=Echo()).ask("a")
    head = tape.read_text().partition("boundaries:")[0]
    assert (
        "redaction:\n  added:\n  - key tenant\n  - field * *.**.pin\n  without:\n  - jwt\n" in head
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"off": ["jwts"]}, "did you mean `jwt`"),
        ({"patterns": {"x": "("}}, "pattern 'x'"),
        ({"patterns": {"Not a name": "a"}}, "names a rule"),
        ({"functions": {"f": 5}}, "cannot be called"),
        ({"fields": {"Api.ask": ["a..b"]}}, "field path"),
    ],
)
def test_a_redaction_that_makes_no_sense_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        Redaction(**options)


def test_fields_patterns_and_functions_of_ones_own(tmp_path):
    tape = tmp_path / "tape.yaml"
    redaction = Redaction(
        patterns={"badge": r"badge-(\d+)"},
        keys=["tenant"],
        fields={"Api.log_in": ["login.user", "$result"], "Api.ask": ["value.$json.card"]},
        functions={"seat": lambda text: [word for word in text.split() if word[:1] == "#"]},
    )

    def program(api: Any, user: str, tenant: str) -> None:
        api.log_in(Login(user, "p-1-p"), "t-1-t")
        api.ask(f'{{"card": "{user}-card", "who": "badge-77", "tenant": "{tenant}"}}')
        api.ask(["sits at #4b", f"tenant={tenant}"])

    with Cassette(tape, "all", redaction=redaction) as cassette:
        program(VcrApi(cassette=cassette, inner=Echo()), "real-user", "real-tenant")
    text = tape.read_text()
    assert not any(each in text for each in ("real-user", "real-tenant", "badge-77", "#4b"))
    assert "badge-<redacted:badge:1>" in text
    with Cassette(tape, "none", redaction=redaction) as cassette:
        program(VcrApi(cassette=cassette), "other", "other-tenant")


def test_a_secret_under_its_name_is_found_elsewhere_if_it_is_no_word():
    secrets = Secrets(Redaction())
    secrets.redact("Api.ask", "call", {"password": PASSWORD, "passphrase": "test"})
    assert secrets.redact("Api.ask", "returned", f"a test of {PASSWORD}") == (
        "a test of <redacted:password:1>"
    )


HOSTILE = {
    "letters": "a" * 10,
    "names": "password",
    "open quotes": '"password": "',
    "keys that never end": "-----BEGIN PRIVATE KEY-----",
    "urls": "://u:p@",
    "half tokens": "eyJ",
    "prefixes": "sk-",
    "escapes": '\\"',
    "headers": "authorization: ",
    "cookies": "cookie: a=b; ",
    "forms": "key=b&",
    "placeholders": "<redacted:a:1>",
    "half placeholders": "<redacted:",
    "base64": "QUJDRGFi",
    "bot tokens": "12345678:AA",
    "spaces": "token    =   ",
    "machines": "\nmachine a login b password ",
    "words of machines": "login account password ",
    "lines of a login": "\nlogin a",
    "commands": "curl -u ",
    "lines of commands": "curl -u a:b c\\\n",
}


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_takes_linear_time(piece):
    """Eight times the text takes about eight times as long, not sixty-four."""
    text = HOSTILE[piece] * (80_000 // len(HOSTILE[piece]))

    def seconds(part: str) -> float:
        started = time.process_time()
        redacted(part)
        return time.process_time() - started

    def is_linear() -> bool:
        return seconds(text) < 32 * max(seconds(text[: len(text) // 8]), 0.001)

    # A busy machine, or Python's collector, can slow down a single try; nothing speeds one up.
    assert any(is_linear() for _ in range(3))
