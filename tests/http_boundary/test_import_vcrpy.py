"""Cassettes that vcrpy itself recorded are converted, and replay with our fronts."""

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import vcr
from command_line import run_command
from exchanges_of_clients import (
    BINARY,
    CLIENTS,
    COOKIES,
    SECRETS,
    TEXTUAL,
    Seen,
    Sent,
    answering_all,
)
from tape_data import read_header

from vcr_gen import Cassette, CassetteError, DivergenceError
from vcr_gen.boundaries.http import HttpMatch

PAIRS = [(client, serializer) for client in CLIENTS for serializer in ("yaml", "json")]


def requests_for(client: str, serializer: str) -> list[Sent]:
    """All that vcrpy can store, in this file, of this client."""
    if serializer == "yaml":
        return [*TEXTUAL, *BINARY]
    return [*TEXTUAL, *(BINARY[:1] if client == "aiohttp" else ())]


def record(path: Path, client: str, all_sent: list[Sent], **options: Any) -> tuple[str, list[Seen]]:
    """Let vcrpy record a session; the address of the server, which is gone, and what was seen."""
    with answering_all() as base, vcr.VCR(**options).use_cassette(str(path)):
        return base, CLIENTS[client](base, all_sent, None)


def convert(source: Path, *options: str) -> Path:
    target = source.with_name("converted.yaml")
    run = run_command("cassette", "convert", source.name, target.name, *options, cwd=source.parent)
    assert (run.code, run.err if run.code else "") == (0, "")
    return target


def without_secrets(seen: Seen) -> Seen:
    """With a dot for each secret, and for each placeholder of one; and without the date."""
    found = re.compile("|".join(["<redacted:[^>]*>", *SECRETS]))
    headers = [(name, found.sub(".", value)) for name, value in seen.headers if name != "date"]
    body = re.compile(found.pattern.encode()).sub(b".", seen.body)
    return replace(seen, headers=headers, body=body)


@pytest.mark.parametrize(("client", "serializer"), PAIRS)
def test_a_converted_session_replays_in_any_order(
    tmp_path: Path, client: str, serializer: str
) -> None:
    all_sent = [*requests_for(client, serializer), COOKIES]
    old = tmp_path / f"old.{serializer}"
    base, seen = record(old, client, all_sent, serializer=serializer)
    new = convert(old, "--from", "vcrpy")

    assert [secret for secret in SECRETS if secret in new.read_text()] == []
    assert run_command("cassette", "scan", new.name, cwd=tmp_path).code == 0

    order = list(range(len(all_sent) - 1))
    random.Random(7).shuffle(order)
    order.append(len(all_sent) - 1)
    with Cassette(new, "none") as cassette:
        replayed = CLIENTS[client](base, [all_sent[number] for number in order], cassette)
    assert list(map(without_secrets, replayed)) == [without_secrets(seen[at]) for at in order]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_one_client_recorded_replays_with_another(tmp_path: Path, client: str) -> None:
    all_sent = [Sent("POST", "/json", {"json": {"n": 1}}), BINARY[0]]
    base, seen = record(tmp_path / "old.yaml", "requests", all_sent)
    with Cassette(convert(tmp_path / "old.yaml", "--from", "vcrpy"), "none") as cassette:
        replayed = CLIENTS[client](base, all_sent, cassette)
    assert [without_secrets(each).body for each in replayed] == [
        without_secrets(each).body for each in seen
    ]


