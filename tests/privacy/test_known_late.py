"""A secret that nothing tells when it is first met, and a header or a field does later."""

import gzip
import json
import zlib

import brotli
import pytest
from guarded.bridges import Echo
from vcr_guarded import VcrApi

from vcr_gen import Cassette
from vcr_gen.runtime.privacy import text_of
from vcr_gen.runtime.privacy.compressed import contents
from vcr_gen.runtime.tape.reading import Reading

KEY = "k3y-of-mine-0123456789"


class KeyFile(Echo):
    """Where programs have their keys from: a file, a variable, a vault."""

    def ask(self, value):
        return {"line": f"use {KEY}", "asked": value, "lines": ["äöü\n", 'a "quoted" text']}


def program(api):
    found = api.ask({"path": "~/.key"})
    key = found["line"].removeprefix("use ")
    api.send("https://x", headers={"Authorization": f"Bearer {key}"})
    return found


@pytest.fixture(params=["yaml", "jsonl"])
def path(request, tmp_path):
    return tmp_path / f"tape.{request.param}"


def record(path, **options):
    with Cassette(path, "all", **options) as cassette:
        return program(VcrApi(cassette=cassette, inner=KeyFile()))


def test_it_is_not_in_the_cassette(path):
    assert record(path)["line"] == f"use {KEY}"
    assert KEY not in path.read_text(encoding="utf-8")
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_the_cassette_replays(path):
    recorded = record(path)
    with Cassette(path, "none") as cassette:
        replayed = program(VcrApi(cassette=cassette))
    assert replayed == {**recorded, "line": "use <redacted:authorization:1>"}


def test_it_is_not_in_the_initial_state(path):
    record(path, initial_state={"note": f"run with {KEY}"})
    assert KEY not in path.read_text(encoding="utf-8")
    with Reading(path) as reading:
        assert reading.header["initial_state"] == {"note": "run with <redacted:authorization:1>"}


def test_everything_else_is_as_it_would_be(path):
    record(path)
    with Reading(path) as reading:
        asked, sent = [entry.data for entry in reading]
    assert asked["args"] == {"value": {"path": "~/.key"}}
    assert asked["returned"]["lines"] == ["äöü\n", 'a "quoted" text']
    assert sent["args"]["headers"] == {"Authorization": "Bearer <redacted:authorization:1>"}


@pytest.mark.parametrize("key", [KEY, "an0ther-key-of-mine"])
@pytest.mark.parametrize("text", ["{}", "use {} now", "{}/{}", '{{"value": "{}"}}'])
def test_what_the_program_says_before_it_is_known_is_compared_up_to_it(path, text, key):
    def program(api, key):
        api.ask(text.format(key, key))
        api.send("https://x", headers={"Authorization": f"Bearer {key}"})

    with Cassette(path, "all") as cassette:
        program(VcrApi(cassette=cassette, inner=Echo()), KEY)
    assert KEY not in path.read_text(encoding="utf-8")
    with Cassette(path, "none") as cassette:
        program(VcrApi(cassette=cassette), key)


def test_it_is_not_in_a_json_text_either(path):
    key = 'k3y-"of"-mine-0123456789'
    with Cassette(path, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=Echo())
        api.ask(json.dumps({"line": key}))
        api.ask({"password": key})
    with Reading(path) as reading:
        first = next(iter(reading)).data
    assert first["returned"] == '{"line": "<redacted:password:1>"}'


@pytest.mark.parametrize(
    "frame", [b"%b", b"use %b now\n", b"\0%b\xff", b"\0\0%b", b"\0\0\0%b" * 40]
)
def test_it_is_not_in_the_items_of_a_stream_either(path, frame):
    echo = Echo()
    item = frame % ((KEY.encode(),) * frame.count(b"%b"))
    echo.pieces = [item.decode("latin-1")]
    echo.data = lambda: iter([item])
    with Cassette(path, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=echo)
        assert list(api.data()) == [item]
        assert len(list(api.text())) == 1
        api.ask({"password": KEY})
    with Reading(path) as reading:
        items = [item for entry in reading for item in _values(entry.data)]
    assert KEY not in path.read_text(encoding="utf-8")
    assert KEY not in "".join(items)
    assert "".join(items).count("redacted") == 2 * frame.count(b"%b")


def _values(entry):
    """The items of an entry as texts; each event of a stream may have one of its own."""
    items = entry.get("items", [entry] if "item" in entry else [])
    return [text_of(item["value"]) for item in items]


@pytest.mark.parametrize("size", [1, 5, 30])
@pytest.mark.parametrize(
    "frame", [b"use %b now", b"data: {}\n\nuse %b now\n\n", b"%b", b"\0\xff use %b \0"]
)
def test_it_is_not_in_the_items_that_it_was_cut_over(path, frame, size):
    echo = Echo()
    whole = frame % KEY.encode()
    items = [whole[at : at + size] for at in range(0, len(whole), size)]
    echo.data = lambda: iter(items)
    with Cassette(path, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=echo)
        assert list(api.data()) == items
        api.ask({"password": KEY})
    with Reading(path) as reading:
        texts = [item for entry in reading for item in _values(entry.data)]
    assert KEY not in "".join(texts)
    assert "<redacted:password:1" in "".join(texts)
    assert len(texts) == len(items)
    with Cassette(path, "none") as cassette:
        api = VcrApi(cassette=cassette)
        assert len(list(api.data())) == len(items)
        api.ask({"password": "<redacted:password:1>"})


@pytest.mark.parametrize("compress", [gzip.compress, zlib.compress, brotli.compress])
@pytest.mark.parametrize("size", [1000, 7])
def test_it_is_not_in_compressed_data(path, compress, size):
    echo = Echo()
    text = f"we use {KEY} for now, and nothing else at all"
    data = compress(text.encode())
    items = [data[at : at + size] for at in range(0, len(data), size)]
    echo.data = lambda: iter(items)
    with Cassette(path, "all") as cassette:
        api = VcrApi(cassette=cassette, inner=echo)
        api.ask({"body": data})
        assert list(api.data()) == items
        api.ask({"password": KEY})
    with Reading(path) as reading:
        asked, *rest = [entry.data for entry in reading]
    stored = text_of(asked["args"]["value"]["body"])
    streamed = "".join(text for entry in rest for text in _values(entry))
    for compressed in (stored, streamed):
        assert KEY not in contents(compressed)
        assert "use <redacted:password:1> for" in contents(compressed)
    with Cassette(path, "none") as cassette:
        api = VcrApi(cassette=cassette)
        api.ask(
            {"body": compress(b"we use <redacted:password:1> for now, and nothing else at all")}
        )
        assert len(list(api.data())) == len(items)
        api.ask({"password": "<redacted:password:1>"})