@pytest.mark.parametrize(
    "options",
    [
        {"filter_headers": ["authorization", "accept"]},
        {"filter_headers": [("authorization", "DUMMY")]},
        {"decode_compressed_response": True},
    ],
    ids=str,
)
def test_what_vcrpy_left_out_or_replaced_is_no_difference(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    all_sent = [BINARY[0], Sent("POST", "/json", {"json": {"n": 1}})]
    base, seen = record(tmp_path / "old.yaml", "httpx", all_sent, **options)
    with Cassette(convert(tmp_path / "old.yaml", "--from", "vcrpy"), "none") as cassette:
        replayed = CLIENTS["httpx"](base, all_sent, cassette)
    assert [without_secrets(each).body for each in replayed] == [
        without_secrets(each).body for each in seen
    ]


CHANGED = {
    "request.body.json.n": Sent("POST", "/json", {"json": {"n": 2}}),
    "request.headers.x-tenant": Sent(
        "POST", "/json", {"json": {"n": 1}, "headers": {"X-Tenant": "south"}}
    ),
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("field", CHANGED)
def test_headers_and_bodies_are_compared_unless_the_import_is_loose(
    tmp_path: Path, client: str, field: str
) -> None:
    old = tmp_path / "old.yaml"
    base, _ = record(old, client, [Sent("POST", "/json", {"json": {"n": 1}})])
    strict = convert(old, "--from", "vcrpy")
    with pytest.raises(DivergenceError, match=re.escape(field)), Cassette(strict) as cassette:
        CLIENTS[client](base, [CHANGED[field]], cassette)

    loose = convert(old, "--from", "vcrpy", "--loose", "--force")
    assert read_header(loose)["imported"] == {"from": "vcrpy", "headers": [], "body": False}
    with Cassette(loose) as cassette:
        CLIENTS[client](base, [CHANGED[field]], cassette)


def test_the_command_says_what_is_compared(tmp_path: Path) -> None:
    record(tmp_path / "old.yaml", "aiohttp", [TEXTUAL[0]])
    convert_it = ["cassette", "convert", "old.yaml", "--from", "vcrpy"]
    strict = run_command(*convert_it, cwd=tmp_path, merged=True)
    assert (strict.code, strict.out) == (
        0,
        "wrote old.vcr-gen.yaml: 1 exchange from vcrpy\n"
        "compared: method, URL, body, headers (authorization, x-tenant)\norder: any\n",
    )
    again = run_command(*convert_it, cwd=tmp_path, merged=True)
    assert (again.code, again.out) == (
        2,
        "old.vcr-gen.yaml already exists\n  hint: --force replaces it\n",
    )
    loose = run_command(*convert_it, "--loose", "--force", cwd=tmp_path, merged=True)
    assert "loosened: headers and bodies are not compared\n" in loose.out


def test_an_order_in_the_code_counts_more_than_the_import(tmp_path: Path) -> None:
    all_sent = [Sent("GET", "/json"), Sent("GET", "/empty")]
    base, _ = record(tmp_path / "old.yaml", "httpx", all_sent)
    new = convert(tmp_path / "old.yaml", "--from", "vcrpy")
    with pytest.raises(DivergenceError), Cassette(new, order="total") as cassette:
        CLIENTS["httpx"](base, all_sent[::-1], cassette)


def test_a_converted_cassette_can_replace_the_old_one_and_become_jsonl(tmp_path: Path) -> None:
    base, seen = record(tmp_path / "old.yaml", "httpx", [TEXTUAL[0]])
    in_place = ["cassette", "convert", "old.yaml", "old.yaml", "--from", "vcrpy"]
    assert run_command(*in_place, cwd=tmp_path).code == 2
    assert run_command(*in_place, "--force", cwd=tmp_path).code == 0
    assert run_command("cassette", "convert", "old.yaml", "new.jsonl", cwd=tmp_path).code == 0
    for name in ("old.yaml", "new.jsonl"):
        with Cassette(tmp_path / name) as cassette:
            assert CLIENTS["httpx"](base, [TEXTUAL[0]], cassette) == seen


GOOD = """\
interactions:
- request: {method: GET, uri: "http://localhost/", body: null, headers: {}}
  response:
    status: {code: 200, message: OK}
    headers: {}
    body: {string: ""}
version: 1
"""
BAD = {
    "a tag that names code": (
        GOOD.replace("body: null", "body: !!python/object/apply:os.system [touch pwned]"),
        "old.yaml:2: not valid YAML: could not determine a constructor for the tag",
    ),
    "a torn file": (GOOD[:60], "old.yaml:2: not valid YAML: "),
    "a wrong status": (
        GOOD.replace("code: 200", "code: '200'"),
        "old.yaml:2: interactions[0].response.status.code: expected a number; got text\n",
    ),
    "no URL": (
        GOOD.replace("uri:", "url:"),
        "old.yaml:2: interactions[0].request.uri: expected text; got nothing\n",
    ),
    "data without end": (
        GOOD.replace("body: null", "body: &a {n: *a}"),
        "old.yaml:2: interactions[0].request.body: "
        "expected at most 1,000,000 values, nested 100 deep; got a mapping\n",
    ),
    "another file": ("a: 1\n", "old.yaml: expected a cassette of vcrpy, with a list of"),
    "an empty file": ("", "old.yaml: expected a cassette of vcrpy, with a list of"),
    "no exchange": ("interactions: []\n", "old.yaml: there is nothing to import\n"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_read_is_refused_with_the_place(tmp_path: Path, name: str) -> None:
    text, message = BAD[name]
    (tmp_path / "old.yaml").write_text(text)
    (tmp_path / "new.yaml").write_text("as it was")
    command = ["cassette", "convert", "old.yaml", "new.yaml", "--force", "--from", "vcrpy"]
    run = run_command(*command, cwd=tmp_path)
    assert (run.code, run.err[: len(message)]) == (2, message)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["new.yaml", "old.yaml"]
    assert (tmp_path / "new.yaml").read_text() == "as it was"


FORMS = {
    "null": ("body: null", b""),
    "text": ("body: 'gr\u00fcn'", "gr\u00fcn".encode()),
    "binary": ("body: !!binary AAEC", b"\0\1\2"),
    "an empty mapping": ("body: {}", b""),
    "string": ("body: {string: abc}", b"abc"),
    "base64": ("body: {base64_string: AAEC}", b"\0\1\2"),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_body_is_read(tmp_path: Path, name: str) -> None:
    stored, body = FORMS[name]
    (tmp_path / "old.yaml").write_text(GOOD.replace('body: {string: ""}', stored))
    with Cassette(convert(tmp_path / "old.yaml", "--from", "vcrpy")) as cassette:
        seen = CLIENTS["httpx"]("http://localhost", [Sent("GET", "/")], cassette)
    assert [each.body for each in seen] == [body]


def test_binary_parts_of_a_request_are_compared_in_any_order(tmp_path: Path) -> None:
    parts = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\x00\xff%d\r\n--x--\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    all_sent = [Sent("POST", "/empty", {"headers": headers}, parts % number) for number in (1, 2)]
    base, seen = record(tmp_path / "old.yaml", "httpx", all_sent)
    with Cassette(convert(tmp_path / "old.yaml", "--from", "vcrpy")) as cassette:
        replayed = CLIENTS["httpx"](base, list(reversed(all_sent)), cassette)
    assert replayed == list(reversed(seen))


def test_responses_of_older_versions_are_read(tmp_path: Path) -> None:
    old = """\
interactions:
- request: {method: GET, uri: "http://localhost/", body: "", headers: {}}
  response: {status_code: 404, http_version: HTTP/1.1, headers: {a: [b, c]}, content: gone}
"""
    (tmp_path / "old.yaml").write_text(old)
    with Cassette(convert(tmp_path / "old.yaml", "--from", "vcrpy")) as cassette:
        (seen,) = CLIENTS["httpx"]("http://localhost", [Sent("GET", "/")], cassette)
    assert seen == Seen("http://localhost/", 404, "Not Found", [("a", "b"), ("a", "c")], b"gone")


def test_a_replay_of_a_cassette_of_vcrpy_says_how_to_convert_it(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(GOOD)
    with pytest.raises(CassetteError, match="vcr-gen cassette convert FILE --from vcrpy"):
        Cassette(tmp_path / "old.yaml", "none")


@pytest.mark.parametrize("match", [HttpMatch(), HttpMatch(headers=[], body=False)], ids=str)
def test_a_program_may_use_several_clients(tmp_path: Path, match: HttpMatch) -> None:
    all_sent = [Sent("GET", "/json"), Sent("GET", "/empty")]
    base, seen = record(tmp_path / "old.yaml", "httpx", all_sent)
    new = convert(tmp_path / "old.yaml", "--from", "vcrpy")
    with Cassette(new, rules=match.rules()) as cassette:
        replayed = [CLIENTS["httpx"](base, [sent], cassette)[0] for sent in all_sent]
    assert replayed == seen
